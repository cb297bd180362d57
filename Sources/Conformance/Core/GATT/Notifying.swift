import ATT
import BluetoothTypes
import Captures
import Conversation
import GATT
import PluginKit
import Profile

/// What a client has configured with a server: which characteristics may notify and indicate.
struct ConfiguredHandles: Sendable {
    /// What was written to attributes of two bytes, by their handles.
    private var bits: [UInt16: UInt16] = [:]
    /// A write that waits for its response, with what was configured before it.
    private var pending: (handle: UInt16, bits: UInt16, before: UInt16?)?

    /// Attributes that are remembered.
    private static let limit = 256

    static let interests: [TrafficInterest] = [
        .att(.writeRequest), .att(.writeCommand), .att(.writeResponse), .att(.errorResponse),
    ]

    /// A client writes: what is turned on may come at once, what is turned off until the response.
    mutating func write(_ handle: Handle, _ value: UInt16, isCommand: Bool) {
        let before = bits[handle.rawValue]
        guard before != nil || bits.count < Self.limit else { return }
        if !isCommand { pending = (handle.rawValue, value, before) }
        bits[handle.rawValue] = isCommand ? value : value | (before ?? 0)
    }

    /// The server responds to the write.
    mutating func settle(isAccepted: Bool) {
        guard let pending else { return }
        bits[pending.handle] = isAccepted ? pending.bits : pending.before
        self.pending = nil
    }

    /// What is configured at a handle; nil for what this connection has not told.
    subscript(handle: Handle) -> UInt16? { bits[handle.rawValue] }

    /// Whether something close behind a value is configured so, where its descriptor is not known.
    func mayHave(_ bit: UInt16, behind value: Handle) -> Bool {
        bits.contains { $0.key > value.rawValue && $0.key - value.rawValue < 8 && $0.value & bit != 0 }
    }
}

extension PerDirection<ConfiguredHandles> {
    /// Follows writes and their responses; they are kept by the direction of the server.
    fileprivate mutating func follow(_ event: borrowing TrafficEvent, _ att: ATTTraffic) {
        switch att.opcode {
        case .writeRequest, .writeCommand:
            guard event.payload.count == 5, let value = event.value?.u16(0) else { return }
            self[event.direction.opposite].write(att.handle, value, isCommand: att.opcode == .writeCommand)
        case .writeResponse: self[event.direction].settle(isAccepted: true)
        case .errorResponse where att.request?.opcode == .writeRequest: self[event.direction].settle(isAccepted: false)
        default: break
        }
    }

    /// Checks a notification or an indication; `bit` allows it.
    fileprivate func judge(
        _ event: borrowing TrafficEvent, _ bit: UInt16, _ name: String, _ report: inout CoreRuleReport
    ) {
        guard let known = event.characteristic else {
            return report.inconclusive("the characteristic of a value is not known: its discovery was not captured")
        }
        let configured = self[event.direction]
        guard let handle = known.configuration else {
            if configured.mayHave(bit, behind: known.value) { return report.pass() }
            return report.inconclusive("the configuration descriptor of a characteristic is not known")
        }
        if let bits = configured[handle] {
            if bits & bit != 0 { return report.pass() }
            return report.fail(
                expected: "\(name) turned on at \(event.name(of: handle))", observed: "\(hex(bits)) was written there")
        }
        let bond = event.link.state.isEncrypted ? "devices that are bonded keep what was configured before" : nil
        if let doubt = event.link.incompleteness ?? bond { return report.inconclusive(doubt) }
        report.fail(
            expected: "\(name) turned on at \(event.name(of: handle))", observed: "nothing was written there")
    }
}

/// A rule that a server tells values only as the client has configured it.
protocol ConfiguredRule: CoreRule {
    /// The PDU that tells a value, the bit of the configuration that allows it, and what it turns on.
    static var told: (opcode: ATT.Opcode, bit: UInt16, name: String) { get }
    var configured: PerDirection<ConfiguredHandles> { get set }
}

extension ConfiguredRule {
    package static var interests: [TrafficInterest] { ConfiguredHandles.interests + [.att(told.opcode)] }

    package mutating func see(_ event: borrowing TrafficEvent, _ report: inout CoreRuleReport) {
        guard case .att(let att) = event.content else { return }
        if att.opcode == Self.told.opcode {
            configured.judge(event, Self.told.bit, Self.told.name, &report)
        } else {
            configured.follow(event, att)
        }
    }
}

/// Notifications are turned on first.
struct NotificationIsConfigured: ConfiguredRule {
    static let info = RuleInfo(
        "CORE-GATT-01", "A server notifies only what the client has turned on in the configuration descriptor.",
        role: .peripheral, source: "Vol 3, Part G, 3.3.3.3 and 4.10.1",
        hint: "Keep the descriptor for each client, and reset it when a client that is not bonded disconnects.")
    static let basis = RuleBasis.exchange
    static let told = (opcode: ATT.Opcode.handleValueNotification, bit: UInt16(1), name: "notifications")

