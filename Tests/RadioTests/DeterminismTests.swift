import Bluetooth
import Bytes
import Radio
import Testing

/// The same seed and input give the same output, and arbitrary input does no harm.
@Suite struct DeterminismTests {
    /// A conversation of three controllers with packet loss and many random choices.
    private func conversation(seed: UInt64) throws -> [Radio.Output] {
        var bed = TestBed(3, seed: seed, path: Path(loss: 0.05))
        bed.send(2, HCI.LESetScanParameters(type: 1, interval: 0x60, window: 0x30, ownType: .publicDevice))
        bed.send(2, HCI.LESetScanEnable(enable: true, filterDuplicates: false))
        bed.advertise(1, interval: 0xA0)
        bed.connect(0, to: 1)
        for round in 0..<200 {
            bed.pass(20)
            bed.sendData(0, 0x0040, [UInt8](repeating: UInt8(round), count: 40))
            bed.sendData(1, 0x0040, [UInt8(round)])
            bed.send(0, "01 18 20 00")
        }
        return bed.output
    }

    @Test func theSameSeedGivesTheSameBytesAtTheSameTimes() throws {
        let first = try conversation(seed: 42)
        #expect(first.count > 800)
        #expect(try conversation(seed: 42) == first)
        #expect(try conversation(seed: 43) != first)
    }

    @Test func timeGoesForwardInWhatComesOut() throws {
        let times = try conversation(seed: 7).map(\.time)
        #expect(times == times.sorted())
    }

    /// An hour of twenty advertisers and a scanner.
    @Test func anHourPassesQuickly() throws {
        var bed = TestBed(21)
        for index in 1...20 { bed.advertise(index, interval: 0x0640) }
        bed.send(0, HCI.LESetScanParameters(type: 0, interval: 0x60, window: 0x30, ownType: .publicDevice))
        bed.send(0, HCI.LESetScanEnable(enable: true, filterDuplicates: true))
        let clock = ContinuousClock()
        let took = clock.measure { bed.pass(3_600_000) }
        #expect(TestBed.events(HCI.LEAdvertisingReport.self, in: bed.take(0)).count == 20)
        #expect(took < .seconds(60))
    }

    /// Without a scanner, there is not even that work.
    @Test func aWeekOfAdvertisingToNobodyCostsNothing() throws {
        var bed = TestBed(2)
        bed.advertise()
        #expect(bed.radio.step(notAfter: bed.radio.now.advanced(nanoseconds: 7 * 86_400_000_000_000)) == nil)
        bed.send(0, HCI.LESetScanParameters(type: 0, interval: 0x10, window: 0x10, ownType: .publicDevice))
        bed.send(0, HCI.LESetScanEnable(enable: true, filterDuplicates: true))
        bed.pass(100)
        #expect(TestBed.events(HCI.LEAdvertisingReport.self, in: bed.take(0)).count == 1)
    }
}
