import Bluetooth
import Testing

@testable import Conversation
@testable import Dissection

/// Counts of attribute usage, during and after connections.
@Suite struct AttributeUsageTests {
    /// Handles above 1024 have no entry in a slot.
    @Test func countsStayWhenHigherHandlesCome() {
        var knowledge = AttributeTableStore()
        var usage = AttributeUsage()
        let servers = (0..<3).map { knowledge.open($0, earlier: nil, confidence: .remembered) }
        for handle in [3, 70, 3, 2000, 3000] as [UInt16] {
            for server in servers { usage.count(Self.notification(of: handle, by: server)) }
        }
        usage.settle(Dictionary(uniqueKeysWithValues: servers.dropLast().map { ($0, knowledge[$0]) }))
        #expect(notifications(usage) == [3: 4, 70: 2, 2000: 2, 3000: 2])
        usage.settle([servers[2]: knowledge[servers[2]]])
        #expect(notifications(usage) == [3: 6, 70: 3, 2000: 3, 3000: 3])
    }

    @Test func beyond20000HighHandlesAreCountedTogether() {
        var knowledge = AttributeTableStore()
        var usage = AttributeUsage()
        let server = knowledge.open(0, earlier: nil, confidence: .remembered)
        for handle in 2000..<22_010 as Range<UInt16> { usage.count(Self.notification(of: handle, by: server)) }
        usage.settle([server: knowledge[server]])
        let counts = notifications(usage)
        #expect(counts.values.reduce(0, +) == 20_010)
        // The ten handles without room, and the one whose name came after 20,000 names.
        #expect(counts[nil] == 11)
        #expect(counts[1024] == nil)
    }

    /// A server that takes over a slot starts from zero.
    @Test func aPlaceIsUsedAgainFromZero() {
        var knowledge = AttributeTableStore()
        var usage = AttributeUsage()
        for device in 0..<2 as Range<Int32> {
            let server = knowledge.open(device, earlier: nil, confidence: .remembered)
            usage.count(Self.notification(of: 5, by: server))
            usage.settle([server: knowledge[server]])
        }
        #expect(notifications(usage) == [5: 2])
    }

    private static func notification(of handle: UInt16, by server: TableVersion) -> AttributeFacts {
        var metadata = AttributeFacts(opcode: .handleValueNotification)
        metadata.handle = Handle(handle)
        metadata.tableVersion = server
        return metadata
    }

    private func notifications(_ usage: AttributeUsage) -> [UInt16?: Int] {
        let operation = AttributeUsage.Operation.notification.rawValue
        return Dictionary(uniqueKeysWithValues: usage.totals.map { ($0.key.handle?.rawValue, $0.value[operation]) })
    }
}
