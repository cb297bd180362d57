import Bytes
import Captures
package import Conformance
package import Conversation
import Emulation
import GATT
import PluginKit
import Profile

/// Goes through cases one after the other, and evaluates the traffic of each with the rules of `check` and the oracle.
package struct TestRun {
    /// What the user asks of a run.
    package struct Options: Sendable {
        package var seed: UInt64 = 1
        /// How often each case is run.
        package var repetitions = 1
        /// Rules whose results are wanted; empty for all.
        package var rules: Set<String> = []
        /// How long a case may take; nil for as long as it does.
        package var timeout: Duration?
        /// The command that runs the cases, without their IDs and the seed; nil where there is none to name.
        package var command: String?

        package init() {}
    }

    private let device: TestedDevice
    private let plugins: PluginSet
    private let options: Options
    /// The bed for the next case: a fresh one where the device is a twin.
    private let makeBed: () throws -> any TestBed
    private var frames = 0
    private var start: Int64?
    private var end: Int64 = 0
    private var rules = RuleTable()
    package private(set) var coverage = Coverage()
    package private(set) var cases: [CaseResult] = []
    /// What wakes the device when it is not to be found.
    package var wake: [HandAction] = []
    /// Gets the packets of each case, in order.
    package var record: (([RecordedPacket]) throws -> Void)?

    package init(
        _ device: TestedDevice, plugins: PluginSet, _ options: Options, makeBed: @escaping () throws -> any TestBed
    ) {
        self.device = device
        self.plugins = plugins
        self.options = options
        self.makeBed = makeBed
    }

    /// Runs a case; its result is in `cases` as well.
    package mutating func run(_ testCase: TestCase) throws -> CaseResult {
        var last: CaseResult?
        for _ in 0..<max(1, options.repetitions) {
            let attempt = try attempt(testCase)
            var result = try keep(attempt, of: testCase)
            if result.verdict == .fail, let shrinking = testCase.shrinking, attempt.isVirtual {
                result.steps = try shrink(shrinking, result).map { shrinking.steps[$0] }
            }
            last = result
            if result.verdict == .fail { break }
        }
        guard let last else { throw TestStop.interrupted }
        cases.append(last)
        return last
    }

    /// One run of a case.
    private struct Attempt {
        var findings: [Finding] = []
        var stop: TestStop?
        var report = CheckReport()
        var packets: [RecordedPacket] = []
        var duration = Duration.zero
        var coverage = Coverage()
        var isVirtual = true

        /// Ids of the broken rules of the traffic that are not only warnings.
        var brokenRules: [String] {
            report.results.filter { $0.verdict == .fail }.map { report.rules[$0.rule].id }
        }
    }

    private func attempt(_ testCase: TestCase) throws -> Attempt {
        var attempt = Attempt()
        if let assumed = assumption(of: testCase) {
            attempt.stop = .notApplicable("the case is about devices with quirk \(assumed)")
            return attempt
        }
        let bed = try makeBed()
        try bed.begin()
        let tester = LowerTester(device, bed: bed)
        tester.wake = wake
        tester.deadline = options.timeout.map { bed.now + $0 }
        let begin = bed.now
        attempt.isVirtual = bed.isVirtual
        do {
            try testCase.body(tester)
        } catch TestStop.failed(let expected, let observed) {
            tester.fail(expected: expected, observed: observed)
        } catch let stop as TestStop {
            if stop == .interrupted { throw stop }
            attempt.stop = stop
        }
        attempt.findings = tester.findings
        attempt.duration = bed.now - begin
        attempt.coverage = tester.coverage
        tester.deadline = nil
        try? tester.disconnect()
        attempt.packets = bed.packets
        attempt.report = check(bed.packets)
        return attempt
    }

    /// The quirk that a case, or its rule, is about and the device is known not to have.
    private func assumption(of testCase: TestCase) -> String? {
        let rules = device.plugin.profile.profile.rules
        let assumed = testCase.assumed ?? testCase.rule.flatMap { id in rules.first { $0.id == id }?.assumed }
        return assumed.flatMap { device.plugin.shows($0) ? nil : $0 }
    }

    /// What the rules of the device's side say of the traffic.
    private func check(_ packets: [RecordedPacket]) -> CheckReport {
        let packets = packets.batch
        let tracker = ConversationTracker(plugins)
        var check = evaluate(packets, tracker)
        // What came before the device was recognized is evaluated with what is known of it now.
        if check.hasMissed { check = evaluate(packets, tracker.restarted()) }
        var report = check.finish()
        report.keep(.peripheral)
        report.excuseCentral()
        let rules = device.plugin.profile.profile.rules.filter { $0.assumed.map { !device.plugin.shows($0) } ?? false }
        report.leaveOut(Set(rules.map(\.id)), "the rule is about devices with a quirk that this one has not")
        return report
    }

    private func evaluate(_ packets: PacketBatch, _ tracker: ConversationTracker) -> ConformanceCheck {
        var batch = TrackedBatch()
        batch.fill(packets)
        tracker.follow(&batch)
        let check = ConformanceCheck(plugins: plugins, asksOracle: true)
        check.judge(batch)
        return check
    }

    private mutating func keep(_ attempt: Attempt, of testCase: TestCase) throws -> CaseResult {
        var result = CaseResult(testCase, seed: options.seed)
        result.seconds = attempt.duration / .seconds(1)
        result.reproduction = options.command.map { command in
            let isPlain = testCase.id.allSatisfy { $0.isLetter || $0.isNumber || "._-".contains($0) }
            return "\(command) --case \(isPlain ? testCase.id : "'\(testCase.id)'") --seed \(options.seed)"
        }
        result.findings = attempt.findings.map { $0.shifted(by: frames) }
        let wanted = options.rules
        let isWanted = { (rule: String) in wanted.isEmpty || wanted.contains(rule) }
        result.brokenRules = attempt.brokenRules.filter(isWanted).distinct
        result.frames = (frames + 1)...max(frames + 1, frames + attempt.packets.count)
        result.verdict =
            switch attempt.stop {
            case _ where !attempt.findings.isEmpty:
                testCase.severity == .warning && result.brokenRules.isEmpty ? .warning : .fail
            case _ where !result.brokenRules.isEmpty: .fail
            case .inconclusive(let reason)?: .inconclusive(reason)
            case .notApplicable(let reason)?: .notApplicable(reason)
            default: .pass
            }
        rules.add(attempt.report, after: frames, isWanted: isWanted)
        coverage.add(attempt.coverage)
        try record?(attempt.packets)
        if let first = attempt.packets.first { start = min(start ?? .max, first.time.nanoseconds) }
        if let last = attempt.packets.last { end = max(end, last.time.nanoseconds) }
        frames += attempt.packets.count
        return result
    }

    // MARK: - Shrinking

    /// Runs of a case while it is made shorter.
    private static let shrinkLimit = 200

    /// The fewest steps that fail in the same way, as far as they are found by leaving ever smaller parts out.
    private func shrink(_ shrinking: TestCase.Shrinking, _ result: CaseResult) throws -> [Int] {
        var kept = Array(shrinking.steps.indices)
        var size = max(1, kept.count / 2)
        var runs = 0
        while runs < Self.shrinkLimit {
            let count = kept.count
            var start = 0
            while start < kept.count, runs < Self.shrinkLimit {
                let without = Array(kept[..<start] + kept[min(start + size, kept.count)...])
                runs += 1
                if try isSame(attempt(shrinking.keeping(without)), as: result) { kept = without } else { start += size }
            }
            if size == 1, kept.count == count { break }
            size = max(1, size / 2)
        }
        return kept
    }

    /// Whether a run fails in the way of a result: it breaks one of the same rules, or, where that broke none, anything.
    private func isSame(_ attempt: Attempt, as result: CaseResult) -> Bool {
        let broken = attempt.brokenRules
        if result.brokenRules.isEmpty { return !attempt.findings.isEmpty || !broken.isEmpty }
        return !Set(broken).isDisjoint(with: result.brokenRules)
    }
}

