import Bluetooth
import PluginKit
import Profile

/// Contents of the puck's advertisements (section 2.2).
struct AdvertisingRules: Rule {
    /// AD types (Assigned Numbers, 2.3).
    private enum Kind {
        static let flags: UInt8 = 0x01
        static let completeServices16: UInt8 = 0x03
        static let services128: Set<UInt8> = [0x06, 0x07]
        static let completeServices128: UInt8 = 0x07
        static let shortenedName: UInt8 = 0x08
        static let completeName: UInt8 = 0x09
        static let intervalRange: UInt8 = 0x12
    }

    private let service: UUID
    private let isShipped: Bool
    /// The local name in advertising or scan response data.
    private var name: Timestamped<String>?
    private var deviceName: String?
    private var serial: String?

    init(_ dialect: Dialect) {
        service = dialect.service
        isShipped = dialect == .shipped
    }

    var rules: [RuleIndex] { [.aq001, .aq002, .aq003, .aq004, .aq005, .aq007] }
    var scope: RuleScope { .device }
    var interests: Set<RuleInterest> { [.advertising, .values(of: .serialNumber)] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        switch event.content {
        case .advertised(let advertisement): check(advertisement, event.moment, &report)
        case .deviceName(let bytes):
            deviceName = String(decoding: bytes, as: UTF8.self)
            compareNames(&report)
        default:
            guard event.value?.characteristic == .serialNumber, case .text(let text)? = event.puckValue else { return }
            serial = text
            compareSerial(&report)
        }
    }

    private mutating func check(_ advertisement: Advertisement, _ moment: FrameReference, _ report: inout RuleReport) {
        let (structures, rest) = advertisement.structures
        if rest == 0, advertisement.data.count <= 31 {
            report.pass(.aq003)
        } else {
            report.fail(
                .aq003, expected: "AD structures that fill at most 31 bytes",
                observed: "\(advertisement.data.count) bytes, \(rest) of them in no structure")
        }
        // Data that does not divide into AD structures has no contents to check.
        guard rest == 0 else { return }
        if advertisement.kind != .scanResponse { checkContent(structures, advertisement, &report) }
        checkName(structures, moment, &report)
    }

    private func checkContent(
        _ structures: [Advertisement.Structure], _ advertisement: Advertisement, _ report: inout RuleReport
    ) {
        let lists = structures.filter { Kind.services128.contains($0.type) }
        if lists.contains(where: { $0.uuids.contains(service) }) {
            report.pass(.aq001)
        } else {
            report.fail(
                .aq001, expected: "\(service) among the 128-bit services",
                observed: lists.isEmpty ? "no list of 128-bit services" : "other services")
        }
        if isShipped {
            let types = structures.map(\.type)
            let wanted = [Kind.flags, Kind.completeServices16, Kind.completeServices128, Kind.intervalRange]
            let isBattery = structures.first { $0.type == Kind.completeServices16 }?.value == [0x0F, 0x18]
            if types == wanted, isBattery, advertisement.data.count == 31 {
                report.pass(.aq002)
            } else {
                report.fail(
                    .aq002, expected: "AD types 0x01, 0x03 (180F), 0x07, 0x12 in 31 bytes",
                    observed: "\(types.map { "0x" + String($0, radix: 16) }.joined(separator: ", ")) in "
                        + "\(advertisement.data.count) bytes")
            }
        }
        let flags = structures.first { $0.type == Kind.flags }?.value
        if advertisement.kind == .connectable, flags == [0x06] {
            report.pass(.aq007)
        } else {
            report.fail(
                .aq007, expected: "connectable, undirected, flags 0x06",
                observed: "\(advertisement.kind), flags \(flags.map { "\($0)" } ?? "none")")
        }
    }

    // MARK: - Names

    private mutating func checkName(
        _ structures: [Advertisement.Structure], _ moment: FrameReference, _ report: inout RuleReport
    ) {
        let names = structures.filter { [Kind.completeName, Kind.shortenedName].contains($0.type) }
        guard let attribute = names.first else { return }
        let text = String(decoding: attribute.value, as: UTF8.self)
        let digits = text.utf8.suffix(4)
        let isFine =
            attribute.type == Kind.completeName && text.hasPrefix(Self.prefix)
            && text.utf8.count == Self.prefix.count + 4
            && digits.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x46).contains($0) }
        guard isFine else {
            return report.fail(
                .aq004, expected: "a complete name \(Self.prefix)XXXX in upper-case hex digits",
                observed: "\(attribute.type == Kind.completeName ? "complete" : "shortened") name \(text)")
        }
        report.pass(.aq004)
        if name?.content == text { return }
        name = Timestamped(content: text, moment: moment)
        compareNames(&report)
        compareSerial(&report)
    }

    private func compareNames(_ report: inout RuleReport) {
        guard let name, let deviceName, deviceName != name.content else { return }
        report.fail(.aq004, expected: "the Device Name \(name.content)", observed: deviceName)
    }

    private func compareSerial(_ report: inout RuleReport) {
        guard let name, let serial else { return }
        let tail = String(serial.filter { $0 != ":" }.suffix(4))
        if name.content.hasSuffix(tail), tail.count == 4 { return report.pass(.aq005) }
        report.fail(.aq005, expected: "a name that ends with \(tail)", observed: name.content)
    }

    private static let prefix = "Aquavate-"
}

extension Advertisement.Structure {
    /// The 128-bit UUIDs of a list of services.
    fileprivate var uuids: [UUID] {
        stride(from: 0, to: value.count / 16 * 16, by: 16).compactMap { UUID(wire: Array(value[$0..<($0 + 16)])) }
    }
}
