import Bytes
import Profile

/// Changes from an earlier run to this one, by device and rule.
package struct RunComparison: Sendable {
    /// The earlier run's capture.
    package let before: String
    /// Ordered by this run's devices and by rule id.
    package private(set) var changes: [Change] = []
    /// Devices present in only one of the runs.
    package private(set) var onlyNow: [String] = []
    package private(set) var onlyBefore: [String] = []

    package struct Change: Hashable, Sendable {
        package enum Kind: String, Sendable, CaseIterable {
            /// Broken now, not before.
            case broken = "newly_broken"
            case still = "still_broken"
            /// Obeyed now, broken before.
            case mended
            /// Broken as before, but waived now.
            case waived
            /// Evaluated before, but not now.
            case lost = "no_longer_judged"

            /// Text in reports for people.
            package var text: String {
                switch self {
                case .broken: "newly failing"
                case .still: "still failing"
                case .mended: "fixed"
                case .waived: "newly waived"
                case .lost: "no longer checked"
                }
            }
        }

        package var kind: Kind
        package var rule: String
        package var text: String
        /// The device's name, from this run if it is in both; nil for rules without a device.
        package var device: String?
        /// Verdicts; nil if a run does not have the rule.
        package var before: String?
        package var now: String?
        /// The current observation; nil if nothing is broken now.
        package var detail: String?
    }

    package init(_ now: RunOutline, against before: RunOutline) {
        self.before = before.file
        let partners = Self.pairs(now.devices, before.devices)
        onlyNow = now.devices.indices.filter { partners[$0] == nil }.map { now.devices[$0].name }
        let names = Dictionary(uniqueKeysWithValues: partners.map { ($1, now.devices[$0].name) })
        onlyBefore = before.devices.indices.filter { names[$0] == nil }.map { before.devices[$0].name }

        var seen: Set<RunOutline.Subject> = []
        for (subject, standing) in now.standings {
            let earlier = Self.earlier(subject, partners)
            if let earlier { seen.insert(earlier) }
            add(
                subject, earlier.flatMap { before.standings[$0] }, standing, subject.device.map { now.devices[$0].name }
            )
        }
        for (subject, standing) in before.standings where !seen.contains(subject) {
            add(subject, standing, nil, subject.device.map { names[$0] ?? before.devices[$0].name })
        }
        sort(by: now.devices.map(\.name) + onlyBefore)
    }

    /// Whether a rule is newly broken. Warnings count only if `isStrict`.
    package func hasNewFailures(isStrict: Bool) -> Bool {
        changes.contains { $0.kind == .broken && ($0.now == "fail" || isStrict) }
    }

    package func count(_ kind: Change.Kind) -> Int { changes.count { $0.kind == kind } }

    private mutating func add(
        _ subject: RunOutline.Subject, _ before: RunOutline.Standing?, _ now: RunOutline.Standing?, _ device: String?
    ) {
        guard let kind = Self.kind(before?.verdict, now?.verdict), let known = now ?? before else { return }
        changes.append(
            Change(
                kind: kind, rule: subject.rule, text: known.text, device: device, before: before?.verdict,
                now: now?.verdict, detail: now?.detail))
    }

    /// The kind of a change of verdict; nil if it is not worth reporting.
    private static func kind(_ before: String?, _ now: String?) -> Change.Kind? {
        let (was, isNow) = (severity(before), severity(now))
        if isNow > was { return .broken }
        if isNow > 0 { return .still }
        switch now {
        case "pass": return was > 0 ? .mended : nil
        case "waived": return was > 0 ? .waived : nil
        default: return was > 0 || before == "pass" ? .lost : nil
        }
    }

    private static func severity(_ verdict: String?) -> Int {
        switch verdict {
        case "fail": 2
        case "warning": 1
        default: 0
        }
    }

    private mutating func sort(by devices: [String]) {
        let places = Dictionary(devices.enumerated().map { ($1, $0) }) { first, _ in first }
        let kinds = Change.Kind.allCases
        func key(_ change: Change) -> (Int, Int, String) {
            (kinds.firstIndex(of: change.kind) ?? 0, change.device.map { places[$0] ?? 0 } ?? -1, change.rule)
        }
        changes.sort { key($0) < key($1) }
    }
}

