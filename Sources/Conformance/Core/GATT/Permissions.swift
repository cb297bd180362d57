import Bluetooth
import Captures
import Conversation
import PluginKit
import Profile

struct ReadableIsNotRefused: SpecificationRule {
    static let info = RuleInfo(
        "CORE-GATT-06", "A server does not answer Read Not Permitted for a characteristic whose properties say Read.",
        role: .peripheral, source: "Vol 3, Part G, 3.3.1.1",
        hint: "Make permissions and properties agree; ask for security by the errors that are meant for it.")
    static let basis = RuleBasis.exchange
    var interests: Set<RuleInterest> {
        [
            .att(.errorResponse), .att(.readResponse), .att(.readBlobResponse),
        ]
    }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .att = event.content,
            let asked = event.request?.opcode, asked == .readRequest || asked == .readBlobRequest,
            event.characteristic?.properties.contains(.read) == true
        else { return }
        report.expect(
            event.att(ATT.ErrorResponse.self)?.errorCode != .readNotPermitted, expected: "a value, as it may be read",
            observed: "Read Not Permitted")
    }
}

struct WritableIsNotRefused: SpecificationRule {
    static let info = RuleInfo(
        "CORE-GATT-07", "A server does not answer Write Not Permitted for a characteristic whose properties say Write.",
        role: .peripheral, source: "Vol 3, Part G, 3.3.1.1",
        hint: "Make permissions and properties agree; a value that is refused for now has an error of its own.")
    static let basis = RuleBasis.exchange
    var interests: Set<RuleInterest> { [.att(.errorResponse), .att(.writeResponse)] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .att = event.content, event.request?.opcode == .writeRequest,
            event.characteristic?.properties.contains(.write) == true
        else { return }
        report.expect(
            event.att(ATT.ErrorResponse.self)?.errorCode != .writeNotPermitted,
            expected: "the value taken, as it may be written", observed: "Write Not Permitted")
    }
}

struct UseHasProperty: SpecificationRule {
    static let info = RuleInfo(
        "CORE-GATT-08", "A client reads and writes a characteristic only in the ways that its properties say.",
        role: .client, severity: .warning, source: "Vol 3, Part G, 3.3.1.1",
        hint: "Look at the properties first: a Write Command to what has no Write Without Response is lost unseen.")
    static let basis = RuleBasis.exchange
    var interests: Set<RuleInterest> {
        [
            .att(.readRequest), .att(.readBlobRequest), .att(.writeRequest), .att(.prepareWriteRequest),
            .att(.writeCommand), .att(.signedWriteCommand),
        ]
    }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .att(let att) = event.content, let known = event.characteristic else { return }
        let needed: (GATT.Properties, String) =
            switch att.opcode {
            case .readRequest, .readBlobRequest: (.read, "Read")
            case .writeCommand: (.writeWithoutResponse, "Write Without Response")
            case .signedWriteCommand: (.authenticatedSignedWrites, "Authenticated Signed Writes")
            default: (.write, "Write")
            }
        report.expect(
            known.properties.contains(needed.0), expected: "\(needed.1) in the properties",
            observed: "properties \(hex(known.properties.rawValue))")
    }
}

struct ConfigurationIsLegal: SpecificationRule {
    static let info = RuleInfo(
        "CORE-GATT-09", "A client writes two bytes to a configuration descriptor, and only its bits 0 and 1.",
        role: .client, source: "Vol 3, Part G, 3.3.3.3",
        hint: "0x0001 turns notifications on, 0x0002 indications, 0x0000 both off.")
    static let basis = RuleBasis.exchange
    var interests: Set<RuleInterest> { [.att(.writeRequest), .att(.writeCommand)] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard event.attribute?.isConfiguration == true, let value = event.attributeValue else { return }
        report.expect(
            value.count == 2 && (value.u16(0) ?? 0) & 0xFFFC == 0, expected: "two bytes, 0x0000 to 0x0003",
            observed: value.u16(0).map { "\(value.count) bytes, \(hex($0))" } ?? "\(value.count) bytes")
    }
}

struct ConfigurationFitsProperties: SpecificationRule {
    static let info = RuleInfo(
        "CORE-GATT-10", "A client turns on notifications and indications only where the properties say so.",
        role: .client, source: "Vol 3, Part G, 3.3.3.3",
        hint: "Choose bit 0 for Notify and bit 1 for Indicate, by the characteristic's properties.")
    static let basis = RuleBasis.exchange
    var interests: Set<RuleInterest> { [.att(.writeRequest), .att(.writeCommand)] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard event.payload.count == 5, let known = event.attribute, known.isConfiguration,
            let bits = event.attributeValue?.u16(0), bits & 3 != 0,
            let properties = known.attribute.characteristic?.properties
        else { return }
        let isFine =
            (bits & 1 == 0 || properties.contains(.notify)) && (bits & 2 == 0 || properties.contains(.indicate))
        report.expect(
            isFine, expected: "what properties \(hex(properties.rawValue)) allow", observed: "\(hex(bits)) written")
    }
}

struct HandleExists: SpecificationRule {
    static let info = RuleInfo(
        "CORE-GATT-11", "A client reads and writes only handles that the server has.", role: .client,
        severity: .warning, source: "Vol 3, Part F, 3.4.1.1, 3.4.4.3 and 3.4.6.1",
        hint: "Discover again: the handles are those of another device, or of its table before an update.")
    static let basis = RuleBasis.exchange
    var interests: Set<RuleInterest> {
        [
            .att(.errorResponse), .att(.readResponse), .att(.readBlobResponse), .att(.writeResponse),
            .att(.prepareWriteResponse),
        ]
    }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .att = event.content, let request = event.request,
            request.opcode.hasHandle
        else { return }
        if event.att(ATT.ErrorResponse.self)?.errorCode != .invalidHandle { return report.pass() }
        let asked = FrameReference(frame: request.frame, time: request.time, connection: event.moment.connection)
        let name = event.name(of: request.handle)
        report.fail(
            expected: "a handle that exists",
            observed: "\(request.opcode.name ?? "a request") for \(name), refused with Invalid Handle",
            at: [event.moment, asked])
    }
}

struct SignedWriteIsPlain: SpecificationRule {
    static let info = RuleInfo(
        "CORE-GATT-12", "A client sends no Signed Write Command on an encrypted connection.", role: .client,
        source: "Vol 3, Part G, 4.9.2 and Vol 3, Part C, 10.4.1",
        hint: "Send a Write Command instead: encryption authenticates it.")
    static let basis = RuleBasis.exchange
    var interests: Set<RuleInterest> { [.att(.signedWriteCommand)] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        report.expect(
            !event.connection.isEncrypted, expected: "a Write Command, as the connection is encrypted",
            observed: "Signed Write Command")
    }
}
