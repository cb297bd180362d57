import Bytes
import PluginKit
import TestKit
import Testing

@testable import Aquavate

/// Energy from the time in each power state.
struct PowerUseTests {
    private func energy(_ spend: (inout PowerUse) -> Void) -> EnergyUse {
        var use = PowerUse()
        spend(&use)
        return use.energy
    }

    /// 100 µA are 2.4 mAh a day.
    @Test func aDayAsleep() throws {
        let energy = energy { $0.spend(86_400, in: .deepSleep) }
        #expect(abs(energy.charge - 2.4) < 1e-9)
        #expect(try #require(energy.days(of: 500)).rounded() == 208)
        #expect(energy.text.contains("500 mAh last 208 days, 1000 mAh last 417 days"))
        // 2 mA more add 48 mAh a day.
        #expect(energy.remarks == ["with an LED that nobody has cut off (2 mA): 10 and 20 days"])
    }

    @Test func eachStateHasItsCurrent() {
        let energy = energy { use in
            for state in PowerState.allCases { use.spend(3600, in: state) }
        }
        #expect(energy.states.map(\.charge) == [0.1, 50, 80, 20, 30])
        #expect(energy.states.map(\.name) == ["deep sleep", "wake", "measuring", "advertising", "connected"])
    }

    @Test func readingsTakeTheNextSecondsAwake() {
        let energy = energy { use in
            use.measure(readings: 10)
            use.spend(0.4, in: .wake)
            use.spend(10, in: .advertising)
            use.measure(readings: 10)
            use.spend(5, in: .deepSleep)
            use.spend(1, in: .wake)
        }
        let seconds = Dictionary(uniqueKeysWithValues: energy.states.map { ($0.name, $0.seconds) })
        #expect(seconds["measuring"]?.rounded(to: 6) == 1 && seconds["advertising"]?.rounded(to: 6) == 9.4)
        #expect(seconds["wake"] == 1 && seconds["deep sleep"] == 5)
    }

    @Test func noTimeIsNoEnergy() {
        #expect(PowerUse().energy.text == "Energy: no time has passed\n")
        #expect(PowerUse().energy.chargePerDay == nil && PowerUse().energy.days(of: 500) == nil)
    }

    /// A puck on a shelf: health checks every two hours, and the rollover at midnight.
    @Test func aDayOnAShelf() throws {
        let puck = try PuckFixture()
        puck.wait(86_400)
        let energy = try #require(puck.energy)
        #expect(abs(energy.seconds - 86_400) < 2)
        let seconds = Dictionary(uniqueKeysWithValues: energy.states.map { ($0.name, $0.seconds) })
        #expect(try #require(seconds["deep sleep"]) > 85_000)
        // The currents in the requirements add up to more than their "about 1 mAh a day".
        let remark = try #require(energy.remarks.first)
        #expect(remark.contains(" wakes by the timer: ") && remark.hasSuffix("(the requirements say about 1)"))
        #expect(try #require(Int(remark.prefix { $0.isNumber })) >= 11)
        #expect(try (4...12).contains(#require(energy.chargePerDay)))
    }

    @Test func aConnectedPuckIsConnected() throws {
        let puck = try PuckFixture()
        puck.wait(2)
        puck.connect()
        puck.wait(20)
        let energy = try #require(puck.energy)
        let seconds = Dictionary(uniqueKeysWithValues: energy.states.map { ($0.name, $0.seconds) })
        #expect(seconds["wake"] == 1.5)
        let connected = try #require(seconds["connected"]) + (seconds["measuring"] ?? 0)
        #expect(abs(connected - 20) < 0.6)
    }

    @Test func activityTellsIt() {
        let wakes = [
            PowerUse.Wake(start: 0, seconds: 100, isByTimer: false, hasDrink: true),
            PowerUse.Wake(start: 7200, seconds: 30, isByTimer: true, hasDrink: false),
        ]
        let energy = PowerUse(wakes, connections: [(start: 40, end: 60), (start: 90, end: 500)]).energy
        let seconds = Dictionary(uniqueKeysWithValues: energy.states.map { ($0.name, $0.seconds) })
        #expect(seconds["connected"] == 30)
        #expect(seconds["advertising"].map { $0 + (seconds["measuring"] ?? 0) }?.rounded(to: 6) == 70)
        #expect(seconds["deep sleep"] == 7098.5)
        #expect(seconds["wake"] == 33)
        #expect(energy.remarks.first?.hasPrefix("1 wakes by the timer") == true)
        #expect(PowerUse([], connections: []).energy.seconds == 0)
    }
}

extension PuckFixture {
    fileprivate var energy: EnergyUse? { twin?.energy(at: bench.now) }
}

extension Double {
    fileprivate func rounded(to decimals: Int) -> Double {
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        return (self * scale).rounded() / scale
    }
}