// MARK: - Matching devices

extension RunComparison {
    /// The index of the earlier device for each device: the one with the same name, else the same address, else the
    /// only remaining one matched by the same plugin. Private addresses change, and names change with them.
    static func pairs(_ now: [RunOutline.Device], _ before: [RunOutline.Device]) -> [Int: Int] {
        var partners: [Int: Int] = [:]
        var taken: Set<Int> = []
        func pair(_ key: (RunOutline.Device) -> String?) {
            let ours = Dictionary(grouping: now.indices.filter { partners[$0] == nil }) { key(now[$0]) }
            let theirs = Dictionary(grouping: before.indices.filter { !taken.contains($0) }) { key(before[$0]) }
            for case (let key?, let indices) in ours {
                guard indices.count == 1, let others = theirs[key], others.count == 1 else { continue }
                partners[indices[0]] = others[0]
                taken.insert(others[0])
            }
        }
        pair(\.name)
        pair(\.address)
        pair(\.plugin)
        return partners
    }

    /// The same rule and device in the earlier run; nil if that run does not have the device.
    private static func earlier(_ subject: RunOutline.Subject, _ partners: [Int: Int]) -> RunOutline.Subject? {
        guard let device = subject.device else { return subject }
        return partners[device].map { RunOutline.Subject(rule: subject.rule, device: $0) }
    }
}

// MARK: - Text

extension RunComparison {
    /// One line with the count of each kind, then one line per change up to `limit`. Rules no longer evaluated share
    /// one line per device.
    package func lines(limit: Int) -> [String] {
        let counts = Change.Kind.allCases.map { ($0, count($0)) }.filter { $0.1 > 0 }
        var lines = [counts.isEmpty ? "nothing has changed" : counts.map { "\($1) \($0.text)" }.joined(separator: ", ")]
        let reported = changes.filter { $0.kind != .lost }
        lines += reported.prefix(limit).map(Self.line)
        if reported.count > limit { lines.append("and \(reported.count - limit) more") }
        lines += lostLines(limit: limit)
        if !onlyNow.isEmpty { lines.append("only in this run: \(Self.list(onlyNow, limit: limit))") }
        if !onlyBefore.isEmpty { lines.append("only in the other run: \(Self.list(onlyBefore, limit: limit))") }
        return lines
    }

    /// Rules no longer evaluated, one line per device.
    private func lostLines(limit: Int) -> [String] {
        let lost = changes.filter { $0.kind == .lost }
        var devices: [String?] = []
        for change in lost where !devices.contains(change.device) { devices.append(change.device) }
        return devices.prefix(limit).map { device in
            let title = device.map { " (\($0.legible()))" } ?? ""
            let rules = lost.filter { $0.device == device }.map(\.rule)
            return "\(Change.Kind.lost.text)\(title): \(Self.list(rules, limit: limit))"
        }
    }

    private static func line(_ change: Change) -> String {
        let device = change.device.map { " (\($0.legible()))" } ?? ""
        let isPlain = change.kind == .still || change.kind == .mended
        let was = isPlain ? "" : ", was \(word(change.before))"
        let detail = change.detail.map { ": \($0.legible(limit: 400))" } ?? ""
        return "\(change.kind.text): \(change.rule.legibleLine()) \(change.text.legibleLine())\(device)\(was)\(detail)"
    }

    private static func word(_ verdict: String?) -> String {
        verdict?.asWords.legible(limit: 40) ?? "not there"
    }

    private static func list(_ names: [String], limit: Int) -> String {
        let shown = names.prefix(limit).map { $0.legible(limit: 100) }.joined(separator: ", ")
        return names.count > limit ? "\(shown) and \(names.count - limit) more" : shown
    }
}
