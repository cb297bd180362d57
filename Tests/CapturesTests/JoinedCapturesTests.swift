import Bytes
import Captures
import PDUTestKit
import Testing

private typealias Build = CaptureBuilder

/// A reader of a btsnoop file with packets at these seconds.
private func log(_ name: String, _ seconds: [Int64]) throws -> CaptureReader {
    let records = seconds.map { Build.btsnoopRecord(Build.reset, flags: 2, time: Build.time + $0 * 1_000_000) }
    return try CaptureReader(source: ByteSource(bytes: Build.btsnoop(1002, records), name: name, chunkSize: 100))
}

private func numbersAndSeconds(_ captures: JoinedCaptures) throws -> [[Int64]] {
    var packets: [[Int64]] = []
    while let batch = try captures.next() {
        packets += batch.packets.map { [Int64($0.number), ($0.time.nanoseconds / 1000 - Build.time) / 1_000_000] }
        captures.reuse(batch)
    }
    return packets
}

@Suite("captures read as one") struct JoinedCapturesTests {
    @Test func theyFollowEachOtherInTime() throws {
        let captures = try JoinedCaptures([
            log("btsnoop_hci.log", [9, 10, 11, 12, 13, 14]), log("empty", []), log("btsnoop_hci.log.2", [0, 1]),
            log("btsnoop_hci.log.1", [4, 5, 6]),
        ])
        #expect(captures.readers.map(\.file) == ["empty", "btsnoop_hci.log.2", "btsnoop_hci.log.1", "btsnoop_hci.log"])
        #expect(captures.name == "empty and 3 more")
        let expected: [[Int64]] = [
            [1, 0], [2, 1], [3, 4], [4, 5], [5, 6], [6, 9], [7, 10], [8, 11], [9, 12], [10, 13], [11, 14],
        ]
        #expect(try numbersAndSeconds(captures) == expected)
        #expect(captures.warnings.isEmpty)
        #expect(captures.isSeekable)
        try captures.rewind()
        #expect(try numbersAndSeconds(captures) == expected)
    }

    @Test func gapsAndOverlapsAreWarnedOf() throws {
        let captures = try JoinedCaptures([log("a", [0, 5]), log("b", [4, 6]), log("c", [100])])
        var packets: [CapturedPacket] = []
        while let batch = try captures.next() { packets += batch.packets }
        #expect(
            captures.warnings.map(\.description) == [
                "b: it begins before a ends: they overlap; packets in both are read twice, and times go backwards",
                "c: it begins 94 s after b ends; packets between them count as missing",
            ])
        #expect(packets.map(\.followsDrop) == [false, false, false, false, true])
    }

    @Test func formatsMayDifferAndOneMayBeCut() throws {
        let captures = try JoinedCaptures([
            CaptureReader(
                source: ByteSource(
                    bytes: Build.pcap(
                        187, [Build.pcapRecord(Build.reset), Build.pcapRecord(Build.reset, captured: .max)]),
                    name: "b")),
            log("a", [-5, -4]),
        ])
        #expect(captures.name == "a, b")
        #expect(try numbersAndSeconds(captures).map(\.[0]) == [1, 2, 3])
        #expect(captures.incompleteness?.file == "b")
        #expect(captures.readers.map(\.warnings.count) == [0, 1])
    }
}
