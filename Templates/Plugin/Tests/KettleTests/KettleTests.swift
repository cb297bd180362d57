import Bytes
import PluginKit
import Profile
import Testing

@testable import Kettle

@Test func heatsToTheTarget() throws {
    var twin = try KettleTwin()
    var now = Timestamp(nanoseconds: 0)
    _ = twin.handle(.powerOn, at: now)
    var actions = twin.handle(.written("target", [22], TwinClient(1)), at: now)
    #expect(actions.contains(.notify("state", [20, 1])))
    while let deadline = twin.deadline {
        now = deadline
        actions = twin.handle(.time, at: now)
    }
    #expect(now == Timestamp(nanoseconds: 2_000_000_000))
    #expect(actions.contains(.notify("state", [22, 0])))
}

/// KT-02 fails only if the temperature falls while the heater is on.
@Test(
    arguments: [([50, 1], [51, 1], true), ([50, 1], [49, 1], false), ([50, 0], [49, 0], nil)]
        as [([UInt8], [UInt8], Bool?)])
func aFallWhileHeatingFails(first: [UInt8], second: [UInt8], passes: Bool?) throws {
    let reading = ValueReading(try #require(Kettle.compiledProfile().types["state"]))
    var rule = HeatingRule()
    var report = RuleReport(ruleCount: 2)
    for (frame, bytes) in [first, second].enumerated() {
        let value = ValueBytes(bytes)
        reading.reset(to: value)
        let place = FrameReference(frame: frame + 1, time: .epoch, connection: 1)
        report.begin(at: place)
        rule.handle(Event(.value(AttributeValue(.notify, of: .state, value, reading)), at: place), &report)
    }
    #expect(report.passes == (passes == true ? [1] : []))
    #expect(report.entries.map(\.place) == (passes == false ? [1] : []))
}