// MARK: - The report

extension TestRun {
    /// The results of all cases, and of all rules over their traffic, as one report.
    package func report(named file: String) -> CheckReport {
        var report = rules.report
        report.file = file
        report.frames = frames
        report.times = start.map { $0...max($0, end) }
        var device = report.devices.first ?? CheckedDevice()
        device.plugin = self.device.plugin.id
        device.dialect = self.device.dialect
        if device.title == "?" { device.title = self.device.plugin.profile.profile.header.title }
        report.devices = [device]
        for one in cases { add(one, to: &report) }
        report.cases = cases
        return report
    }

    /// A case as a rule of its own, and as the result of the rule that it decides.
    private func add(_ one: CaseResult, to report: inout CheckReport) {
        var info = RuleInfo(
            one.id, one.title, role: .peripheral, severity: one.severity, source: one.source,
            hint: one.verdict == .fail ? one.reproduction : nil)
        info.plugin = device.plugin.id
        info.quirk = one.quirk
        var tally = Tally()
        for finding in one.findings { tally.add(.fail(finding)) }
        if one.findings.isEmpty, !one.brokenRules.isEmpty {
            tally.add(
                .fail(
                    Finding(
                        moments: [FrameReference(frame: one.frames.upperBound, time: end)],
                        expected: "traffic that breaks no rule",
                        observed: one.brokenRules.joined(separator: ", "))))
        }
        if one.verdict == .pass { tally.add(.pass) }
        report.rules.append(info)
        report.results.append(
            RuleResult(rule: report.rules.count - 1, device: 0, connection: nil, verdict: one.verdict, tally: tally))
        report.ruleIDs.insert(one.id)
        guard let rule = one.rule, let place = report.rules.firstIndex(where: { $0.id == rule }),
            let result = report.results.firstIndex(where: { $0.rule == place })
        else { return }
        var merged = report.results[result].tally
        merged.add(tally)
        report.results[result].tally = merged
        if !merged.isEmpty { report.results[result].verdict = merged.verdict(report.rules[place].severity) }
    }
}

