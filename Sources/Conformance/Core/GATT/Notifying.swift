import Bluetooth
import Bytes
import Captures
import Conversation
import PluginKit
import Profile

/// The characteristics whose notifications and indications a client has configured at a server.
struct ConfiguredHandles: Sendable {
    /// Values written to attributes of two bytes, by handle.
    private var bits = SortedMap<UInt16, UInt16>()
    /// Writes that the server has not responded to.
    private var pending: [(bearer: UInt8, handle: UInt16, bits: UInt16)] = []
    /// Values queued by Prepare Write, by handle.
    private var queued = SortedMap<UInt16, UInt16>()
    /// Whether some written attributes are not recorded.
    private(set) var isIncomplete = false

    /// Maximum number of recorded attributes.
    private static let limit = 256

    static let interests: Set<RuleInterest> = [
        .att(.writeRequest), .att(.writeCommand), .att(.writeResponse), .att(.prepareWriteResponse),
        .att(.executeWriteRequest), .att(.executeWriteResponse), .att(.errorResponse),
    ]

    /// The client writes without response.
    mutating func command(_ handle: Handle, _ value: UInt16) {
        if makeRoom(for: handle.rawValue, in: bits) { bits[handle.rawValue] = value }
    }

    /// The client writes: notifications that are turned on may come at once, those that are turned off until the
    /// response.
    mutating func request(_ handle: Handle, _ value: UInt16, _ bearer: UInt8) {
        pending.removeAll { $0.bearer == bearer }
        begin(handle.rawValue, value, bearer)
    }

    /// The server has queued a value.
    mutating func prepare(_ handle: Handle, _ value: UInt16) {
        if makeRoom(for: handle.rawValue, in: queued) { queued[handle.rawValue] = value }
    }

    /// The client executes the queued writes, or cancels them.
    mutating func execute(isCancelled: Bool, _ bearer: UInt8) {
        pending.removeAll { $0.bearer == bearer }
        if !isCancelled { for (handle, value) in queued.all { begin(handle, value, bearer) } }
        queued = SortedMap()
    }

    private mutating func begin(_ handle: UInt16, _ value: UInt16, _ bearer: UInt8) {
        guard makeRoom(for: handle, in: bits) else { return }
        pending.append((bearer, handle, value))
        bits[handle, default: 0] |= value
    }

    /// Whether the map has room for the handle; if not, the record is incomplete from now on.
    private mutating func makeRoom(for handle: UInt16, in map: SortedMap<UInt16, UInt16>) -> Bool {
        if map.count < Self.limit || map.contains(handle) { return true }
        isIncomplete = true
        return false
    }

    /// The server accepts the writes on a bearer.
    mutating func accept(_ bearer: UInt8) {
        for write in pending where write.bearer == bearer { bits[write.handle] = write.bits }
        pending.removeAll { $0.bearer == bearer }
    }

    /// The server refuses the writes on a bearer. It may have executed a part of the queued ones (Vol 3, Part F,
    /// 3.4.6.3).
    mutating func refuse(_ bearer: UInt8) { pending.removeAll { $0.bearer == bearer } }

    /// The configuration at a handle; nil if it was not written on this connection.
    subscript(handle: Handle) -> UInt16? { bits[handle.rawValue] }

    /// Whether one of the next handles after a value has this bit set, for values whose descriptor is unknown.
    func mayHave(_ bit: UInt16, behind value: Handle) -> Bool {
        bits.contains { $0 > value.rawValue && $0 - value.rawValue < 8 && $1 & bit != 0 }
    }
}

/// The configurations at both servers of a connection, by direction of the server.
struct ServerConfigurations {
    private var servers = PerDirection(ConfiguredHandles())

