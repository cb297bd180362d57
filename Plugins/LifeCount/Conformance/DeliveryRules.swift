import Bluetooth
import Bytes
import PluginKit
import Profile

/// What was delivered, acknowledged and asked for again: LC-016, LC-018, LC-022 and LC-023.
struct DeliveryRules: DeviceRule {
    /// The last event that came, and the uptime in the last status.
    private var lastEvent: Timestamped?
    private var uptime: (seconds: Int, moment: FrameReference)?
    private var boots = BootCount()
    private var received: Set<UInt32> = []
    /// What was received before the last boot, and when the first event since that came: an ACK may cross with it.
    private var former: (received: Set<UInt32>, boot: FrameReference)?
    /// The number acknowledged last, and whether the counter has answered: until then, what was replayed before may be on
    /// its way.
    private var acknowledged: Timestamped?
    private var isAcknowledgementTaken = false
    /// Numbers that a status shows and that were not received, while the client has not asked for them.
    private var missing = PerConnection<Timestamped>()

    private struct Timestamped: Sendable {
        var number: UInt32
        var moment: FrameReference
    }

    var rules: [RuleIndex] { [.lc016, .lc018, .lc022, .lc023] }
    var interests: Set<RuleInterest> {
        [
            .values(of: .countEvent), .values(of: .counterStatus), .values(of: .controlPoint),
            .values(of: .counterInfo),
        ]
    }

    /// Numbers that are remembered.
    private static let limit = 10_000
    /// Nanoseconds within which a client asks for what it lacks.
    private static let patience = TimeSpan(seconds: 10)
    /// Seconds of a slow clock in a second.
    private static let slowest = 0.99
    /// Seconds that a notification may be on its way.
    private static let crossingTime = 2.0

    mutating func see(_ event: borrowing RuleEvent, _ report: inout RuleReport) {
        expire(event.moment.connection, at: event.heard, &report)
        if boots.see(event) { (lastEvent, acknowledged, received) = (nil, nil, []) }
        switch event.content {
        case .closed, .gap: missing[event.moment.connection] = nil
        case .value(let value):
            switch value.characteristic {
            case .countEvent:
                guard value.operation == .notify, let count = value.reading.flatMap(CountEvent.init) else {
                    return
                }
                take(count, event.moment, &report)
            case .counterStatus:
                guard let status = value.reading.flatMap(CounterStatus.init) else { return }
                check(status, event.moment, requested: value.requested, &report)
            case .controlPoint where value.operation == .indicate: isAcknowledgementTaken = true
            default:
                guard value.operation == .write, let asked = value.reading.flatMap(ControlRequest.init),
                    let number = asked.number
                else { return }
                request(asked.opcode, number, event.moment, event.link, &report)
            }
        default: return
        }
    }

    /// LC-016
    private mutating func take(_ event: CountEvent, _ moment: FrameReference, _ report: inout RuleReport) {
        if event.header.firstSinceBoot {
            former = (received, moment)
            (lastEvent, acknowledged, received) = (nil, nil, [])
        }
        // A replay that goes on brings what is missing.
        if event.header.replayed { missing[moment.connection]?.moment = moment }
        if event.header.replayed, let acknowledged {
            if event.number.distance(after: acknowledged.number) > 0 {
                report.pass(.lc016)
            } else if acknowledged.moment.connection != moment.connection, !boots.isSame {
                report.inconclusive(.lc016, "whether the counter has restarted since the ACK is unknown")
            } else if !isAcknowledgementTaken {
                report.inconclusive(.lc016, "the event may have been on its way when the ACK was sent")
            } else {
                report.fail(
                    .lc016, expected: "numbers above \(acknowledged.number), which was acknowledged",
                    observed: "\(event.number) replayed", at: [acknowledged.moment, moment])
            }
        }
        if received.count < Self.limit { received.insert(event.number) }
        if let missed = missing[moment.connection], missed.number == event.number {
            missing[moment.connection] = nil
        }
        let isAhead = lastEvent.map { event.number.distance(after: $0.number) > 0 } ?? true
        if event.header.replayed, !isAhead { return }
        lastEvent = Timestamped(number: event.number, moment: moment)
    }

    /// LC-018, and what LC-023 is about.
    private mutating func check(
        _ status: CounterStatus, _ moment: FrameReference, requested: FrameReference?, _ report: inout RuleReport
    ) {
        // A counter that began anew counts from 0.
        if let uptime {
            var least = Double(uptime.seconds)
            if moment.connection != uptime.moment.connection {
                least += moment.seconds(since: uptime.moment) * Self.slowest - Self.crossingTime
            }
            if Double(status.uptimeS) < least { lastEvent = nil }
        }
        uptime = (status.uptimeS, moment)
        let number = status.lastNumber
        guard let lastEvent else { return }
        let ahead = number.distance(after: lastEvent.number)
        // One that was asked for before the event may be the older one.
        if ahead < 0, let requested, requested < lastEvent.moment {
            return report.inconclusive(.lc018, "the event came between the request and its answer")
        }
        if ahead < 0 {
            return report.fail(
                .lc018, expected: "\(lastEvent.number) or more", observed: "\(number)",
                at: [lastEvent.moment, moment])
        }
        report.pass(.lc018)
        if ahead > 0, missing[moment.connection] == nil {
            missing[moment.connection] = Timestamped(number: number, moment: moment)
        }
    }

    /// LC-022, LC-023
    private mutating func request(
        _ opcode: ControlRequest.Opcode, _ number: UInt32, _ moment: FrameReference, _ link: LinkState,
        _ report: inout RuleReport
    ) {
        if opcode == .replayFrom, missing[moment.connection] != nil {
            missing[moment.connection] = nil
            report.pass(.lc023)
        }
        guard opcode == .ack else { return }
        acknowledged = Timestamped(number: number, moment: moment)
        isAcknowledgementTaken = false
        if received.contains(number) {
            report.pass(.lc022)
        } else if let former, former.received.contains(number), moment.seconds(since: former.boot) < Self.crossingTime {
            report.inconclusive(.lc022, "the counter has begun anew when the ACK was about to be sent")
        } else if link.isComplete, let lastEvent, number.distance(after: lastEvent.number) > 0 {
            report.fail(
                .lc022, expected: "a number that was received, \(lastEvent.number) at most", observed: "\(number)")
        } else {
            report.inconclusive(.lc022, "\(number) may have been received before the capture")
        }
    }

    /// LC-023
    private mutating func expire(_ connection: Int, at time: Timestamp, _ report: inout RuleReport) {
        guard let missed = missing[connection], time - missed.moment.time > Self.patience else { return }
        missing[connection] = nil
        report.fail(
            .lc023, expected: "REPLAY_FROM for events up to \(missed.number)", observed: "none within 10 s",
            at: [missed.moment])
    }
}
