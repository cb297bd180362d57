import PluginKit
import Profile

/// Values of Device Information and Battery Level (sections 3.1, 3.4 and 4.11).
struct IdentityRules: Rule {
    private let isShipped: Bool
    /// The last Battery Level, and whether it was read.
    private var level: (attribute: Timestamped<Int>, isRead: Bool)?

    init(_ dialect: Dialect) {
        isShipped = dialect == .shipped
    }

    var rules: [RuleIndex] { isShipped ? [.aq022, .aq023, .aq027] : [.aq024, .aq501] }
    var interests: Set<RuleInterest> {
        values(
            of: .manufacturerName, .modelNumber, .firmwareRevision, .serialNumber, .batteryLevel)
    }

    /// Text and length in bytes of each characteristic. The text of the serial number differs between pucks: only its
    /// format is checked.
    private static let shipped: [CharacteristicIndex: (String, Int)] = [
        .manufacturerName: ("Aquavate", 9), .modelNumber: ("Puck v1.0", 10), .firmwareRevision: ("0.1.0", 16),
    ]
    private static let required: [CharacteristicIndex: String] = [
        .manufacturerName: "Aquavate", .modelNumber: "Puck v1", .firmwareRevision: "1.0.0",
    ]

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        if event.isGap { level = nil }
        guard let attribute = event.value else { return }
        switch event.puckValue {
        case .text(let text): check(text, attribute, &report)
        case .battery(let percent):
            if isShipped, event.isNotified { check(percent, event, &report) }
            level = (Timestamped(content: percent, moment: event.moment), event.isRead)
        default: return
        }
    }

    private func check(_ text: String, _ attribute: AttributeValue, _ report: inout RuleReport) {
        let characteristic = attribute.characteristic
        guard isShipped else {
            if characteristic == .serialNumber { return checkSerial(text, &report) }
            guard let wanted = Self.required[characteristic] else { return }
            if text == wanted { return report.pass(.aq024) }
            return report.fail(.aq024, expected: "“\(wanted)”", observed: "“\(text)”")
        }
        let length = Self.shipped[characteristic]?.1 ?? 18
        let isFine = Self.shipped[characteristic].map { text == $0.0 } ?? text.isAddress
        if isFine {
            report.pass(.aq022)
        } else {
            let wanted = Self.shipped[characteristic].map { "“\($0.0)”" } ?? "an address in upper case"
            report.fail(.aq022, expected: "\(characteristic.name) \(wanted)", observed: "“\(text)”")
        }
        if attribute.bytes.count == length { return report.pass(.aq023) }
        report.fail(.aq023, expected: "\(length) bytes of \(characteristic.name)", observed: "\(attribute.bytes.count)")
    }

    /// AQ-501: the requirements leave the format of the address open.
    private func checkSerial(_ text: String, _ report: inout RuleReport) {
        let digits = text.filter { $0 != ":" && $0 != "-" }
        if digits.utf8.count == 12, digits.count == 12, digits.allSatisfy(\.isHexDigit) { return report.pass(.aq501) }
        report.fail(.aq501, expected: "an address of six octets in hex", observed: "“\(text)”")
    }

    /// AQ-027: a read may return a level that is about to be notified.
    private func check(_ percent: Int, _ event: Event, _ report: inout RuleReport) {
        guard let (last, isRead) = level else { return }
        if last.content != percent { return report.pass(.aq027) }
        if isRead, event.moment.seconds(since: last.moment) < DeviceProfile.Time.crossing {
            return report.inconclusive(.aq027, "the level was read when it was about to be told")
        }
        report.fail(
            .aq027, expected: "another level than before", observed: "\(percent) again",
            at: [last.moment, event.moment])
    }
}

extension String {
    /// Whether it is six upper-case hex octets with colons between them.
    fileprivate var isAddress: Bool {
        let octets = split(separator: ":", omittingEmptySubsequences: false)
        return octets.count == 6
            && octets.allSatisfy { octet in
                octet.utf8.count == 2
                    && octet.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x46).contains($0) }
            }
    }
}
