import PluginKit
import Profile

/// The Kettle plugin: profile, one rule and a twin.
public enum Kettle: BuiltInPlugin {
    public static let name = "Kettle"
    public static var profile: ProfileText { DeviceProfile.text }
    public static var behaviour: (any PluginBehaviour)? { KettleBehaviour() }
}

struct KettleBehaviour: PluginBehaviour {
    func makeRules(dialect: String?) -> [any Rule] { [HeatingRule()] }
    func makeTwin(_ settings: TwinSettings) throws(TwinFault) -> (any DeviceTwin)? { try KettleTwin() }
}

/// KT-02: the temperature does not fall while the heater is on. Each connection has its own instance. The types come from
/// the profile; renaming a field there is a compile error here.
struct HeatingRule: Rule {
    private var last: (temperature: Int, moment: FrameReference)?

    var rules: [RuleIndex] { [.kt02] }
    var interests: Set<RuleInterest> { [.values(of: .state)] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .value(let value) = event.content else {
            // After a gap in the capture, the last temperature is unknown.
            last = nil
            return
        }
        guard let reading = value.reading, let state = DeviceProfile.State(reading) else { return }
        let before = last
        last = (state.temperature, event.moment)
        guard state.heating, let before else { return }
        if state.temperature >= before.temperature { return report.pass(.kt02) }
        report.fail(
            .kt02, expected: "at least \(before.temperature) °C", observed: "\(state.temperature) °C",
            at: [before.moment, event.moment])
    }
}
