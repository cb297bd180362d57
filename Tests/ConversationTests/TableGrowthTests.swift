import Bluetooth
import Bytes
import Dissection
import PDUTestKit
import TestKit
import Testing

@testable import Conversation

/// Discovering a second server with the same attributes adds no copy of them and changes nothing.
struct TableGrowthTests {
    private static let likeBattery = ServerLayout(
        .service(0x1800, .characteristic(0x2A00, [.read])),
        .service(0x180F, .characteristic(0x2A1B, [.read, .notify], descriptors: 0x2902)))

    /// The table of each peer. The peers are discovered one after the other in one capture.
    private func tables(_ layouts: ServerLayout...) -> [GATT.Table] {
        let session = HCISession()
        for (number, layout) in layouts.enumerated() {
            let link = session.connect(to: DeviceAddress(Address(value: 0xC0_FFEE_000000 + UInt64(number)), .random))
            link.discover(layout)
            link.disconnect()
        }
        return knownTables(session)
    }

    /// The newest table of each device that has one.
    private func knownTables(_ session: HCISession) -> [GATT.Table] {
        let tracker = Story(session.recording).tracker
        let tableVersions = tracker.devices.devices.map(\.newestTableVersion).filter(\.isKnown)
        return tableVersions.map { tracker.knowledge[$0].table }
    }

    @Test func serversOfOneKindHaveTheSameTable() {
        let alone = tables(Cast.battery)
        #expect(alone[0].characteristics.map(\.type) == [0x2A00, 0x2A19])
        #expect(tables(Cast.battery, Cast.battery, Cast.battery) == alone + alone + alone)
    }

    @Test func serversThatPartOnTheWayHaveTablesOfTheirOwn() {
        let (battery, like, heartRate) = (tables(Cast.battery), tables(Self.likeBattery), tables(Cast.heartRate))
        #expect(battery != like)
        #expect(
            tables(Cast.battery, Self.likeBattery, Cast.heartRate, Self.likeBattery, Cast.battery)
                == battery + like + heartRate + like + battery)
    }

    @Test func whoTellsMoreIsKnownBetter() {
        let session = HCISession()
        let first = session.connect(to: Cast.puck)
        first.discoverServices(Cast.battery)
        first.disconnect()
        session.connect(to: Cast.counter).discover(Cast.battery)
        let known = knownTables(session)
        #expect(known[0].services == known[1].services)
        #expect(known[0].characteristics.isEmpty)
        #expect(known[1] == tables(Cast.battery)[0])
    }

    @Test func aResponseLeadsOnOnlyFromWhereItCame() throws {
        var growth = TableGrowth()
        let request = RequestFacts(opcode: .readByGroupTypeRequest, type: .primaryService, frame: 1, time: .epoch)
        let response: [UInt8] = [0x11, 6, 1, 0, 3, 0, 0, 0x18]
        let added = growth.add(
            Cast.battery.table, ServerValueHandles(), after: TableGrowth.start, response, to: request)
        let stage = try #require(added)
        var other = request
        other.type = .secondaryService
        #expect(next(growth, after: TableGrowth.start, response, to: request) == stage)
        #expect(next(growth, after: TableGrowth.start, response, to: other) == nil)
        #expect(next(growth, after: stage, response, to: request) == nil)
        #expect(next(growth, after: TableGrowth.start, response.dropLast(), to: request) == nil)
        #expect(growth.table(at: stage) == Cast.battery.table)
    }

    private func next(
        _ growth: TableGrowth, after stage: Int32, _ response: [UInt8], to request: RequestFacts
    ) -> Int32? {
        growth.next(after: stage, response.span.rawBytes, to: request)
    }

    @Test func waysOfDiscoveryDoNotFillMemory() {
        var growth = TableGrowth()
        let request = RequestFacts(opcode: .readByGroupTypeRequest, type: .primaryService, frame: 1, time: .epoch)
        var stages = 0
        for number in 0..<100 as Range<UInt8> {
            let response: [UInt8] = [0x11, 6, number, 0, 3, 0, 0, 0x18]
            let stage = growth.add(GATT.Table(), ServerValueHandles(), after: TableGrowth.start, response, to: request)
            if stage != nil { stages += 1 }
        }
        #expect(stages == 16)
        let long = [UInt8](repeating: 0, count: 513)
        #expect(growth.add(GATT.Table(), ServerValueHandles(), after: 1, long, to: request) == nil)
    }
}
