import Bytes
import Captures
import Synchronization
import Workbench

/// A live capture, recorded to a file that is read while it grows.
final class LiveSource: Sendable {
    let path: String
    let format: CaptureFormat
    /// The unnamed recording file, if the user names none.
    private let file: FileDescriptor?
    private let hasEnded = Mutex(false)
    private let closed = Mutex(false)

    /// Records to a file named by the user, in the format implied by its name.
    init(path: String) throws(CaptureError) {
        self.path = path
        format = try CaptureFormat(ofRecording: path)
        file = nil
    }

    /// Records to an unnamed file.
    init() throws(SystemError) {
        let file = try WebSession.temporaryFile()
        self.file = file
        path = file.pathInProcess
        format = .pcapng
    }

    /// Whether its tab was closed, so that the capture is to end.
    var isClosed: Bool { closed.withLock { $0 } }

    /// Ends the capture, because its tab was closed.
    func close() { closed.withLock { $0 = true } }

    var isOver: Bool { hasEnded.withLock { $0 } }

    func end() { hasEnded.withLock { $0 = true } }
}

/// The packets of a capture for a background job, from the first one on: live ones as far as the index has read.
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
    /// The packets for a job: of a file once its devices are known, of a live capture as they arrive.
    func makeSource() async throws -> IndexedSource {
        await waitUntilReadable()
        try Task.checkCancellation()
        return try IndexedSource(self)
    }
}
