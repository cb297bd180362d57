import Bytes
import Captures
import Foundation
import PDUTestKit
import Testing

@testable import Archives

/// The text of a bug report with a btsnooz log, built by hand: records, zlib's stored blocks, base64.
struct BugReport {
    var version: UInt8 = 2
    /// Whether a record has 8 bytes of time, as in LineageOS.
    var isWide = false
    /// Time of the last record in microseconds since 1970.
    var last = UInt64(CaptureBuilder.time)
    /// Type, time since the record before, bytes that the phone kept, and how many there were.
    var records: [(type: UInt8, delta: UInt32, kept: [UInt8], whole: Int)]

    var text: [UInt8] {
        let body = records.flatMap { record in
            CaptureBuilder.integer(UInt16(record.kept.count + 1), .littleEndian)
                + (version == 2 ? CaptureBuilder.integer(UInt16(record.whole + 1), .littleEndian) : [])
                + CaptureBuilder.integer(record.delta, .littleEndian) + (isWide ? [0, 0, 0, 0] : [])
                + [record.type] + record.kept
        }
        let log = [version] + CaptureBuilder.integer(last, .littleEndian) + Self.zlib(body)
        let lines = Data(log).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return Array(
            """
            ========================================================
            == dumpstate: 2026-03-01 12:00:00
            ========================================================
            --- a line
            --- BEGIN:BTSNOOP_LOG_SUMMARY (\(log.count) bytes in) ---
            \(lines)
            --- END:BTSNOOP_LOG_SUMMARY ---
            more

            """.utf8)
    }

    /// zlib data of one stored block (RFC 1950, RFC 1951 3.2.4).
    private static func zlib(_ bytes: [UInt8]) -> [UInt8] {
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            a = (a + UInt32(byte)) % 65521
            b = (b + a) % 65521
        }
        let length = UInt16(bytes.count)
        return [0x78, 0x01, 0x01] + CaptureBuilder.integer(length, .littleEndian)
            + CaptureBuilder.integer(~length, .littleEndian) + bytes
            + CaptureBuilder.integer(b << 16 | a, .bigEndian)
    }

    /// HCI Reset, its response, and an ACL packet of which the phone has kept 14 bytes.
    static func sample(version: UInt8) -> BugReport {
        let acl = hex("4020 2000 1c00 0400 1b 1b00") + [UInt8](repeating: 7, count: 25)
        return BugReport(
            version: version,
            records: [
                (0x20, 0, hex("030c00"), 3), (0x10, 500_000, hex("0e04 01 030c 00"), 6),
                (0x11, 1_000_000, Array(acl[..<14]), acl.count), (0x21, 2_000_000, hex("4020 0500 0100 0400 0a"), 9),
            ])
    }
}

