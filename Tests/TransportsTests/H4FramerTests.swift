import Bytes
import Testing
import Transports

/// Splitting a stream into packets.
@Suite struct H4FramerTests {
    private static let packets: [[UInt8]] = [
        [1, 0x03, 0x0C, 0], [4, 0x0E, 4, 1, 3, 0x0C, 0], [2, 0x40, 0x20, 3, 0, 7, 8, 9], [2, 0x40, 0x20, 0, 0],
        [3, 0x40, 0, 2, 1, 2], [5, 0x40, 0x20, 4, 0xC0, 1, 2, 3, 4], [4, 0xFF, 0],
        [2, 1, 0, 0x00, 0x02] + [UInt8](repeating: 5, count: 512),
    ]

    @Test(arguments: [1, 2, 3, 5, 7, 64, 4096])
    func piecesOfAnySizeGiveTheSamePackets(size: Int) {
        let stream = Self.packets.flatMap { $0 }
        var framer = H4Framer()
        var found: [H4Framer.Element] = []
        for start in stride(from: 0, to: stream.count, by: size) {
            found += framer.take(Array(stream[start..<min(start + size, stream.count)]))
        }
        #expect(found == Self.packets.map { .packet($0) })
        #expect(framer.pending == 0)
    }

    @Test func bytesThatBeginNoPacketArePassedOver() {
        var framer = H4Framer()
        let found = framer.take([0xFF, 0, 9, 1, 3, 0x0C, 0, 0x77])
        #expect(
            found == [
                .garbage(H4Framer.Garbage(count: 3, first: 0xFF)), .packet([1, 3, 0x0C, 0]),
                .garbage(H4Framer.Garbage(count: 1, first: 0x77)),
            ])
    }

    @Test func whatWaitsIsNeverMoreThanAPacket() {
        var framer = H4Framer()
        var random = SplitMix64(seed: 1)
        for _ in 0..<20_000 {
            _ = framer.take((0..<20).map { _ in UInt8.random(in: 0...255, using: &random) })
            #expect(framer.pending <= 65_540)
        }
    }

    @Test func aPacketIsCutWithItsHeader() {
        #expect(H4Framer.cut([4, 0x0E, 4, 1, 3, 0x0C, 0], to: 5) == [4, 0x0E, 2, 1, 3])
        #expect(H4Framer.cut([2, 0x40, 0x20, 3, 0, 7, 8, 9], to: 5) == [2, 0x40, 0x20, 0, 0])
        #expect(H4Framer.cut([2, 0x40, 0x20, 3, 0, 7, 8, 9], to: 4) == nil)
        #expect(H4Framer.cut([2, 0x40, 0x20, 3, 0, 7, 8, 9], to: 8) == nil)
        #expect(H4Framer.cut([9, 9, 9], to: 2) == nil)
    }
}
