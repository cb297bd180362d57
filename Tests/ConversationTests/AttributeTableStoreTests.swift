import Bluetooth
import Dissection
import PDUTestKit
import TestKit
import Testing

@testable import Conversation

struct AttributeTableStoreTests {
    @Test func discoveryThatAgreesKeepsTheRest() {
        var knowledge = AttributeTableStore()
        let tableVersion = knowledge.open(-1, earlier: Cast.battery.table, confidence: .imported)
        let known = Cast.battery.characteristics[1]
        #expect(knowledge.learn(tableVersion, .characteristic(known)) == .agrees)
        #expect(knowledge[tableVersion].attribute(at: known.value)?.1 == .discovered)
        #expect(knowledge[tableVersion].attribute(at: 0x0003)?.1 == .imported)
    }

    @Test func discoveryThatContradictsEndsWhatWasRemembered() {
        var knowledge = AttributeTableStore()
        let tableVersion = knowledge.open(-1, earlier: Cast.battery.table, confidence: .remembered)
        let measurement = Cast.heartRate.characteristics[0]
        #expect(knowledge.learn(tableVersion, .characteristic(measurement)) == .endsEarlier)
        #expect(knowledge[tableVersion].earlier == nil)
        #expect(knowledge[tableVersion].attribute(at: 0x0006) == nil)
        #expect(knowledge[tableVersion].attribute(at: 0x0003)?.0.type == 0x2A37)
    }

    @Test func aSpanThatContradictsItselfSaysSo() {
        var knowledge = AttributeTableStore()
        let tableVersion = knowledge.open(-1, earlier: nil, confidence: .remembered)
        #expect(knowledge.learn(tableVersion, .service(Cast.battery.services[0])) == .agrees)
        let wider = GATT.Table.Service(start: 0x0001, end: 0x0008, type: 0x1800)
        #expect(knowledge.learn(tableVersion, .service(wider)) == .contradicts)
    }

    @Test func aSplitKeepsWhatLiesOutsideOfTheRange() {
        var knowledge = AttributeTableStore()
        let old = knowledge.open(-1, earlier: nil, confidence: .remembered)
        for service in Cast.battery.services { _ = knowledge.learn(old, .service(service)) }
        for characteristic in Cast.battery.characteristics { _ = knowledge.learn(old, .characteristic(characteristic)) }
        let new = knowledge.split(old, forgetting: 0x0004...0xFFFF)
        #expect(knowledge[old].attribute(at: 0x0006)?.0.type == 0x2A19)
        #expect(knowledge[new].attribute(at: 0x0006) == nil)
        #expect(knowledge[new].attribute(at: 0x0003)?.1 == .discovered)
    }

    @Test func anotherHashEndsWhatWasRemembered() {
        var knowledge = AttributeTableStore()
        let hash = [UInt8](repeating: 1, count: 16)
        let other = [UInt8](repeating: 2, count: 16)
        let tableVersion = knowledge.open(-1, earlier: Cast.battery.table, confidence: .remembered)
        #expect(knowledge.noteHash(tableVersion, hash, previous: hash) == .agrees)
        #expect(knowledge[tableVersion].earlier != nil)
        #expect(knowledge.noteHash(tableVersion, other, previous: hash) == .contradicts)
        let next = knowledge.open(-1, earlier: Cast.battery.table, confidence: .remembered)
        #expect(knowledge.noteHash(next, other, previous: hash) == .endsEarlier)
        #expect(knowledge[next].earlier == nil)
    }

    @Test func whatIsWatchedFollowsTheTable() {
        var knowledge = AttributeTableStore()
        let first = knowledge.open(-1, earlier: Cast.battery.table, confidence: .imported)
        #expect(knowledge.watched(first).deviceName == 0x0003)
        let changed = GATT.Table.Characteristic(
            declaration: 0x0020, value: 0x0021, properties: .indicate, type: .serviceChanged)
        _ = knowledge.learn(first, .characteristic(changed))
        let second = knowledge.open(-1, after: first)
        #expect(knowledge.watched(second).deviceName == 0x0003)
        #expect(knowledge.watched(second).serviceChanged == 0x0021)
        let third = knowledge.split(second, forgetting: 0x0001...0x0010)
        #expect(knowledge.watched(third).deviceName == 0)
        #expect(knowledge.watched(third).serviceChanged == 0x0021)
        #expect(knowledge.learn(second, .characteristic(Cast.heartRate.characteristics[0])) == .endsEarlier)
        #expect(knowledge.watched(second) == ServerValueHandles(of: knowledge[second].table))
    }

    @Test func theWholeTableIsTheUnionOfBoth() {
        var knowledge = AttributeTableStore()
        let tableVersion = knowledge.open(-1, earlier: Cast.battery.table, confidence: .remembered)
        let thermometer = GATT.Table.Service(start: 0x0020, end: 0x0030, type: 0x1809)
        _ = knowledge.learn(tableVersion, .service(thermometer))
        #expect(knowledge[tableVersion].table.services.count == 3)
        #expect(knowledge[tableVersion].table.characteristics.count == 2)
    }

    @Test func tablesThatDifferEveryTimeDoNotFillMemory() {
        var knowledge = AttributeTableStore()
        var full = GATT.Table()
        for handle in 1...1000 as ClosedRange<UInt16> {
            _ = full.learn(GATT.Table.Descriptor(handle: Handle(handle), type: 0x2902))
        }
        var tableVersions: Set<TableVersion> = []
        for number in 0..<600 as Range<UInt16> {
            var table = full
            _ = table.learn(GATT.Table.Descriptor(handle: Handle(2000 + number), type: 0x2902))
            let tableVersion = knowledge.open(-1, earlier: table, confidence: .remembered)
            knowledge.settle(tableVersion)
            tableVersions.insert(tableVersion)
        }
        #expect(tableVersions.count == 600)
        #expect(tableVersions.reduce(0) { $0 + (knowledge[$1].earlier?.count ?? 0) } == 499 * 1001)
    }
}
