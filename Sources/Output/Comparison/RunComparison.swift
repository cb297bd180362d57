import Bytes
import Profile

/// What has changed from an earlier run to this one, by device and rule.
package struct RunComparison: Sendable {
    /// The earlier run's capture.
    package let before: String
    /// In the order of this run's devices and of the rules' ids.
    package private(set) var changes: [Change] = []
    /// Devices that only one of the runs has.
    package private(set) var onlyNow: [String] = []
    package private(set) var onlyBefore: [String] = []

    /// What became of a rule.
    package struct Change: Hashable, Sendable {
        package enum Kind: String, Sendable, CaseIterable {
            /// Broken, and was not before.
            case broken = "newly_broken"
            case still = "still_broken"
            /// Obeyed, and was broken before.
            case mended
            /// Broken as before, and excused now.
            case waived
            /// Judged before, and not any more.
            case lost = "no_longer_judged"

            /// In reports for people.
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
        /// The device's name in the run that has it, this one if both have; nil for what is about none.
        package var device: String?
        /// Verdicts; nil where a run does not have the rule.
        package var before: String?
        package var now: String?
        /// What is observed now; nil where nothing is broken now.
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

    /// Whether something is broken that was not before; warnings count if they count as failures.
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

    /// What a change of verdict means; nil for nothing worth telling.
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

    /// How badly a rule is broken.
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

// MARK: - Which device is which

extension RunComparison {
    /// The earlier device for each device, by their indices: the one of the same name, else of the same address, else
    /// the only one left that the same plugin describes. Private addresses change, and names go with them.
    private static func pairs(_ now: [RunOutline.Device], _ before: [RunOutline.Device]) -> [Int: Int] {
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

    /// The same rule in the earlier run, for the same device; nil where that run does not have the device.
    private static func earlier(_ subject: RunOutline.Subject, _ partners: [Int: Int]) -> RunOutline.Subject? {
        guard let device = subject.device else { return subject }
        return partners[device].map { RunOutline.Subject(rule: subject.rule, device: $0) }
    }
}

// MARK: - In words

extension RunComparison {
    /// A line for how many there are of each kind, then one for each change, as far as `limit` goes; what is no longer
    /// judged stands in one line for each device.
    package func lines(limit: Int) -> [String] {
        let counts = Change.Kind.allCases.map { ($0, count($0)) }.filter { $0.1 > 0 }
        var lines = [counts.isEmpty ? "nothing has changed" : counts.map { "\($1) \($0.text)" }.joined(separator: ", ")]
        let told = changes.filter { $0.kind != .lost }
        lines += told.prefix(limit).map(Self.line)
        if told.count > limit { lines.append("and \(told.count - limit) more") }
        lines += lostLines(limit: limit)
        if !onlyNow.isEmpty { lines.append("only in this run: \(Self.list(onlyNow, limit: limit))") }
        if !onlyBefore.isEmpty { lines.append("only in the other run: \(Self.list(onlyBefore, limit: limit))") }
        return lines
    }

    /// What is no longer judged, a line for each device.
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
