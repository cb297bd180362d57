import Bluetooth
import Bytes
import Captures
import Conformance
import PDUTestKit
import PluginKit
import TestKit
import Testing

@testable import LifeCount

/// Long runs of a gateway and a counter.
struct GatewayWeekTests {
    /// A week with a link that drops some hundred times, often during a replay: equal counts at both ends.
    @Test(arguments: [1, 2])
    func aWeekWithDropsLosesNothing(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var pipe = try GatewayPipe(seed: seed)
        pipe.drops = (0..<300).map { _ in
            Bool.random(using: &random)
                ? Double.random(in: 0...3, using: &random)
                : Double.random(in: 0...7200, using: &random)
        }
        pipe.happen("rate", 0.5)
        pipe.want("connect")
        for _ in 0..<7 {
            pipe.wait(20 * 3600)
            // Out of range for four hours of the night.
            pipe.isInReach = false
            pipe.drop()
            pipe.wait(4 * 3600)
            pipe.isInReach = true
            pipe.meet()
        }
        pipe.happen("rate", 0)
        pipe.wait(300)
        #expect(pipe.counted.count > 4500)
        #expect(pipe.attempts.count > 100)
        #expect(pipe.stored.sorted() == pipe.counted)
        #expect(pipe.counter.buffer.count == 0)
        #expect(pipe.reported("events_lost").isEmpty)
        #expect(pipe.reported("event_refused").isEmpty)
    }

    @Test func twoCountersInOnePlaceHaveBooksOfTheirOwn() throws {
        let pipes = try (1...2 as ClosedRange<UInt64>).map { seed in
            var pipe = try GatewayPipe(seed: seed, storage: nil)
            pipe.want("connect")
            pipe.wait(1)
            pipe.want("set_location", 7)
            pipe.happen("rate", 5)
            pipe.wait(600)
            pipe.happen("rate", 0)
            pipe.wait(5)
            return pipe
        }
        for (pipe, device) in zip(pipes, [0x1E0F_A5C3, 0x1E0F_A5C4]) {
            #expect(pipe.stored == pipe.counted)
            #expect(pipe.reported("event_stored").allSatisfy { $0.number("device_id") == device })
        }
    }

    /// Half a day, checked with all rules of the profile, as a gateway's host would record it.
    @Test func allRulesAreObeyed() throws {
        var pipe = try GatewayPipe()
        pipe.keepsSights = true
        pipe.drops = [0.8, 1.5, 400, 0.3, 90, 2000, 5]
        pipe.click(40)
        pipe.happen("rate", 2)
        pipe.want("connect")
        pipe.wait(6 * 3600)
        pipe.isInReach = false
        pipe.drop()
        pipe.wait(600)
        pipe.isInReach = true
        pipe.meet()
        pipe.wait(600)
        pipe.happen("reboot")
        pipe.wait(6 * 3600)
        #expect(pipe.stored.count == pipe.counted.count)

        let checked = CheckedCapture(pipe.recording, plugins: lifeCount, asksOracle: true)
        for rule in checked.report.rules {
            let verdicts = Set(checked.verdicts(rule.id).map(\.name))
            #expect(verdicts.isDisjoint(with: ["fail", "warning"]), "\(checked.text(of: [rule.id]))")
        }
        for rule in [
            "LC-005", "LC-006", "LC-007", "LC-010", "LC-011", "LC-013", "LC-015", "LC-016", "LC-018", "LC-020",
            "LC-021", "LC-022", "LC-024", "LC-025", "LC-030", "LC-031", "LC-032", "LC-033",
        ] {
            #expect(checked.verdicts(rule).map(\.name).contains("pass"), "\(rule)")
        }
    }
}

extension GatewayPipe {
    /// The gateway's events, as its host's capture.
    fileprivate var recording: Recording {
        let session = CounterSession()
        let recording = session.hci.recording
        recording.pace = 1000
        for (time, sight) in sights {
            recording.time = max(recording.time, time)
            switch sight {
            case .connected:
                session.connect()
                session.link.discover(CounterSession.layout)
            case .disconnected(let isLost): if isLost { session.lose() } else { session.end() }
            case .read(let name, let bytes): session.link.read(session.handle(Self.numbers[name] ?? 0), bytes)
            case .written(let name, let bytes, _): session.link.write(session.handle(Self.numbers[name] ?? 0), bytes)
            case .subscribed(let name):
                let descriptor = CounterSession.layout[CounterSession.type(Self.numbers[name] ?? 0), 0x2902]
                session.link.subscribe(descriptor, indications: name == "control_point")
            case .notified("control_point", let bytes): session.link.indicate(session.handle(5), bytes)
            case .notified(let name, let bytes): session.link.notify(session.handle(Self.numbers[name] ?? 0), bytes)
            }
        }
        return recording
    }

    private static let numbers: [String: UInt16] = [
        "count_event": 2, "counter_info": 3, "counter_status": 4, "control_point": 5,
    ]
}
