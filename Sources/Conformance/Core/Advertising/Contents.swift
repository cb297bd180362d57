import Bluetooth
import Conversation
import PluginKit
import Profile

struct FlagsAreNotInScanResponse: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ADV-06", "Flags stand in advertising data, and not in scan response data.", role: .peripheral,
        source: "CSS, Part A, 1.3", hint: "Move the flags to the advertising data.")
    static let basis = RuleBasis.pdu
    var scope: RuleScope { .advertiser }
    var interests: Set<RuleInterest> { [.advertising] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard let kind = event.advertisement?.kind, !event.structures(.flags).isEmpty else { return }
        let isResponse =
            switch kind {
            case .scanResponse, .extended(_, _, true), .own(true): true
            default: false
            }
        report.expect(!isResponse, expected: "no flags", observed: "flags in scan response data")
    }
}

struct DiscoverableModesExclude: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ADV-07", "Flags do not say both LE Limited and LE General Discoverable.", role: .peripheral,
        source: "Vol 3, Part C, 9.2.3 and 9.2.4", hint: "Set bit 0 in limited mode, bit 1 in general mode.")
    static let basis = RuleBasis.pdu
    var scope: RuleScope { .advertiser }
    var interests: Set<RuleInterest> { [.advertising] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard let flags = event.structures(.flags).first?.value.first else { return }
        report.expect(flags & 0x03 != 0x03, expected: "one of the two at most", observed: "flags \(hex(flags))")
    }
}

struct NameIsText: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ADV-08", "A local name is UTF-8.", role: .peripheral, source: "CSS, Part A, 1.2",
        hint: "Shorten a name between characters.")
    static let basis = RuleBasis.pdu
    var scope: RuleScope { .advertiser }
    var interests: Set<RuleInterest> { [.advertising] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        for structure in event.structures(.shortenedLocalName, .completeLocalName) {
            report.expect(
                String(validating: structure.value, as: UTF8.self) != nil, expected: "UTF-8",
                observed: "bytes \(structure.value.map { hex($0).dropFirst(2) }.joined(separator: " "))")
        }
    }
}

struct ShortNameBeginsLong: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ADV-09", "A shortened local name is the beginning of the complete one.", role: .peripheral,
        source: "CSS, Part A, 1.2", hint: "Cut the name at its end only.")
    static let basis = RuleBasis.pdu
    var scope: RuleScope { .advertiser }
    var interests: Set<RuleInterest> { [.advertising] }

    private var short: [UInt8]?
    private var long: [UInt8]?

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        let shortened = event.structures(.shortenedLocalName).first?.value
        let complete = event.structures(.completeLocalName).first?.value
        guard shortened != nil || complete != nil else { return }
        // The device has changed its name: the other form of the old name no longer counts.
        if let short, let shortened, shortened != short { long = nil }
        if let long, let complete, complete != long { short = nil }
        short = shortened ?? short
        long = complete ?? long
        guard let short, let long else { return }
        report.expect(
            long.starts(with: short), expected: "a beginning of \"\(String(decoding: long, as: UTF8.self))\"",
            observed: "\"\(String(decoding: short, as: UTF8.self))\"")
    }
}

struct IntervalRangeIsLegal: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ADV-10", "The peripheral's connection interval range is 6 to 3200, or 0xffff, and not upside down.",
        role: .peripheral, source: "CSS, Part A, 1.9", hint: "In 1.25 ms; 0xffff says that no limit is wanted.")
    static let basis = RuleBasis.pdu
    var scope: RuleScope { .advertiser }
    var interests: Set<RuleInterest> { [.advertising] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard let value = event.structures(.connectionIntervalRange).first.map({ ValueBytes($0.value) }),
            value.count == 4, let shortest = value.u16(0), let longest = value.u16(2)
        else { return }
        let isLegal = [shortest, longest].allSatisfy { (6...3200).contains($0) || $0 == .max }
        report.expect(
            isLegal && (shortest <= longest || shortest == .max), expected: "6 to 3200, the shorter first",
            observed: "\(hex(shortest)) to \(hex(longest))")
    }
}

struct RandomAddressIsLegal: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ADV-11",
        "The two top bits of a random address are 00, 01 or 11, and its other bits are neither all 0 nor all 1.",
        role: .peripheral, source: "Vol 6, Part B, 1.3.2",
        hint: "Draw a new address, and set the top bits by its kind.")
    static let basis = RuleBasis.pdu
    var scope: RuleScope { .advertiser }
    var interests: Set<RuleInterest> { [.advertising] }

    private var isDone = false

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard !isDone, case .advertised(let advertisement) = event.content, let address = advertisement.address,
            address.kind == .random
        else { return }
        isDone = true
        // A resolvable address has its random part in the upper half; the lower half is a hash.
        let isResolvable = address.address.randomKind == .resolvablePrivate
        let part = isResolvable ? address.address.value >> 24 & 0x3F_FFFF : address.address.value & 0x3FFF_FFFF_FFFF
        let ones: UInt64 = isResolvable ? 0x3F_FFFF : 0x3FFF_FFFF_FFFF
        report.expect(
            address.address.randomKind != .reserved && part != 0 && part != ones, expected: "a random address",
            observed: address.address.description)
    }
}

struct NameHasNoNUL: SpecificationRule {
    static let info = RuleInfo(
        "CORE-ADV-12", "A local name has no NUL.", role: .peripheral, severity: .warning, source: "CSS, Part A, 1.2",
        hint: "Leave out the C string's terminator: the structure's length ends the name.")
    static let basis = RuleBasis.pdu
    var scope: RuleScope { .advertiser }
    var interests: Set<RuleInterest> { [.advertising] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        for structure in event.structures(.shortenedLocalName, .completeLocalName) {
            let place = structure.value.firstIndex(of: 0)
            report.expect(
                place == nil, expected: "a name without NUL",
                observed: "NUL at byte \(place ?? 0) of \(structure.value.count)")
        }
    }
}