    /// Records writes and their responses.
    fileprivate mutating func follow(_ event: Event, _ att: ATTTraffic) {
        switch att.opcode {
        case .writeRequest:
            guard event.outcome?.isRefused == false, let bits = event.configurationBits else { return }
            servers[event.direction.opposite].request(att.handle, bits, att.bearer)
        case .writeCommand:
            guard let bits = event.configurationBits else { return }
            servers[event.direction.opposite].command(att.handle, bits)
        case .prepareWriteResponse:
            guard event.bytes.u16(3) == 0, let bits = event.configurationBits else { return }
            servers[event.direction].prepare(att.handle, bits)
        case .executeWriteRequest:
            servers[event.direction.opposite].execute(isCancelled: event.bytes.u8(1) != 1, att.bearer)
        case .writeResponse, .executeWriteResponse: servers[event.direction].accept(att.bearer)
        case .errorResponse:
            if event.request?.opcode == .executeWriteRequest { servers[event.direction].refuse(att.bearer) }
        default: break
        }
    }

    /// Checks a notification or an indication; `bit` enables it.
    fileprivate func check(
        _ event: Event, _ bit: UInt16, _ name: String, _ report: inout RuleReport
    ) {
        if let descriptor = event.descriptiveAttribute {
            return report.fail(expected: "\(name) of a characteristic's value", observed: descriptor)
        }
        guard let known = event.characteristic else {
            return report.inconclusive("the characteristic of a value is not known: its discovery was not captured")
        }
        guard let handle = known.configuration else {
            if servers[event.direction].mayHave(bit, behind: known.value) { return report.pass() }
            return report.inconclusive("the configuration descriptor of a characteristic is not known")
        }
        if let bits = servers[event.direction][handle] {
            if bits & bit != 0 { return report.pass() }
            return report.fail(
                expected: "\(name) turned on at \(event.name(of: handle))", observed: "\(hex(bits)) was written there")
        }
        if servers[event.direction].isIncomplete { return }
        let bond = event.connection.mayBeEncrypted ? "devices that are bonded keep what was configured before" : nil
        if let doubt = event.connection.incompleteness ?? bond { return report.inconclusive(doubt) }
        report.fail(
            expected: "\(name) turned on at \(event.name(of: handle))", observed: "nothing was written there")
    }
}

extension Event {
    /// The name of the notified attribute, if it is a declaration or a descriptor: only characteristic values are
    /// notified and indicated (Vol 3, Part G, 4.10 and 4.11).
    fileprivate var descriptiveAttribute: String? {
        guard let attribute, attribute.isDescriptive else { return nil }
        return name(of: attribute.attribute.handle)
    }

    /// The configuration set by a write, if its attribute may be a configuration descriptor. An unknown attribute may
    /// be one if two bytes are written; one byte is more likely a value.
    fileprivate var configurationBits: UInt16? {
        guard let value = attributeValue else { return nil }
        let isDescriptor = value.count == 1 && attribute?.isConfiguration == true
        return value.count == 2 || isDescriptor ? value.configurationBits : nil
    }
}

/// A rule that a server sends values only as configured by the client.
protocol ConfiguredRule: SpecificationRule {
    /// The opcode that carries a value, the configuration bit that enables it, and the name of the operation.
    static var update: (opcode: ATT.Opcode, bit: UInt16, name: String) { get }
    var configured: ServerConfigurations { get set }
}

extension ConfiguredRule {
    package var interests: Set<RuleInterest> { ConfiguredHandles.interests.union([.att(Self.update.opcode)]) }

    package mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .att(let att) = event.content else { return }
        if att.opcode == Self.update.opcode {
            configured.check(event, Self.update.bit, Self.update.name, &report)
        } else {
            configured.follow(event, att)
        }
    }
}

struct NotificationIsConfigured: ConfiguredRule {
    static let info = RuleInfo(
        "CORE-GATT-01", "A server notifies only what the client has turned on in the configuration descriptor.",
        role: .peripheral, source: "Vol 3, Part G, 3.3.3.3 and 4.10.1",
        hint: "Keep the descriptor for each client, and reset it when a client that is not bonded disconnects.")
    static let basis = RuleBasis.exchange
    static let update = (opcode: ATT.Opcode.handleValueNotification, bit: UInt16(1), name: "notifications")

    var configured = ServerConfigurations()
}

struct IndicationIsConfigured: ConfiguredRule {
    static let info = RuleInfo(
        "CORE-GATT-02", "A server indicates only what the client has turned on in the configuration descriptor.",
        role: .peripheral, source: "Vol 3, Part G, 3.3.3.3 and 4.11.1",
        hint: "Keep the descriptor for each client, and reset it when a client that is not bonded disconnects.")
    static let basis = RuleBasis.exchange
    static let update = (opcode: ATT.Opcode.handleValueIndication, bit: UInt16(2), name: "indications")

