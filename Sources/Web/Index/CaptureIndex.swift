import Bluetooth
import Bytes
import Captures
import Conversation
import Keys
import Synchronization
import Workbench

/// Random access to the packets of a capture within milliseconds: tracking checkpoints over a file, created in the
/// background.
///
/// A first pass counts the packets and identifies devices, like `decode` before it prints. Rows are available from its
/// first batch on, named by the packets before them. A second pass tracks values with that knowledge; after it, every
/// packet is decoded as `decode` prints it.
final class CaptureIndex: Sendable {
    let path: String
    /// Keeps the file at `path` open, if it has no name.
    private let file: FileDescriptor?
    let plugins: PluginSet
    /// Attribute tables named by the user.
    let tables: GATT.KnownTables
    /// Keys that encrypted packets are opened with.
    let keys: KeyRing
    /// The live capture that writes the file; nil for a complete file.
    private let source: LiveSource?
    private let content = Mutex(Content())
    private let windows = WindowCache()
    private let readers = Mutex<[IdleReader]>([])

    /// Number of capture bytes read at a time.
    static let chunkSize = 64 << 10
    /// Maximum number of idle readers kept open.
    private static let readerLimit = 4

    struct Content {
        var list = CheckpointList()
        var runs = PDURunList()
        /// Number of packets counted so far.
        var packets = 0
        var lastNumber = 0
        var start: Timestamp?
        /// The latest time so far; packets of a file may be out of order.
        var lastTime = Timestamp.earliest
        var bytesRead = 0
        var size: Int?
        var format = ""
        var learned: DecodeJob.Learned?
        /// Devices of a live capture so far.
        var devices: DeviceTable?
        var state = JobState.running
        var error: String?
        var warnings: [String] = []
        /// Incremented when windows become obsolete.
        var generation = 0

        /// Seconds from the first packet to the last.
        var duration: Double { start.map { max(0, (lastTime - $0).seconds) } ?? 0 }
    }

    init(
        path: String, keeping file: FileDescriptor? = nil, plugins: PluginSet, tables: GATT.KnownTables,
        keys: KeyRing, source: LiveSource?
    ) {
        self.path = path
        self.file = file
        self.plugins = plugins
        self.tables = tables
        self.keys = keys
        self.source = source
    }

    var progress: Content { content.withLock { $0 } }
    var packets: Int { content.withLock { $0.packets } }
    /// Result of the first pass; nil before its end.
    var learned: DecodeJob.Learned? { content.withLock { $0.learned } }
    /// Time of the first packet.
    var start: Timestamp { content.withLock { $0.start ?? .epoch } }

    /// Whether the file is still being recorded.
    var isLive: Bool { source.map { !$0.isOver } ?? false }

    // MARK: - Building

    /// Reads the capture in two passes.
    func build() async {
        do {
            let learned = try await pass(knowing: nil)
            guard !Task.isCancelled, let learned else { return content.withLock { $0.state = .cancelled } }
            content.withLock {
                $0.learned = learned
                $0.generation += 1
            }
            _ = try await pass(knowing: learned)
            content.withLock { $0.state = Task.isCancelled ? .cancelled : .complete }
        } catch {
            content.withLock {
                $0.state = .failed
                $0.error = "\(error)"
            }
        }
    }

    /// Reads the capture once; the first pass returns its result.
    private func pass(knowing learned: DecodeJob.Learned?) async throws -> DecodeJob.Learned? {
        let reader = try await open()
        reader.limitBatches(to: Self.chunkSize)
        var checkpoint = Checkpoint(
            position: reader.position,
            tracker: Tracker(imported: tables, plugins: learned == nil ? plugins : .none, keys: keys, record: .ends),
            application: learned?.application ?? ApplicationTracker(plugins))
        var list = CheckpointList()
        list.offer(checkpoint)
        if learned == nil {
            content.withLock {
                ($0.size, $0.format) = (reader.size, reader.format.name)
                $0.list = list
            }
        }
        var batch = TrackedBatch()
        while !Task.isCancelled {
            let isOver = source?.isOver ?? true
            let position = isOver ? nil : reader.position
            guard let packets = try next(of: reader) else {
                guard let position else { break }
                try await Task.sleep(for: .milliseconds(50))
                try reader.move(to: position)
                continue
            }
            batch.fill(packets)
            checkpoint.advance(over: &batch, knowing: learned)
            checkpoint.position = reader.position
            if learned == nil {
                checkpoint.application.learn(from: &batch, checkpoint.tracker.knowledge)
                note(batch, checkpoint, reader)
            } else {
                list.offer(checkpoint)
            }
            reader.reuse(batch.empty())
            await Task.yield()
        }
        guard learned == nil else {
            content.withLock {
                $0.list = list
                $0.generation += 1
            }
            return nil
        }
        if source == nil { content.withLock { $0.warnings = reader.warnings.map(\.description) } }
        checkpoint.tracker.finish()
        return DecodeJob.Learned(checkpoint.tracker.conclusion, checkpoint.application.restarted())
    }

