import Bluetooth
import PDUTestKit
import Radio
import Testing

/// Advertising and scanning with legacy commands.
@Suite struct LegacyAdvertisingTests {
    private func scan(_ bed: inout TestBed, active: Bool, filter: Bool, policy: UInt8 = 0, window: UInt16 = 0x10) {
        bed.send(
            0,
            HCI.LESetScanParameters(
                type: active ? 1 : 0, interval: 0x10, window: window, ownType: .publicDevice, filterPolicy: policy))
        bed.send(0, HCI.LESetScanEnable(enable: true, filterDuplicates: filter))
    }

    private func reports(_ bed: inout TestBed) -> [HCI.LEAdvertisingReport.Report] {
        TestBed.events(HCI.LEAdvertisingReport.self, in: bed.take(0)).flatMap(\.reports)
    }

    @Test func aPassiveScannerHearsEachEvent() throws {
        var bed = TestBed(2)
        bed.advertise(interval: 0xA0)
        scan(&bed, active: false, filter: false)
        bed.pass(10_000)
        let reports = reports(&bed)
        // 100 ms plus 0 to 10 ms between events.
        #expect((90...101).contains(reports.count))
        let report = try #require(reports.first)
        #expect(report.eventType == 0)
        #expect(report.addressType == .publicDevice)
        #expect(report.address == TestBed.address(1))
        #expect(report.data == [2, 1, 6])
        #expect((-54 ... -46).contains(report.rssi))
    }

    @Test func anActiveScannerHearsTheResponse() {
        var bed = TestBed(2)
        bed.advertise()
        scan(&bed, active: true, filter: true)
        bed.pass(1000)
        let reports = reports(&bed)
        #expect(reports.map(\.eventType) == [0, 4])
        #expect(reports.last?.data == [3, 9, 0x41, 0x42])
    }

    @Test func duplicatesComeAgainAfterScanningBeginsAnew() {
        var bed = TestBed(2)
        bed.advertise()
        scan(&bed, active: false, filter: true)
        bed.pass(500)
        #expect(reports(&bed).count == 1)
        bed.send(0, HCI.LESetScanEnable(enable: false, filterDuplicates: false))
        bed.send(0, HCI.LESetScanEnable(enable: true, filterDuplicates: true))
        bed.pass(500)
        #expect(reports(&bed).count == 1)
    }

    @Test func halfAWindowHearsHalf() {
        var bed = TestBed(2)
        bed.advertise(interval: 0x20)
        scan(&bed, active: false, filter: false, window: 8)
        bed.pass(20_000)
        // One event every 25 ms on average.
        #expect((320...480).contains(reports(&bed).count))
    }

    @Test func onlyWhoIsOnTheListIsHeard() {
        var bed = TestBed(3)
        bed.advertise(1)
        bed.advertise(2)
        bed.send(0, 0x2011, ["le_address_type": 0, "bd_addr": .number(TestBed.address(2).value)])
        scan(&bed, active: false, filter: true, policy: 1)
        bed.send(0, 0x2010)
        #expect(bed.status(0) == .commandDisallowed)
        bed.pass(500)
        #expect(reports(&bed).map(\.address) == [TestBed.address(2)])
    }

    @Test(arguments: [(0 as UInt8, 0 as UInt8, 2), (2, 2, 2), (3, 3, 1)])
    func theKindOfAdvertisingIsReported(type: UInt8, eventType: UInt8, count: Int) {
        var bed = TestBed(2)
        bed.advertise(type: type)
        scan(&bed, active: true, filter: true)
        bed.pass(500)
        let reports = reports(&bed)
        #expect(reports.first?.eventType == eventType)
        #expect(reports.count == count)
    }

    @Test func nobodyHearsWhoIsOutOfRange() {
        var bed = TestBed(2, path: .outOfRange)
        bed.advertise()
        scan(&bed, active: true, filter: false)
        bed.pass(1000)
        #expect(reports(&bed).isEmpty)
        bed.radio.setPath(0, 1, Path(attenuation: 80))
        bed.pass(1000)
        #expect(reports(&bed).allSatisfy { (-84 ... -76).contains($0.rssi) })
    }

    @Test func lossTakesItsPart() {
        var bed = TestBed(2, path: Path(loss: 0.5))
        bed.advertise()
        scan(&bed, active: false, filter: false)
        bed.pass(20_000)
        #expect((320...480).contains(reports(&bed).count))
    }

    @Test func highDutyCycleEndsByItself() {
        var bed = TestBed(1)
        bed.send(
            0,
            HCI.LESetAdvertisingParameters(
                intervalMin: 0, intervalMax: 0, type: 1, ownType: .publicDevice, peer: TestBed.address(1)))
        bed.send(0, HCI.LESetAdvertisingEnable(enable: true))
        bed.pass(1279)
        #expect(TestBed.events(HCI.LEEnhancedConnectionComplete.self, in: bed.take(0)).isEmpty)
        bed.pass(2)
        #expect(
            TestBed.events(HCI.LEEnhancedConnectionComplete.self, in: bed.take(0)).map(\.status) == [
                .advertisingTimeout
            ])
    }

    @Test(arguments: [
        // Interval below 20 ms, minimum above maximum, unknown type, no channel, no random address.
        ("01 06 20 0F 1F 00 20 00 00 00 00 00 00 00 00 00 00 07 00", HCI.ErrorCode.invalidCommandParameters),
        ("01 06 20 0F 30 00 20 00 00 00 00 00 00 00 00 00 00 07 00", .invalidCommandParameters),
        ("01 06 20 0F 20 00 20 00 05 00 00 00 00 00 00 00 00 07 00", .invalidCommandParameters),
        ("01 06 20 0F 20 00 20 00 00 00 00 00 00 00 00 00 00 00 00", .invalidCommandParameters),
        ("01 08 20 20 20" + String(repeating: " 00", count: 31), .invalidCommandParameters),
        ("01 0B 20 07 01 10 00 11 00 00 00", .invalidCommandParameters),
        ("01 0C 20 02 02 00", .invalidCommandParameters),
        ("01 0E 20 00", .commandDisallowed),
    ])
    func isRefused(command: String, status: HCI.ErrorCode) {
        var bed = TestBed(1)
        bed.send(0, command)
        #expect(bed.status(0) == status)
    }

    @Test func aRandomAddressMustBeSet() {
        var bed = TestBed(1)
        bed.send(0, HCI.LESetAdvertisingParameters(intervalMin: 0x20, intervalMax: 0x20, ownType: .randomDevice))
        bed.send(0, HCI.LESetAdvertisingEnable(enable: true))
        #expect(bed.status(0) == .invalidCommandParameters)
        bed.send(0, HCI.LESetRandomAddress(address: Address(value: 0xC0_00_00_00_00_01)))
        bed.send(0, HCI.LESetAdvertisingEnable(enable: true))
        #expect(bed.status(0) == .success)
        bed.send(0, HCI.LESetRandomAddress(address: Address(value: 0xC0_00_00_00_00_02)))
        #expect(bed.status(0) == .commandDisallowed)
    }
}