    var configured = ServerConfigurations()
}

/// A rule that a server sends values only if the characteristic has the property for it.
protocol ValueUpdateRule: SpecificationRule {
    /// The opcode that carries a value, the property required for it, and the property's name.
    static var needed: (opcode: ATT.Opcode, property: GATT.Properties, name: String) { get }
}

extension ValueUpdateRule {
    package var interests: Set<RuleInterest> { [.att(Self.needed.opcode)] }

    package mutating func handle(_ event: Event, _ report: inout RuleReport) {
        if let descriptor = event.descriptiveAttribute {
            return report.fail(expected: "\(Self.needed.name) in the properties", observed: descriptor)
        }
        guard let known = event.characteristic else { return }
        report.expect(
            known.properties.contains(Self.needed.property), expected: "\(Self.needed.name) in the properties",
            observed: "properties \(hex(known.properties.rawValue))")
    }
}

struct NotifierHasProperty: ValueUpdateRule {
    static let info = RuleInfo(
        "CORE-GATT-03", "A server notifies only characteristics whose properties say Notify.", role: .peripheral,
        source: "Vol 3, Part G, 3.3.1.1 and 4.10.1", hint: "Declare the characteristic with Notify.")
    static let basis = RuleBasis.exchange
    static let needed = (opcode: ATT.Opcode.handleValueNotification, property: GATT.Properties.notify, name: "Notify")
}

struct IndicatorHasProperty: ValueUpdateRule {
    static let info = RuleInfo(
        "CORE-GATT-04", "A server indicates only characteristics whose properties say Indicate.", role: .peripheral,
        source: "Vol 3, Part G, 3.3.1.1 and 4.11.1", hint: "Declare the characteristic with Indicate.")
    static let basis = RuleBasis.exchange
    static let needed = (
        opcode: ATT.Opcode.handleValueIndication, property: GATT.Properties.indicate, name: "Indicate"
    )
}

struct NotificationComesOnce: SpecificationRule {
    private struct Series {
        /// Hash of the last value.
        var value: UInt64 = 0
        var moment = FrameReference(frame: 0, time: .epoch)
        /// Number of times that the value has come in a row.
        var count = 0
        /// Number of values in a row that came twice.
        var pairs = 0

        mutating func add(_ next: UInt64, at now: FrameReference, _ report: inout RuleReport) {
            defer { (value, moment) = (next, now) }
            guard count > 0, next == value, now.time - moment.time < NotificationComesOnce.span else {
                if count != 2 { pairs = 0 }
                count = 1
                return report.pass()
            }
            count += 1
            guard count == 2 else { return }
            pairs += 1
            if pairs == NotificationComesOnce.pairLimit {
                report.fail(
                    expected: "each value once",
                    observed: "the last \(NotificationComesOnce.pairLimit) values twice each", at: [moment, now])
            }
        }
    }

    static let info = RuleInfo(
        "CORE-GATT-05",
        "Each value is notified once: not twice in a row after a reconnection, as of two subscriptions.",
        role: .peripheral, severity: .warning, source: "Vol 3, Part G, 3.3.3.3 and 4.10.1",
        hint: "Forget the subscription of a connection that has ended before it is made again.")
    static let basis = RuleBasis.exchange
    var interests: Set<RuleInterest> { [.att(.handleValueNotification)] }

    /// By handle of the characteristic value.
    private var series = SortedMap<UInt16, Series>()
    private static let limit = 64
    /// Number of values in a row that come twice until the rule is broken.
    private static let pairLimit = 3
    /// A value repeated later is another measurement.
    private static let span = TimeSpan(milliseconds: 100)

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .att(let att) = event.content else { return }
        let payload = event.payload
        let value = payload.span.rawBytes.hash
        let handle = att.handle.rawValue
        guard series.count < Self.limit || series[handle] != nil else { return }
        series[handle, default: Series()].add(value, at: event.moment, &report)
    }
}