/// The results of all rules over all cases: a rule has one result, whatever case it comes from.
private struct RuleTable {
    private(set) var report = CheckReport()
    private var places: [String: Int] = [:]

    /// Adds the report of a case; `frames` is the number of frames before it.
    mutating func add(_ other: CheckReport, after frames: Int, isWanted: (String) -> Bool) {
        if report.devices.isEmpty || report.devices[0].address == nil,
            let device = other.devices.first(where: { !$0.isCentral && $0.plugin != nil })
        {
            report.devices = [device]
        }
        report.ruleIDs.formUnion(other.ruleIDs)
        for result in other.results {
            let info = other.rules[result.rule]
            var tally = result.tally
            if !isWanted(info.id) { continue }
            tally.findings = tally.findings.map { $0.shifted(by: frames) }
            let place = place(of: info)
            report.results[place].tally.add(tally)
            let merged = report.results[place].tally
            if merged.isEmpty {
                if case .notApplicable = report.results[place].verdict {
                    report.results[place].verdict = result.verdict
                }
            } else {
                report.results[place].verdict = merged.verdict(info.severity)
            }
        }
    }

    private mutating func place(of info: RuleInfo) -> Int {
        if let place = places[info.id] { return place }
        report.rules.append(info)
        report.results.append(
            RuleResult(
                rule: report.rules.count - 1, device: 0, connection: nil, verdict: .notApplicable("did not come up")))
        places[info.id] = report.results.count - 1
        return report.results.count - 1
    }
}

extension CheckReport {
    /// Rules that are not about the device.
    fileprivate mutating func leaveOut(_ ids: Set<String>, _ reason: String) {
        if ids.isEmpty { return }
        for index in results.indices where ids.contains(rules[results[index].rule].id) {
            results[index].tally = Tally()
            results[index].verdict = .notApplicable(reason)
        }
    }

    /// What the tester itself sent is held against nobody: it sends wrong values on purpose.
    fileprivate mutating func excuseCentral() {
        for index in results.indices {
            let findings = results[index].tally.findings
            guard !findings.isEmpty, findings.allSatisfy({ $0.moments.last?.sender == .central }) else { continue }
            results[index].tally = Tally()
            results[index].verdict = .notApplicable("only the tester broke it")
        }
    }
}

extension [String] {
    /// Each once, in order.
    fileprivate var distinct: [String] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}

extension Finding {
    /// The finding with its frames counted in a longer recording; `frames` is the number of frames before.
    fileprivate func shifted(by frames: Int) -> Finding {
        var finding = self
        for index in finding.moments.indices { finding.moments[index].frame += frames }
        return finding
    }
}
