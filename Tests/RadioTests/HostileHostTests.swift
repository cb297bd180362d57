import Bluetooth
import Bytes
import PDUTestKit
import Radio
import Testing
import Transports

/// Hosts that send arbitrary packets.
@Suite struct HostileHostTests {
    /// Valid commands, to be mutated.
    private static let commands = [
        "01 03 0C 00", "01 01 0C 08 FF FF FF FF FF FF FF FF", "01 01 20 08 FF FF FF FF FF FF FF FF",
        "01 05 20 06 01 00 00 00 00 C0", "01 06 20 0F 20 00 20 00 00 00 00 00 00 00 00 00 00 07 00", "01 0A 20 01 01",
        "01 0B 20 07 01 10 00 10 00 00 00", "01 0C 20 02 01 00",
        "01 0D 20 19 10 00 10 00 00 00 02 00 00 00 42 02 00 18 00 28 00 00 00 64 00 00 00 00 00", "01 0E 20 00",
        "01 11 20 07 00 02 00 00 00 42 02", "01 13 20 0E 40 00 08 00 10 00 01 00 64 00 00 00 00 00",
        "01 14 20 05 FF FF FF FF 1F", "01 16 20 02 40 00",
        "01 19 20 1C 40 00 00 00 00 00 00 00 00 00 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10",
        "01 1A 20 12 40 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10", "01 1B 20 02 40 00",
        "01 20 20 0E 40 00 08 00 10 00 01 00 64 00 00 00 00 00", "01 22 20 06 40 00 FB 00 48 08",
        "01 27 20 27 00 02 00 00 00 42 02 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 01 02 03 04 05 06 07 08 09 0A "
            + "0B 0C 0D 0E 0F 10",
        "01 2D 20 01 01", "01 32 20 07 40 00 00 02 02 00 00",
        "01 36 20 19 00 01 00 20 00 00 20 00 00 07 00 00 00 00 00 00 00 00 00 7F 01 00 02 05 01",
        "01 37 20 07 00 03 01 03 02 01 06", "01 39 20 06 01 01 00 00 00 00",
        "01 41 20 08 00 00 01 01 10 00 10 00", "01 42 20 06 01 00 00 00 00 00",
        "01 43 20 1A 00 00 00 02 00 00 00 42 02 01 10 00 10 00 18 00 28 00 00 00 64 00 00 00 00 00",
        "01 06 04 03 40 00 13", "01 1D 04 02 40 00", "02 40 00 03 00 01 02 03", "02 41 10 03 00 01 02 03",
    ].map { hex($0) }

    /// Controllers after 5000 packets of such hosts.
    private func bed(seed: UInt64, path: Path, recordsAir: Bool = false) -> TestBed {
        var bed = TestBed(3, seed: seed, pace: seed.isMultiple(of: 2) ? .air : .immediate, path: path)
        if recordsAir { bed.radio.recordAir() }
        var random = SplitMix64(seed: seed)
        for _ in 0..<5000 {
            guard var packet = Self.commands.randomElement(using: &random) else { return bed }
            if Int.random(in: 0..<3, using: &random) == 0 {
                packet[Int.random(in: 0..<packet.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            bed.send(Int.random(in: 0..<3, using: &random), raw: packet)
            if Int.random(in: 0..<4, using: &random) == 0 { bed.pass(Int64.random(in: 1...60, using: &random)) }
        }
        return bed
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func doNoHarm(seed: UInt64) {
        let bed = bed(seed: seed, path: Path(loss: 0.05))
        var framer = H4Framer()
        #expect(bed.output.allSatisfy { framer.take($0.packet) == [.packet($0.packet)] })
        #expect(bed.output.count > 4000)
        #expect(bed.radio.scheduledEvents < 5000)
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64], [Path(), Path(loss: 0.05)])
    func areRecordedOnTheAirWithoutAnEffect(seed: UInt64, path: Path) {
        var bed = bed(seed: seed, path: path, recordsAir: true)
        #expect(bed.output == self.bed(seed: seed, path: path).output)
        let packets = bed.radio.finishAir()
        #expect(packets.count > 100)
        #expect(packets.allSatisfy { Int($0.pdu[1]) == $0.pdu.count - 2 && $0.channel.rawValue < 40 })
        #expect(zip(packets, packets.dropFirst()).allSatisfy { $0.time <= $1.time })
    }

    @Test func whoStartsOverAndOverAgainFillsNoMemory() throws {
        var bed = TestBed(2)
        let (central, _) = try bed.connected()
        for round in 0..<20_000 {
            bed.send(0, 0x041D, ["connection_handle": .number(UInt64(central.rawValue))])
            if round % 10 == 0 { bed.pass(30) }
        }
        #expect(bed.radio.scheduledEvents < 10_000)
    }
}
