import Bytes
import Conformance
import Emulation
package import PluginKit
import Profile

/// A test case for a client: actions of the device, actions of the client's user, and the expected outcome.
package struct Situation: Sendable {
    let script: ScriptCase
    let plugin: DevicePlugin
    /// Records that the client must store; nil where storage is not tested.
    let delivery: DeliveryDefinition?

    package var id: String { script.id }
    package var title: String { script.title }
    package var tags: Set<String> { script.tags }
    /// The quirks of the device; nil for those of the run.
    var quirks: QuirkSelection? { script.quirks }
    var severity: RuleDefinition.Severity { script.severity }

    /// The steps as a scenario that starts at a time.
    func scenario(at now: Timestamp) throws -> Scenario {
        let faults = FaultList()
        let steps = script.steps(plugin.vocabulary, faults, now: now)
        if let fault = faults.faults.first { throw TestStop.inconclusive(fault.line(in: script.file)) }
        return Scenario(title: title, plugin: plugin.id, steps: steps, file: script.file)
    }

    func result(seed: UInt64) -> CaseResult {
        var result = CaseResult(
            id, title: title, rule: script.rule, source: "\(script.file):\(script.place.line)", severity: severity,
            seed: seed)
        result.quirk = script.quirk
        return result
    }
}

extension TestScript {
    /// The script's situations for a device of a dialect.
    package func situations(_ plugin: DevicePlugin, dialect: String?) -> [Situation] {
        guard role == .client else { return [] }
        return cases.filter { $0.dialect == nil || $0.dialect == dialect }
            .map { Situation(script: $0, plugin: plugin, delivery: delivery) }
    }
}

extension ScriptCase {
    /// The steps as scenario steps, with variables substituted.
    func steps(_ words: ScenarioVocabulary, _ faults: FaultList, now: Timestamp = VirtualBed.morning) -> [Scenario.Step]
    {
        var variables = variables(faults)
        variables["now"] = "\(now.nanoseconds / 1_000_000_000)"
        let form = ScenarioForms(words: words).step
        return steps.compactMap { form.read($0.substituting(variables, faults), faults) }
    }
}