    var configured = PerDirection(ConfiguredHandles())
}

/// Indications are turned on first.
struct IndicationIsConfigured: ConfiguredRule {
    static let info = RuleInfo(
        "CORE-GATT-02", "A server indicates only what the client has turned on in the configuration descriptor.",
        role: .peripheral, source: "Vol 3, Part G, 3.3.3.3 and 4.11.1",
        hint: "Keep the descriptor for each client, and reset it when a client that is not bonded disconnects.")
    static let basis = RuleBasis.exchange
    static let told = (opcode: ATT.Opcode.handleValueIndication, bit: UInt16(2), name: "indications")

    var configured = PerDirection(ConfiguredHandles())
}

/// A rule that a server tells only values whose characteristic has the property for it.
protocol TellingRule: CoreRule {
    /// The PDU that tells a value, the property that it needs, and what that is called.
    static var needed: (opcode: ATT.Opcode, property: GATT.Properties, name: String) { get }
}

extension TellingRule {
    package static var interests: [TrafficInterest] { [.att(needed.opcode)] }

    package mutating func see(_ event: borrowing TrafficEvent, _ report: inout CoreRuleReport) {
        guard let known = event.characteristic else { return }
        report.judge(
            known.properties.contains(Self.needed.property), expected: "\(Self.needed.name) in the properties",
            observed: "properties \(hex(known.properties.rawValue))")
    }
}

/// What is notified has the property.
struct NotifierHasProperty: TellingRule {
    static let info = RuleInfo(
        "CORE-GATT-03", "A server notifies only characteristics whose properties say Notify.", role: .peripheral,
        source: "Vol 3, Part G, 3.3.1.1 and 4.10.1", hint: "Declare the characteristic with Notify.")
    static let basis = RuleBasis.exchange
    static let needed = (opcode: ATT.Opcode.handleValueNotification, property: GATT.Properties.notify, name: "Notify")
}

/// What is indicated has the property.
struct IndicatorHasProperty: TellingRule {
    static let info = RuleInfo(
        "CORE-GATT-04", "A server indicates only characteristics whose properties say Indicate.", role: .peripheral,
        source: "Vol 3, Part G, 3.3.1.1 and 4.11.1", hint: "Declare the characteristic with Indicate.")
    static let basis = RuleBasis.exchange
    static let needed = (
        opcode: ATT.Opcode.handleValueIndication, property: GATT.Properties.indicate, name: "Indicate"
    )
}

/// Each value is notified once.
struct NotificationComesOnce: CoreRule {
    private struct Series {
        /// Hash of the last value.
        var value: UInt64 = 0
        var moment = FrameReference(frame: 0, time: 0)
        /// How often the value has come.
        var count = 0
        /// Values in a row that came twice.
        var pairs = 0
    }

    static let info = RuleInfo(
        "CORE-GATT-05",
        "Each value is notified once: not twice in a row after a reconnection, as of two subscriptions.",
        role: .peripheral, severity: .warning, source: "Vol 3, Part G, 3.3.3.3 and 4.10.1",
        hint: "Forget the subscription of a connection that has ended before it is made again.")
    static let basis = RuleBasis.exchange
    static let interests: [TrafficInterest] = [.att(.handleValueNotification)]

    /// Of the characteristics, by their handles.
    private var series: [UInt16: Series] = [:]
    private static let limit = 64
    /// Values in a row that came twice make the case.
    private static let pairLimit = 3
    /// What is repeated later is another measurement: 100 ms.
    private static let span: Int64 = 100_000_000

    mutating func see(_ event: borrowing TrafficEvent, _ report: inout CoreRuleReport) {
        guard case .att(let att) = event.content else { return }
        let value = event.payload.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        let handle = att.handle.rawValue
        guard series[handle] != nil || series.count < Self.limit else { return }
        let last = series[handle] ?? Series()
        let isSame = last.count > 0 && value == last.value && event.moment.time &- last.moment.time < Self.span
        var next = Series(value: value, moment: event.moment, count: isSame ? last.count + 1 : 1, pairs: last.pairs)
        if !isSame {
            if last.count != 2 { next.pairs = 0 }
            report.pass()
        } else if next.count == 2 {
            next.pairs += 1
            if next.pairs == Self.pairLimit {
                report.fail(
                    expected: "each value once", observed: "the last \(Self.pairLimit) values twice each",
                    at: [last.moment, event.moment])
            }
        }
        series[handle] = next
    }
}
