import Bytes
package import Conformance
package import Conversation
package import Emulation
package import PluginKit
import Profile

/// Runs a client through situations in sequence, and evaluates the traffic of each with the rules of `check` for
/// clients.
package struct ClientRun {
    private let plugin: DevicePlugin
    private let plugins: PluginSet
    private let options: TestRun.Options
    private let makeDevice: (QuirkSelection?) throws -> EmulatedDevice
    /// Creates the bed for the next situation.
    private let makeBed: () throws -> any ClientBed
    private var results: RunResults
    /// Records that the client must have stored after all situations; nil where storage is not tested.
    package private(set) var delivery: Delivery?
    /// Receives the packets of each situation, in order.
    package var record: (([RecordedPacket]) throws -> Void)?
    /// Receives the texts of `say` steps.
    package var say: (String) -> Void = { _ in }

    /// - Parameter makeDevice: creates a device that has just been switched on, with the quirks of a situation, or
    ///   those of the run.
    package init(
        _ plugin: DevicePlugin, dialect: String?, plugins: PluginSet, _ options: TestRun.Options,
        makeDevice: @escaping (QuirkSelection?) throws -> EmulatedDevice, makeBed: @escaping () throws -> any ClientBed
    ) {
        self.plugin = plugin
        self.plugins = plugins
        self.options = options
        self.makeDevice = makeDevice
        self.makeBed = makeBed
        results = RunResults(plugin, dialect, role: .client)
    }

    /// The results of all situations and all client rules as one report.
    package func report(named file: String) -> CheckReport { results.report(named: file) }

    /// Time for the device to start advertising.
    private static let startTime = Duration.seconds(10)

    /// Runs a situation; the report includes the result.
    package mutating func run(_ situation: Situation) throws -> CaseResult {
        var last: CaseResult?
        for _ in 0..<max(1, options.repetitions) {
            let result = try attempt(situation)
            last = result
            if result.verdict == .fail { break }
        }
        guard let last else { throw TestStop.interrupted }
        results.append(last)
        return last
    }

    private mutating func attempt(_ situation: Situation) throws -> CaseResult {
        let bed = try makeBed()
        var result = situation.result(seed: options.seed)
        result.reproduction = options.reproduction(of: situation.id, by: "--situation")
        var player = ScenarioPlayer(try situation.scenario(at: bed.now), plugin.profile)
        var delivery = situation.delivery.map { Delivery($0, plugin.profile) }
        delivery?.hasNotes = bed.isVirtual
        let begin = bed.now
        var end: Timestamp?
        var stop: TestStop?
        // The client's displayed and stored values decide the rule; any other failure concerns only the situation.
        var aboutRule: [Finding] = []
        do {
            try checkPauses(of: player.pauses, on: bed)
            try bed.begin(makeDevice(situation.quirks))
            try play(&player, on: bed, &delivery)
            end = bed.now
            try settle(bed, &delivery)
        } catch let reason as TestStop {
            switch reason {
            case .interrupted: throw reason
            case .failed(let expected, let observed):
                aboutRule.append(Finding(moments: [], expected: expected, observed: observed))
            default: stop = reason
            }
        }
        result.seconds = ((end ?? bed.now) - begin) / .seconds(1)
        let place = FrameReference(frame: bed.packets.count, time: bed.now)
        for fault in delivery?.faults ?? [] {
            aboutRule.append(Finding(moments: [place], expected: fault.expected, observed: fault.observed))
        }
        result.add(player, at: place)
        if !aboutRule.isEmpty || (stop == nil && result.findings.isEmpty) { result.ruleFindings = aboutRule }
        result.findings += aboutRule
        let report = check(bed.packets)
        results.add(report, bed.packets, rules: options.rules, to: &result)
        result.verdict = TestRun.verdict(of: result, stop)
        if let earlier = options.earlier[situation.id] { result.compare(with: earlier, report) }
        if let delivery {
            if self.delivery == nil { self.delivery = delivery } else { self.delivery?.add(delivery) }
        }
        try record?(bed.packets)
        return result
    }

    /// Rejects pauses that are too long in real time, unless --timeout allows them.
    private func checkPauses(of pauses: Duration, on bed: any ClientBed) throws {
        if bed.isVirtual || pauses <= options.timeout ?? TestRun.Options.longestPause { return }
        throw TestStop.notApplicable("lets \(pauses.words) pass; a longer --timeout allows it")
    }

    /// Performs the steps, starting at the device's first advertising.
    private func play(
        _ player: inout ScenarioPlayer, on bed: any ClientBed, _ delivery: inout Delivery?
    ) throws {
        let limit = options.timeout.map { bed.now + $0 }
        var hasBegun = false
        while !player.isFinished {
            let due = [player.deadline ?? (bed.now + Self.startTime), limit].compactMap(\.self).min() ?? bed.now
            let events = try bed.events(until: due)
            if let limit, bed.now >= limit { throw TestStop.inconclusive("the situation took too long") }
            for event in events {
                if case .failed(let failure) = event.event, event.source == .device {
                    throw TestStop.inconclusive("the device's controller failed: \(failure)")
                }
                delivery?.take(event.event, from: event.source)
                if !hasBegun, event.source == .device, case .advertising = event.event {
                    hasBegun = true
                    try perform(player.begin(at: event.time), on: bed, &player)
                }
                try perform(player.take(event.event, from: event.source, at: event.time), on: bed, &player)
            }
            if events.isEmpty, !hasBegun { throw TestStop.inconclusive("the device's controller does not answer") }
            try perform(player.expire(at: bed.now), on: bed, &player)
        }
    }

    /// Waits for the client's reactions to the last step.
    private func settle(_ bed: any ClientBed, _ delivery: inout Delivery?) throws {
        let end = bed.now + .seconds(2)
        while bed.now < end {
            for event in try bed.events(until: end) { delivery?.take(event.event, from: event.source) }
        }
    }

    private func perform(
        _ actions: [Scenario.Action], on bed: any ClientBed, _ player: inout ScenarioPlayer
    ) throws {
        for action in actions {
            if case .say(let text) = action { say(text) } else { try bed.perform(action) }
        }
        if !actions.isEmpty { player.restartWait(at: bed.now) }
    }

    /// Compares the records that the client has stored with those that it has acknowledged in all situations; nil where
    /// the plugin does not define stored records. Without rows, `file` contains the reason.
    package mutating func compare(_ rows: [[String: String]]?, in file: String) -> CaseResult? {
        guard let delivery else { return nil }
        var result = CaseResult(
            "stored", title: "Each acknowledged record is stored, once", rule: nil, source: file, severity: .error,
            seed: options.seed)
        let missing = delivery.columns.filter { column in rows?.first.map { $0[column] == nil } ?? false }
        if let rows, missing.isEmpty {
            for fault in delivery.compare(rows).prefix(Tally.findingLimit) {
                result.findings.append(Finding(moments: [], expected: fault.expected, observed: fault.observed))
            }
            result.verdict = TestRun.verdict(of: result, nil)
        } else {
            result.verdict = .inconclusive(
                rows == nil ? file : "\(file) has no column \(missing.joined(separator: ", "))")
        }
        results.append(result)
        return result
    }

    /// Evaluates the client rules on the traffic.
    private func check(_ packets: [RecordedPacket]) -> CheckReport {
        var report = ConformanceCheck.report(on: packets.batch, plugins: plugins, asksOracle: false)
        report.keep(.client)
        report.excuse(.peripheral)
        return report
    }
}

extension CaseResult {
    /// Adds the player's measurements and failed expectations.
    fileprivate mutating func add(_ player: ScenarioPlayer, at place: FrameReference) {
        measurements = player.measurements.map {
            Measurement($0.text, allowed: $0.allowed / .seconds(1), measured: $0.measured.map { $0 / .seconds(1) })
        }
        for failure in player.failures {
            let expected = "line \(failure.place.line): \(failure.expected)"
            findings.append(Finding(moments: [place], expected: expected, observed: failure.observed))
        }
    }
}
