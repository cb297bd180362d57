import Bytes
import Captures
import Glibc
import PDUTestKit
import Synchronization
import TestKit
import Testing
import Transports
import Workbench

/// A capture with a number of packets, which then idles or ends.
private final class CountedCapture: LiveCapture {
    let name = "counted"
    let encapsulation: Encapsulation? = .h4
    let canWait: Bool
    let lost: Int
    private let count: Int
    private let ends: Bool

    init(_ count: Int, ends: Bool = true, lost: Int = 0, canWait: Bool = true) {
        self.count = count
        self.canWait = canWait
        self.ends = ends
        self.lost = lost
    }

    /// Packet `number`: a vendor event that contains the number.
    static func packet(_ number: Int) -> [UInt8] { [4, 0xFF, 2, UInt8(number & 0xFF), UInt8(number >> 8 & 0xFF)] }

    func run(_ sink: CaptureSink) throws {
        for number in 1...max(1, count) where count > 0 {
            var batch = PacketBatch()
            batch.append(
                h4: Self.packet(number), direction: .received, number: number,
                time: Timestamp(nanoseconds: 1_772_366_400_000_000_000 + Int64(number)))
            guard try sink.take(batch) else { return }
        }
        // Polls like a device; the test may wait long for its turn.
        while try !ends && sink.take(PacketBatch()) { usleep(1000) }
    }
}

/// Live traffic as a source of packets, and its recording.
@Suite struct LiveFeedTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The numbers of the packets passed on, and the summary.
    private func follow(
        _ capture: CountedCapture, _ options: LiveOptions = LiveOptions(),
        isInterrupted: @escaping @Sendable () -> Bool = { false }
    ) async throws -> (numbers: [Int], summary: LiveFeed.Summary) {
        let feed = try LiveFeed(capture, options, isInterrupted: isInterrupted, report: { _ in })
        var numbers: [Int] = []
        while let batch = try await feed.next() { numbers += batch.packets.map(\.number) }
        return (numbers, try await feed.end())
    }

    /// Bytes of the packets in a capture file.
    private func packets(_ path: String) throws -> [[UInt8]] {
        let reader = try CaptureReader(path: path)
        var packets: [[UInt8]] = []
        while let batch = try reader.next() { packets += batch.packets.map { Array(batch.bytes(of: $0)) } }
        return packets
    }

    @Test func everyPacketComesThroughInOrder() async throws {
        let (numbers, summary) = try await follow(CountedCapture(5000, lost: 3))
        #expect(numbers == Array(1...5000))
        #expect(summary.packets == 5000)
        #expect(summary.lost == 3)
    }

    @Test func itStopsAfterSoManyPackets() async throws {
        var options = LiveOptions()
        options.packetLimit = 7
        options.recording = try RecordingOptions(path: folder.path("seven.btsnoop"))
        let (numbers, _) = try await follow(CountedCapture(100, ends: false), options)
        #expect(numbers == Array(1...7))
        #expect(try packets(folder.path("seven.btsnoop")).count == 7)
    }

    @Test func itStopsAfterItsTime() async throws {
        var options = LiveOptions()
        try options.applyStop("duration:0.01")
        #expect(try await follow(CountedCapture(3, ends: false), options).numbers.count <= 3)
    }

    @Test func anInterruptionLeavesAWholeFile() async throws {
        var options = LiveOptions()
        options.recording = try RecordingOptions(path: folder.path("interrupted.pcapng"))
        let asked = Flag()
        let feed = try LiveFeed(
            CountedCapture(20, ends: false), options, isInterrupted: { asked.isSet }, report: { _ in })
        var count = 0
        while let batch = try await feed.next() {
            count += batch.packets.count
            if count == 20 { asked.set() }
        }
        _ = try await feed.end()
        #expect(
            try packets(folder.path("interrupted.pcapng")).map { Array($0.suffix(5)) }
                == (1...20).map(CountedCapture.packet))
    }

    /// The system buffers packets not fetched yet, and the writer of a stream buffers unread ones.
    @Test(arguments: [(false, 20), (true, 1)])
    func anInterruptionLosesNothingThatWentByBefore(canWait: Bool, count: Int) async throws {
        let (numbers, _) = try await follow(
            CountedCapture(20, ends: false, canWait: canWait), isInterrupted: { true })
        #expect(numbers == Array(1...count))
    }

    @Test func whoStopsReadingEndsTheCapture() async throws {
        var options = LiveOptions()
        options.recording = try RecordingOptions(path: folder.path("unread.btsnoop"))
        let feed = try LiveFeed(CountedCapture(10, ends: false), options, isInterrupted: { false }, report: { _ in })
        _ = try await feed.next()
        let summary = try await feed.end()
        #expect(try packets(folder.path("unread.btsnoop")).count == summary.packets)
    }

    @Test func aRingKeepsTheNewestFiles() async throws {
        var options = LiveOptions()
        options.recording = try RecordingOptions(
            path: folder.path("ring.btsnoop"), switching: ["filesize:1", "files:2"])
        let (_, summary) = try await follow(CountedCapture(200), options)
        #expect(summary.packets == 200)
        let names = try folder.names
        #expect(names.count == 2)
        let kept = try names.flatMap { try packets(folder.path($0)) }
        #expect(kept == ((201 - kept.count)...200).map(CountedCapture.packet))
        #expect(names.allSatisfy { $0.wholeMatch(of: /ring_000\d\d_\d{14}\.btsnoop/) != nil })
    }

    @Test func filesFollowOneAnotherWithoutALoss() async throws {
        var options = LiveOptions()
        options.recording = try RecordingOptions(path: folder.path("all.pcapng"), switching: ["filesize:1"])
        _ = try await follow(CountedCapture(100), options)
        let names = try folder.names
        #expect(names.count > 3)
        #expect(
            try names.flatMap { try packets(folder.path($0)) }.map { Array($0.suffix(5)) }
                == (1...100).map(CountedCapture.packet))
    }

    @Test func aFileThatCannotBeMadeIsToldAtOnce() throws {
        var options = LiveOptions()
        options.recording = try RecordingOptions(path: folder.path("missing/x.btsnoop"))
        #expect(throws: CaptureError.self) {
            try LiveFeed(CountedCapture(1), options, isInterrupted: { false }, report: { _ in })
        }
    }

    @Test(arguments: ["duration", "duration:", "duration:-1", "duration:x", "packets:3"])
    func aStopThatSaysNothingIsRefused(option: String) {
        var options = LiveOptions()
        #expect(throws: LiveOptionError.self) { try options.applyStop(option) }
    }

    @Test(arguments: [["filesize:0"], ["files:0", "filesize:1"], ["files:3"], ["duration:3"], ["filesize"]])
    func aSwitchThatSaysNothingIsRefused(options: [String]) {
        #expect(throws: LiveOptionError.self) { try RecordingOptions(path: "a.pcap", switching: options) }
    }

    private final class Flag: Sendable {
        private let value = Mutex(false)
        var isSet: Bool { value.withLock { $0 } }
        func set() { value.withLock { $0 = true } }
    }
}
