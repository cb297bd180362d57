import Bytes
import Captures
import PDUTestKit
import Testing

private typealias Build = CaptureBuilder

/// What a host's line carries: commands and ACL data.
private let sent: [[UInt8]] = [
    Build.reset, hex("01 0520 06 010203040506"), Build.notification, hex("01 0a20 01 01"),
    hex("02 4000 0700 0300 0400 0a 0300"), hex("01 0c20 02 0100"), Build.notification, Build.reset,
]

private func read(_ dump: [UInt8], chunkSize: Int = 256 * 1024) throws(CaptureError) -> ReadCapture {
    try ReadCapture(CaptureReader(source: ByteSource(bytes: dump, name: "test", chunkSize: chunkSize), as: .h4))
}

@Suite("dump of H4") struct H4DumpTests {
    @Test(arguments: [1, 7, 256 * 1024]) func packetsFollowEachOther(chunkSize: Int) throws {
        let capture = try read(sent.flatMap(\.self), chunkSize: chunkSize)
        #expect(capture.format == .h4Dump)
        #expect(capture.bytes == sent)
        #expect(capture.packets.map(\.time.nanoseconds) == (0..<8).map { $0 * 1000 })
        #expect(capture.packets.allSatisfy { $0.direction == .sent && $0.encapsulation == .h4 && $0.drops == 0 })
        #expect(capture.warnings.isEmpty)
    }

    @Test func theFirstCommandOrEventTellsTheDirection() throws {
        let data = Build.notification
        let received = try read(data + Build.resetComplete + data)
        #expect(received.packets.map(\.direction) == [.unknown, .received, .received])
        // Both lines in one file.
        let both = try read(Build.reset + data + Build.resetComplete + data)
        #expect(both.packets.map(\.direction) == [.sent, .sent, .received, .unknown])
    }

    @Test(arguments: [1, 7, 256 * 1024]) func damageCostsThePacketsThatItTouches(chunkSize: Int) throws {
        let dump = sent.flatMap(\.self)
        let ends = sent.indices.map { index in sent[...index].reduce(0) { $0 + $1.count } }
        for offset in dump.indices {
            for change in [[], [dump[offset], dump[offset]], [dump[offset], 0xEE, 0xEE, 0xEE]] as [[UInt8]] {
                var damaged = dump
                damaged.replaceSubrange(offset...offset, with: change)
                let capture = try read(damaged, chunkSize: chunkSize)
                let touched = try #require(ends.firstIndex { offset < $0 })
                // Two packets follow each other before reading resumes; the first of all shows no direction.
                for (index, packet) in sent.enumerated() where abs(index - touched) > 1 && index < 6 {
                    #expect(capture.bytes.contains(packet), "\(offset) \(change)")
                }
                // Fewer than three packets after the damaged one are not enough to resume.
                #expect(capture.packets.count >= sent.count - 3, "\(offset) \(change)")
            }
        }
    }

    @Test func skippedBytesAreCounted() throws {
        let noise = [UInt8](repeating: 0xEE, count: 1000)
        let dump = hex("00ff") + sent.flatMap(\.self) + noise + sent.flatMap(\.self) + hex("0909")
        let start = 2 + sent.flatMap(\.self).count
        for chunkSize in [1, 64, 256 * 1024] {
            let capture = try read(dump, chunkSize: chunkSize)
            #expect(capture.bytes == sent + sent)
            #expect(
                capture.warnings.map(\.description) == [
                    "test: offset 0: 2 bytes are no H4 packets; they were skipped",
                    "test: offset \(start): 1000 bytes are no H4 packets; they were skipped",
                    "test: offset \(dump.count - 2): 2 bytes are no H4 packets; they were skipped",
                ])
            #expect(capture.packets.indices.filter { capture.packets[$0].followsDrop } == [0, 8])
        }
    }

    @Test(arguments: [1, 256 * 1024]) func truncationAtEveryByteKeepsTheWholePackets(chunkSize: Int) throws {
        let dump = sent.flatMap(\.self)
        for count in 1...dump.count {
            var (whole, end) = (0, 0)
            while whole < sent.count, end + sent[whole].count <= count {
                end += sent[whole].count
                whole += 1
            }
            do throws(CaptureError) {
                let capture = try read(Array(dump[..<count]), chunkSize: chunkSize)
                #expect(capture.bytes == Array(sent.prefix(whole)))
                #expect(capture.warnings.isEmpty == (end == count))
            } catch {
                #expect(whole == 0)
            }
        }
    }

    @Test func bytesWithoutPacketsAreNoDump() {
        for bytes in [[UInt8](repeating: 0xEE, count: 100_000), [0x81], [1]] as [[UInt8]] {
            #expect(throws: CaptureError.self) { try read(bytes) }
        }
    }
}
