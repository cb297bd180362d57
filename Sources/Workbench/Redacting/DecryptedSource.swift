import Captures
import Conversation
import Keys

/// A capture whose encrypted packets on the air are replaced by what its keys decrypt them to; what stays closed is as
/// it was captured.
final class DecryptedSource: PacketSource {
    private let reader: CaptureReader
    private let decrypter: PacketDecrypter
    /// The packets of the last batch as they were captured.
    private(set) var captured: PacketBatch?
    /// Whether to keep them.
    var keepsCaptured = false

    init(_ reader: CaptureReader, keys: KeyRing) {
        self.reader = reader
        decrypter = PacketDecrypter(keys: keys, keepsDistributedKeys: true)
    }

    /// Packets decrypted since the start.
    var decrypted: Int { decrypter.decrypted }

    var name: String { reader.name }
    var isSeekable: Bool { reader.isSeekable }
    var incompleteness: CaptureWarning? { reader.incompleteness }

    func next() async throws -> PacketBatch? {
        captured = nil
        guard var batch = try reader.next() else { return nil }
        // Logs of hosts have keys for the air in the same file.
        if keepsCaptured { captured = batch }
        decrypter.decrypt(&batch)
        return batch
    }

    func reuse(_ batch: consuming PacketBatch) { reader.reuse(batch) }

    func rewind() throws {
        try reader.rewind()
        decrypter.restart()
    }

    func limitBatches(to bytes: Int) { reader.limitBatches(to: bytes) }
}
