import PluginKit
import Profile

/// What Device Information and the battery tell (sections 3.1, 3.4 and 4.11).
struct IdentityRules: PuckRule {
    private let isShipped: Bool
    /// Battery Level told last on each connection, and whether by a read.
    private var level = PerConnection<(attribute: Timestamped<Int>, isRead: Bool)>()

    init(_ dialect: Dialect) {
        isShipped = dialect == .shipped
    }

    var rules: [RuleIndex] { isShipped ? [.aq022, .aq023, .aq027] : [.aq024, .aq501] }
    var interests: Set<RuleInterest> {
        values(
            of: .manufacturerName, .modelNumber, .firmwareRevision, .serialNumber, .batteryLevel)
    }

    /// Texts and lengths by the characteristics' names; of the serial number, its form is judged.
    private static let shipped: [CharacteristicIndex: (String, Int)] = [
        .manufacturerName: ("Aquavate", 9), .modelNumber: ("Puck v1.0", 10), .firmwareRevision: ("0.1.0", 16),
    ]
    private static let required: [CharacteristicIndex: String] = [
        .manufacturerName: "Aquavate", .modelNumber: "Puck v1", .firmwareRevision: "1.0.0",
    ]

    mutating func see(_ event: PuckEvent, on link: PuckLink?, _ report: inout RuleReport) {
        if event.closing != nil || event.isGap { level[event.connection] = nil }
        guard let attribute = event.attribute else { return }
        switch event.value {
        case .text(let text): judge(text, attribute, &report)
        case .battery(let percent):
            if isShipped, event.isNotified { judge(percent, event, &report) }
            level[event.connection] = (Timestamped(content: percent, moment: event.moment), event.isRead)
        default: return
        }
    }

    private func judge(_ text: String, _ attribute: AttributeValue, _ report: inout RuleReport) {
        let characteristic = attribute.characteristic
        guard isShipped else {
            if characteristic == .serialNumber { return judgeSerial(text, &report) }
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

    /// AQ-501: the requirements leave open how the address is written.
    private func judgeSerial(_ text: String, _ report: inout RuleReport) {
        let digits = text.filter { $0 != ":" && $0 != "-" }
        if digits.utf8.count == 12, digits.count == 12, digits.allSatisfy(\.isHexDigit) { return report.pass(.aq501) }
        report.fail(.aq501, expected: "an address of six octets in hex", observed: "“\(text)”")
    }

    /// AQ-027: what is read may be what is about to be told.
    private func judge(_ percent: Int, _ event: PuckEvent, _ report: inout RuleReport) {
        guard let (last, isRead) = level[event.connection] else { return }
        if last.content != percent { return report.pass(.aq027) }
        if isRead, event.moment.seconds(since: last.moment) < PuckLink.crossingTime {
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
