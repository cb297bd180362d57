import Bluetooth
import Bytes
import Captures
package import Conformance
package import Conversation
import Emulation
import PluginKit
import Profile

/// Runs cases in sequence, and evaluates the traffic of each with the rules of `check` and the oracle.
package struct TestRun {
    /// Options of a run.
    package struct Options: Sendable {
        package var seed: UInt64 = 1
        /// Number of runs of each case; a failure ends them.
        package var repetitions = 1
        /// Rules to include in the results; empty for all.
        package var rules: Set<String> = []
        /// Time limit of a case; nil for none.
        package var timeout: Duration?
        /// The command that runs the cases, without their IDs and the seed; nil for none.
        package var command: String?
        /// Failures of the run that this one repeats, by case ID.
        package var earlier: [String: EarlierFailure] = [:]

        package init() {}

        /// Maximum total of a case's pauses in real time, unless a time limit is given.
        static let longestPause = Duration.seconds(300)

        /// The command that repeats a case.
        func reproduction(of id: String, by option: String) -> String? {
            let isPlain = id.allSatisfy { $0.isLetter || $0.isNumber || "._-".contains($0) }
            return command.map { "\($0) \(option) \(isPlain ? id : "'\(id)'") --seed \(seed)" }
        }
    }

    private let device: TestedDevice
    private let plugins: PluginSet
    private let options: Options
    /// Creates the bed for the next case: a new one where the device is a twin.
    private let makeBed: () throws -> any TestBed
    private var results: RunResults
    /// Number of consecutive cases in which the device was not found.
    private var misses = 0
    /// Rules broken by the discovery of an earlier case. Every case starts with a discovery; only the first fails for
    /// it.
    private var brokenInDiscovery: Set<String> = []
    /// Whether one of the devices in range has been selected.
    private var hasChosen = false
    package private(set) var coverage = Coverage()
    /// Actions that wake the device when it is not found.
    package var wake: [HandAction] = []
    /// Receives the packets of each case, in order.
    package var record: (([RecordedPacket]) throws -> Void)?

    package init(
        _ device: TestedDevice, plugins: PluginSet, _ options: Options, makeBed: @escaping () throws -> any TestBed
    ) {
        self.device = device
        self.plugins = plugins
        self.options = options
        self.makeBed = makeBed
        results = RunResults(device.plugin, device.dialect, role: .peripheral)
    }

    package var cases: [CaseResult] { results.cases }

    /// The results of all cases and of all rules over their traffic, as one report.
    package func report(named file: String) -> CheckReport { results.report(named: file) }

    /// Runs a case; its result is also added to `cases`.
    package mutating func run(_ testCase: TestCase) throws -> CaseResult {
        var last: CaseResult?
        for _ in 0..<max(1, options.repetitions) {
            let attempt = try attempt(testCase)
            misses = attempt.isMissing && !attempt.isVirtual ? misses + 1 : 0
            var result = try keep(attempt, of: testCase)
            if result.verdict == .fail, let shrinking = testCase.shrinking, attempt.isVirtual {
                result.steps = try shrink(shrinking, result).map { shrinking.steps[$0] }
            }
            last = result
            if result.verdict == .fail { break }
        }
        guard let last else { throw TestStop.interrupted }
        results.append(last)
        return last
    }

    /// Number of consecutive cases without the device, after which the search in each case is short.
    private static let missLimit = 2

    /// One run of a case.
    private struct Attempt {
        var findings: [Finding] = []
        /// Number of packets up to the end of the first discovery.
        var discoveryEnd = 0
        /// Whether the case reached the point that decides its rule.
        var isDecided = false
        var stop: TestStop?
        var report = CheckReport()
        var packets: [RecordedPacket] = []
        var duration = Duration.zero
        var coverage = Coverage()
        var isVirtual = true
        var isMissing = false
    }

    private mutating func attempt(_ testCase: TestCase) throws -> Attempt {
        var attempt = Attempt()
        if let assumed = assumption(of: testCase) {
            attempt.stop = .notApplicable("the case is about devices with quirk \(assumed)")
            return attempt
        }
        let bed = try makeBed()
        try bed.begin()
        let tester = LowerTester(device, bed: bed)
        tester.wake = wake
        tester.hasChosen = hasChosen
        tester.deadline = options.timeout.map { bed.now + $0 }
        if misses >= Self.missLimit { tester.searchLimit = .seconds(2) }
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
        let earlier = options.earlier[testCase.id]
        if earlier?.expected.isEmpty == true, attempt.stop == nil, tester.findings.isEmpty {
            try? tester.exerciseValues()
        }
        attempt.findings = tester.findings
        attempt.discoveryEnd = tester.discoveryEnd ?? 0
        attempt.isDecided = attempt.stop == nil && !tester.hasFailedPreparing
        attempt.duration = bed.now - begin
        attempt.coverage = tester.coverage
        attempt.isMissing = tester.isMissing
        hasChosen = tester.hasChosen
        tester.deadline = nil
        try? tester.disconnect()
        attempt.packets = bed.packets
        attempt.report = check(bed.packets)
        return attempt
    }

    /// The quirk that a case or its rule requires, if the device is known not to have it.
    private func assumption(of testCase: TestCase) -> String? {
        let rules = device.plugin.profile.profile.rules
        let assumed = testCase.assumed ?? testCase.rule.flatMap { id in rules.first { $0.id == id }?.assumed }
        return assumed.flatMap { device.plugin.shows($0) ? nil : $0 }
    }

    /// Evaluates the peripheral rules on the traffic.
    private func check(_ packets: [RecordedPacket]) -> CheckReport {
        var report = ConformanceCheck.report(on: packets.batch, plugins: plugins, asksOracle: true)
        report.keep(.peripheral)
        report.excuse(.client)
        let rules = device.plugin.profile.profile.rules.filter { $0.assumed.map { !device.plugin.shows($0) } ?? false }
        report.leaveOut(Set(rules.map(\.id)), "the rule is about devices with a quirk that this one has not")
        return report
    }

    private mutating func keep(_ attempt: Attempt, of testCase: TestCase) throws -> CaseResult {
        var result = CaseResult(testCase, seed: options.seed)
        result.seconds = attempt.duration / .seconds(1)
        result.reproduction = options.reproduction(of: testCase.id, by: "--case")
        result.findings = attempt.findings
        result.ruleFindings = attempt.isDecided ? attempt.findings : nil
        let discovery = attempt.report.brokenRules(upTo: attempt.discoveryEnd)
        results.add(attempt.report, attempt.packets, rules: options.rules, to: &result)
        result.brokenRules.removeAll { discovery.contains($0) && brokenInDiscovery.contains($0) }
        brokenInDiscovery.formUnion(discovery)
        result.verdict = Self.verdict(of: result, attempt.stop)
        if let earlier = options.earlier[testCase.id] { result.compare(with: earlier, attempt.report) }
        coverage.add(attempt.coverage)
        try record?(attempt.packets)
        return result
    }

    /// The verdict of a case from its findings and broken rules.
    static func verdict(of result: CaseResult, _ stop: TestStop?) -> Verdict {
        switch stop {
        case _ where !result.findings.isEmpty:
            result.severity == .warning && result.brokenRules.isEmpty ? .warning : .fail
        case _ where !result.brokenRules.isEmpty: .fail
        case .inconclusive(let reason)?: .inconclusive(reason)
        case .notApplicable(let reason)?: .notApplicable(reason)
        default: .pass
        }
    }

    // MARK: - Shrinking

    /// Maximum number of runs to shrink a case.
    private static let shrinkLimit = 200

    /// Finds a small set of steps that fails in the same way, by leaving out ever smaller parts.
    private mutating func shrink(_ shrinking: TestCase.Shrinking, _ result: CaseResult) throws -> [Int] {
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

    /// Whether a run fails like a result: it breaks one of the same rules, or, if the result broke none, fails in any
    /// way.
    private func isSame(_ attempt: Attempt, as result: CaseResult) -> Bool {
        let broken = attempt.report.brokenRules
        if result.brokenRules.isEmpty { return !attempt.findings.isEmpty || !broken.isEmpty }
        return !Set(broken).isDisjoint(with: result.brokenRules)
    }
}

extension CheckReport {
    /// Marks rules that do not apply to the device.
    fileprivate mutating func leaveOut(_ ids: Set<String>, _ reason: String) {
        if ids.isEmpty { return }
        for index in results.indices where ids.contains(rules[results[index].rule].id) {
            results[index].tally = Tally()
            results[index].verdict = .notApplicable(reason)
        }
    }
}

extension ConformanceCheck {
    /// Evaluates the rules on the traffic of a case.
    static func report(on packets: PacketBatch, plugins: PluginSet, asksOracle: Bool) -> CheckReport {
        func evaluate(_ tracker: ConversationTracker) -> ConformanceCheck {
            var batch = TrackedBatch()
            batch.fill(packets)
            tracker.follow(&batch)
            let check = ConformanceCheck(plugins: plugins, asksOracle: asksOracle)
            check.check(batch)
            check.flush()
            return check
        }
        let tracker = ConversationTracker(plugins)
        let check = evaluate(tracker)
        // Packets from before the device was recognized are evaluated again with the knowledge gained since.
        return check.hasMissed ? evaluate(tracker.restarted()).finish() : check.finish()
    }
}