@Suite("btsnooz") struct BugReportTests {
    @Test(arguments: [1, 2] as [UInt8]) func theLogIsRead(version: UInt8) throws {
        let builder = try ArchiveBuilder()
        try builder.write("bugreport.txt", BugReport.sample(version: version).text)
        let file = try builder.open("bugreport.txt")
        #expect(file.source.name == builder.path("bugreport.txt") + "/BTSNOOP_LOG_SUMMARY")
        let found = try #require(file.search?.found.first)
        #expect(found.packets == 4)
        #expect(found.cutPackets == 1)
        #expect(found.missing == nil)
        let batch = try #require(try CaptureReader(source: file.source).next())
        #expect(batch.packets.map(\.direction) == [.sent, .received, .received, .sent])
        // The last record's time is that of the header; each record has the time since the one before.
        #expect(
            batch.packets.map { (CaptureBuilder.time * 1000 - $0.time.nanoseconds) / 1_000_000 } == [
                3500, 3000, 2000, 0,
            ])
        #expect(batch.packets.map(\.count) == [4, 7, 15, 10])
        #expect(batch.packets.map(\.originalLength) == [4, 7, 37, 10])
        #expect(Array(batch.bytes(of: batch.packets[1])) == CaptureBuilder.resetComplete)
    }

    @Test func recordsMayHaveEightBytesOfTime() throws {
        let builder = try ArchiveBuilder()
        var report = BugReport.sample(version: 2)
        try builder.write("bugreport.txt", report.text)
        report.isWide = true
        try builder.write("wide.txt", report.text)
        let (narrow, wide) = (try readAll(builder.open("bugreport.txt")), try readAll(builder.open("wide.txt")))
        #expect(wide.packets.count == 4)
        #expect(wide.bytes == narrow.bytes)
        #expect(wide.packets.map(\.time) == narrow.packets.map(\.time))
    }

    @Test(.libarchive) func theTextMayBeInAnArchive() throws {
        let builder = try ArchiveBuilder()
        try builder.write("bugreport.txt", BugReport.sample(version: 2).text)
        try builder.write("FS/data/misc/bluetooth/logs/btsnoop_hci.log", makeLog(packets: 3))
        try builder.run("tar", "-cf", "a.tar", "bugreport.txt", "FS")
        let file = try builder.open("a.tar", member: "BTSNOOP_LOG_SUMMARY")
        #expect(file.search?.found.map(\.packets) == [4, 3])
        #expect(try CaptureReader(source: file.source).next()?.packets.count == 4)
        // A log of which much is cut is not the best.
        #expect(try builder.open("a.tar").source.name.hasSuffix("btsnoop_hci.log"))
    }

    /// AOSP's script reads the log to the same packets. It takes base64 from a pipe and writes btsnoop, in whose records it
    /// leaves out the flag of commands and events.
    @Test(.enabled(if: script != nil, "GATTBENCH_BTSNOOZ names no btsnooz.py of AOSP"), arguments: [1, 2] as [UInt8])
    func theScriptOfAndroidAgrees(version: UInt8) throws {
        let builder = try ArchiveBuilder()
        var report = BugReport.sample(version: version)
        for number in 0..<200 {
            let length = number % 50
            let event = [0x3E, UInt8(length)] + [UInt8](repeating: UInt8(number), count: length)
            report.records.append((0x10, UInt32(number) * 7_000_001, event, event.count))
        }
        try builder.write("bugreport.txt", report.text)
        let command = "sed '1,/BEGIN:BTSNOOP_LOG_SUMMARY/d; /END:BTSNOOP_LOG_SUMMARY/,$d' bugreport.txt"
        try builder.run("sh", "-c", "\(command) | python3 \"$0\" > script.btsnoop", try #require(Self.script))
        let (own, its) = (try readAll(builder.open("bugreport.txt")), try readAll(builder.open("script.btsnoop")))
        #expect(own.packets.count == 204)
        #expect(own.bytes == its.bytes)
        #expect(own.packets.map(\.time) == its.packets.map(\.time))
        #expect(own.packets.map(\.direction) == its.packets.map(\.direction))
        // Version 1 has no original lengths: the script states the kept bytes, gattbench what the packet's header states.
        if version == 2 { #expect(own.packets.map(\.originalLength) == its.packets.map(\.originalLength)) }
    }

    private static let script = ProcessInfo.processInfo.environment["GATTBENCH_BTSNOOZ"]

    private func readAll(_ file: CaptureFile) throws -> (packets: [CapturedPacket], bytes: [[UInt8]]) {
        let reader = try file.reader()
        var packets: [CapturedPacket] = []
        var bytes: [[UInt8]] = []
        while let batch = try reader.next() {
            packets += batch.packets
            bytes += batch.packets.map { Array(batch.bytes(of: $0)) }
        }
        return (packets, bytes)
    }

    @Test func aCutTextGivesTheWholeRecords() throws {
        let builder = try ArchiveBuilder()
        let text = BugReport.sample(version: 2).text
        var counts = Set<Int>()
        for length in 0..<text.count {
            try builder.write("cut.txt", Array(text[..<length]))
            guard let file = try? builder.open("cut.txt"), let found = file.search?.found.first else { continue }
            let isWhole = found.missing == nil
            #expect(isWhole == (found.packets == 4) || found.packets == 4)
            #expect(file.source.name.hasSuffix("BTSNOOP_LOG_SUMMARY"))
            counts.insert(found.packets)
        }
        #expect(counts == [1, 2, 3, 4])
    }

    @Test func aTextWithoutALogIsNoCapture() throws {
        let builder = try ArchiveBuilder()
        try builder.write("a.txt", Array("BTSNOOP, but no log\n".utf8))
        let source = try builder.open("a.txt").source
        let error = #expect(throws: CaptureError.self) { try CaptureReader(source: source) }
        #expect(error?.kind == .notACapture)
    }

    @Test(arguments: [0, 3, 255] as [UInt8]) func anUnknownVersionIsNamed(version: UInt8) throws {
        let builder = try ArchiveBuilder()
        try builder.write("a.txt", BugReport.sample(version: version).text)
        let error = #expect(throws: CaptureError.self) { try builder.open("a.txt") }
        #expect(error?.finding.text.contains("version \(version) where version 1 or 2") == true)
    }
}