    /// Opens the file. For a live capture, waits until the file has a header.
    private func open() async throws -> CaptureReader {
        while isLive, !Task.isCancelled {
            if let reader = try? CaptureReader(path: path) { return reader }
            try await Task.sleep(for: .milliseconds(50))
        }
        return try CaptureReader(path: path)
    }

    /// Waits until jobs can start: the file is open and, for a complete file, its devices are known.
    func waitUntilReadable() async {
        while progress.state == .running, isLive ? progress.format.isEmpty : learned == nil, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    /// The next packets; nil at the current end. A growing file may end within a record.
    private func next(of reader: CaptureReader) throws -> PacketBatch? {
        guard source != nil else { return try reader.next() }
        return try? reader.next()
    }

    private func note(_ batch: borrowing TrackedBatch, _ checkpoint: Checkpoint, _ reader: CaptureReader) {
        let (start, read) = (batch.start, reader.bytesRead)
        let latest = batch.metadata.reduce(Timestamp.earliest) { max($0, $1.packet.time) }
        let run = PDURun(batch, at: checkpoint.place.index - batch.metadata.count)
        content.withLock {
            $0.start = $0.start ?? start
            $0.packets = checkpoint.place.index
            $0.lastNumber = checkpoint.place.number
            $0.lastTime = max($0.lastTime, latest)
            $0.bytesRead = read
            if source != nil { ($0.size, $0.devices) = (read, checkpoint.tracker.devices) }
            $0.list.offer(checkpoint)
            if let run { $0.runs.append(run) }
        }
    }

    // MARK: - Finding packets

    /// The window that contains the packet at an index; nil past the end.
    func window(at index: Int) throws -> PacketWindow? {
        guard index < packets else { return nil }
        return try window(after: { $0.index <= index }, until: { $0.range.upperBound > index })
    }

    /// The window that contains the first packet numbered `number` or higher; nil if there is none.
    func window(atNumber number: Int) throws -> PacketWindow? {
        try window(after: { $0.number < number }, until: { $0.lastNumber >= number })
    }

    /// The packet with a number, as its window and its index in the window; nil if there is none.
    func packet(number: Int) throws -> (window: PacketWindow, place: Int)? {
        guard let window = try window(atNumber: number) else { return nil }
        let place = window.offset(ofNumber: number)
        guard place < window.batch.metadata.count, window.batch.metadata[place].packet.number == number else {
            return nil
        }
        return (window, place)
    }

    /// The next window; nil at the end.
    func window(after window: PacketWindow) throws -> PacketWindow? {
        let end = window.range.upperBound
        return try self.window(at: end)
    }

    /// The previous window; nil at the beginning.
    func window(before window: PacketWindow) throws -> PacketWindow? {
        window.range.lowerBound > 0 ? try self.window(at: window.range.lowerBound - 1) : nil
    }

    /// The first window accepted by `contains`, searching from the last state that satisfies `isBefore`.
    private func window(
        after isBefore: (Place) -> Bool, until contains: (PacketWindow) -> Bool
    ) throws -> PacketWindow? {
        let (checkpoint, learned, generation, packets) = content.withLock {
            ($0.list.last(where: isBefore), $0.learned, $0.generation, $0.packets)
        }
        if let known = windows.first(generation, after: isBefore, where: contains) { return known }
        guard let checkpoint else { return nil }
        var state = windows.latest(generation, before: isBefore, than: checkpoint) ?? checkpoint
        let reader = try takeReader()
        defer { giveBack(reader) }
        try reader.move(to: state.position)
        while state.place.index < packets, let next = try next(of: reader) {
            let before = state.place
            let batch = state.advance(over: next, reader, knowing: learned)
            let window = PacketWindow(after: before, batch: batch, end: state)
            guard contains(window) else { continue }
            windows.keep(window, generation)
            return window
        }
        return nil
    }

    /// A reader that is not in use.
    private struct IdleReader: @unchecked Sendable {
        let reader: CaptureReader
    }

    private func takeReader() throws -> CaptureReader {
        if let idle = readers.withLock({ $0.popLast() }) { return idle.reader }
        let reader = try CaptureReader(path: path)
        reader.limitBatches(to: Self.chunkSize)
        return reader
    }

    private func giveBack(_ reader: CaptureReader) {
        let idle = IdleReader(reader: reader)
        readers.withLock { if $0.count < Self.readerLimit { $0.append(idle) } }
    }

    /// Runs of connection PDUs among the packets counted so far.
    var runs: [PDURun] { content.withLock { $0.runs.runs } }
}
