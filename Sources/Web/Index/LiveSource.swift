import Bytes
import Captures
import Synchronization
import Workbench

/// A live capture that is recorded to a file, which is read while it grows.
final class LiveSource: Sendable {
    let path: String
    let format: CaptureFormat
    /// What it is recorded to where the user names no file.
    private let file: FileDescriptor?
    private let hasEnded = Mutex(false)
    private let closed = Mutex(false)

    /// Records to a file that the user has named, in the format of its name.
    init(path: String) throws(CaptureError) {
        self.path = path
        format = try CaptureFormat(ofRecording: path)
        file = nil
    }

    /// Records to a file without a name.
    init() throws(SystemError) {
        let file = try WebSession.temporaryFile()
        self.file = file
        path = file.pathInProcess
        format = .pcapng
    }

    /// Whether nobody shows it any more: the capture is to end.
    var isClosed: Bool { closed.withLock { $0 } }

    /// Nobody shows it any more.
    func close() { closed.withLock { $0 = true } }

    /// Whether nothing more is recorded.
    var isOver: Bool { hasEnded.withLock { $0 } }

    /// Nothing more is recorded.
    func end() { hasEnded.withLock { $0 = true } }
}

/// The packets of a capture in the background, from the first one on: a live one as they come, as far as the index has.
final class IndexedSource: PacketSource {
    let name: String
    let isSeekable: Bool
    private let reader: CaptureReader
    private let index: CaptureIndex
    private var delivered = 0

    init(_ index: CaptureIndex) throws {
        reader = try CaptureReader(path: index.path)
        self.index = index
        name = index.path
        isSeekable = index.progress.learned != nil
    }

    func next() async throws -> PacketBatch? {
        while !Task.isCancelled {
            let progress = index.progress
            if delivered < progress.packets {
                let position = reader.position
                if let batch = try? reader.next() {
                    delivered += batch.packets.count
                    return batch
                }
                try reader.move(to: position)
            }
            if progress.learned != nil || progress.state != .running { return nil }
            try await Task.sleep(for: .milliseconds(50))
        }
        return nil
    }

    func reuse(_ batch: consuming PacketBatch) { reader.reuse(batch) }
    func rewind() throws { try reader.rewind() }
    func limitBatches(to bytes: Int) { reader.limitBatches(to: bytes) }
}

extension CaptureIndex {
    /// The packets for a job: of a file when it is known what its devices are, of a live capture as they come.
    func makeSource() async throws -> IndexedSource {
        await waitUntilReadable()
        try Task.checkCancellation()
        return try IndexedSource(self)
    }
}
