import Bytes
import PDUTestKit
import PluginKit
import TestKit
import Testing

@testable import BatteryTrace

/// The phone that exposes its battery level, and the estimator at the client.
struct PhoneTwinTests {
    @Test func itAdvertisesTheBatteryService() throws {
        var phone = try PhoneBench()
        let actions = phone.take()
        let advertising = actions.compactMap { if case .advertise(let advertising) = $0 { advertising } else { nil } }
        #expect(advertising.map(\.data) == [hex("020106 03030F18")])
        #expect(advertising.map(\.scanResponse) == [[13, 0x09] + Array("BatteryTrace".utf8)])
        #expect(actions.contains(.set("battery_level", [50])))
        phone.send(.connected(TwinClient(1)))
        #expect(phone.take() == [])
        phone.send(.disconnected(TwinClient(1)))
        #expect(phone.take().count == 1)
    }

    /// 3274 mAh at 3.82 V and 2.501 W: a per cent takes 180 s, as in the worked value of the protocol document.
    @Test func everyWholePercentIsToldOnce() throws {
        var phone = try PhoneBench()
        phone.happen("plug_in", 2.501)
        phone.wait(185 + 4 * 180)
        #expect(phone.levels.map(\.percent) == [51, 52, 53, 54, 55])
        for (one, next) in zip(phone.levels, phone.levels.dropFirst()) {
            #expect(abs((next.time - one.time) / .seconds(1) - 180) < 0.1)
        }
        #expect(phone.take().filter { $0 == .store }.count == 5)
    }

    @Test func itChargesToTheTopAndStays() throws {
        var phone = try PhoneBench()
        phone.happen("battery", 20)
        phone.happen("plug_in", 20)
        phone.wait(4 * 3600)
        #expect(phone.levels.map(\.percent) == [20] + Array(21...100))
        #expect(phone.twin.deadline == nil)
        // Slower above 80 %.
        let times = phone.levels.map(\.time)
        #expect(times[80] - times[79] > (times[40] - times[39]) * 5)
    }

    /// From 20 % to 80 %, the estimated mean lies within 5 % of the phone's, for every charger.
    @Test(arguments: [("plug_in", 5.0), ("plug_in", 20), ("plug_in", 45), ("lay_on_pad", 7.5), ("lay_on_pad", 15)])
    func theEstimateLiesWithinFivePercent(_ charger: String, _ watts: Double) throws {
        var phone = try PhoneBench()
        phone.happen("battery", 19.3)
        phone.happen(charger, watts)
        phone.wait(12 * 3600)
        let levels = phone.levels.filter { (20...80).contains($0.percent) }
        #expect(levels.count == 61)
        var estimator = ChargeEstimator(EstimateSettings(capacity: PhoneTwin.capacity))
        for level in levels {
            _ = estimator.take(BatterySample(time: level.time, level: Double(level.percent) / 100, state: nil))
        }
        let average = try #require(estimator.allSessions.first?.averageWatts)
        // The energy of 60 % of the battery divided by the time taken.
        let hours = (levels[60].time - levels[0].time) / .seconds(3600)
        let truth = 0.6 * PhoneTwin.capacity / 1000 * 3.82 / hours
        #expect(abs(average / truth - 1) < 0.05, "\(average) W of \(truth) W")
        #expect((0.75 * watts...1.001 * watts).contains(truth))
    }

    @Test func useEmptiesTheBatteryToZero() throws {
        var phone = try PhoneBench()
        phone.happen("battery", 3)
        phone.happen("use", 3)
        phone.wait(3 * 3600)
        #expect(phone.levels.map(\.percent) == [3, 2, 1, 0])
        // A per cent is 0.125 Wh: 150 s at 3 W. A level below 3 % shows as 2 % at once.
        #expect(abs((phone.levels[3].time - phone.levels[2].time) / .seconds(1) - 150.08) < 0.1)
        #expect(phone.twin.deadline == nil)
    }

    @Test func whatIsUsedDoesNotReachTheBattery() throws {
        var phone = try PhoneBench()
        phone.happen("plug_in", 5)
        phone.happen("use", 2.499)
        phone.wait(185)
        #expect(phone.levels.map(\.percent) == [51])
        phone.happen("use", 10)
        phone.wait(600)
        #expect(phone.levels.last.map { $0.percent < 51 } == true)
    }

    /// The charge gained so far is kept: using 30 W while charging with 20 W takes as long to lose a per cent as using
    /// 10 W.
    @Test func useHoldsFromNowOn() throws {
        var phone = try PhoneBench()
        phone.happen("plug_in", 20)
        phone.wait(600)
        let percent = try #require(phone.levels.last?.percent)
        phone.happen("use", 30)
        phone.wait(1)
        #expect(phone.levels.allSatisfy { (50...percent).contains($0.percent) })
        phone.wait(60)
        #expect(phone.levels.last?.percent == percent - 1)
    }

    @Test func unpluggedItStaysAsItIs() throws {
        var phone = try PhoneBench()
        phone.happen("plug_in", 20)
        phone.wait(600)
        let count = phone.levels.count
        #expect(count > 10)
        phone.happen("unplug")
        phone.wait(7 * 86_400)
        #expect(phone.levels.count == count)
        #expect(phone.twin.deadline == nil)
    }

    @Test func theLevelSurvivesThePower() throws {
        var phone = try PhoneBench()
        phone.happen("battery", 73.5)
        let storage = try #require(phone.twin.storage)
        var next = try PhoneBench(storage: storage)
        #expect(next.take().contains(.set("battery_level", [73])))
    }

    @Test(arguments: ["", "{}", #"{"level":1.01}"#, #"{"level":-1}"#, #"{"level":"full"}"#])
    func storageOfAnotherFormIsRefused(_ json: String) {
        #expect(throws: TwinFault.self) { try PhoneTwin(TwinSettings(storage: Array(json.utf8))) }
    }

    @Test(arguments: PhoneStimulus.allCases)
    func noAmountDoesHarm(_ stimulus: PhoneStimulus) throws {
        var phone = try PhoneBench()
        for amount in [-1, 0, 1e-300, 1e300, .infinity, -.infinity, .nan, 57] {
            phone.happen(stimulus.rawValue, amount)
            phone.wait(60)
        }
        phone.happen("unheard_of", 1)
        #expect(phone.levels.allSatisfy { $0.percent <= 100 })
    }
}

/// A phone in virtual time.
private struct PhoneBench {
    private(set) var twin: PhoneTwin
    private var now = time(0)
    private var actions: [TwinAction] = []
    /// The notified levels, with their times.
    private(set) var levels: [(time: Timestamp, percent: UInt8)] = []

    init(storage: [UInt8]? = nil) throws {
        twin = try PhoneTwin(TwinSettings(storage: storage))
        send(.powerOn)
    }

    mutating func send(_ input: TwinInput) {
        let done = twin.handle(input, at: now)
        actions += done
        for case .notify("battery_level", let bytes, _) in done { levels.append((now, bytes.first ?? 255)) }
    }

    mutating func happen(_ name: String, _ amount: Double? = nil) { send(.stimulus(Stimulus(name, amount))) }

    mutating func wait(_ seconds: Double) {
        let end = now.advanced(nanoseconds: Int64(seconds * 1e9))
        while let due = twin.deadline, due <= end {
            now = max(now, due)
            send(.time)
        }
        now = end
        send(.time)
    }

    mutating func take() -> [TwinAction] {
        defer { actions = [] }
        return actions
    }
}
