import Bluetooth
import Bytes
import PluginKit
import Profile

/// Delivery, acknowledgement and replay of events: LC-016, LC-018, LC-022 and LC-023.
struct DeliveryRules: Rule {
    /// The last event received, not counting replays of earlier ones.
    private var lastEvent: Timestamped?
    /// Uptime in the last Counter Status.
    private var uptime: (seconds: Int, moment: FrameReference)?
    private var boots = BootCount()
    private var received: Set<UInt32> = []
    /// Numbers received before the last boot, and the first event since the boot, which an ACK may cross.
    private var former: (received: Set<UInt32>, boot: FrameReference)?
    /// The last acknowledged number.
    private var acknowledged: Timestamped?
    /// Whether the counter has answered the ACK: until then, events replayed earlier may be in flight.
    private var isAcknowledgementTaken = false
    /// Last number in a Counter Status that shows events not yet received, by connection number; removed once the event
    /// arrives or the client requests a replay.
    private var missing: [Int: Timestamped] = [:]

    private struct Timestamped: Sendable {
        var number: UInt32
        var moment: FrameReference
    }

    var rules: [RuleIndex] { [.lc016, .lc018, .lc022, .lc023] }
    var scope: RuleScope { .device }
    var interests: Set<RuleInterest> {
        [
            .values(of: .countEvent), .values(of: .counterStatus), .values(of: .controlPoint),
            .values(of: .counterInfo),
        ]
    }

    /// Maximum number of stored numbers.
    private static let limit = 10_000
    /// Time within which a client requests missing events.
    private static let patience = TimeSpan(seconds: 10)
    /// Seconds that the slowest clock of a counter advances in one second.
    private static let slowest = 0.99
    /// Seconds for which a notification may be in flight.
    private static let crossingTime = 2.0

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        expire(event.moment.connection, at: event.heard, &report)
        if boots.handle(event) { (lastEvent, acknowledged, received) = (nil, nil, []) }
        switch event.content {
        case .closed, .gap: missing[event.moment.connection] = nil
        case .value(let value):
            switch value.characteristic {
            case .countEvent:
                guard value.operation == .notify, let count = value.reading.flatMap(CountEvent.init) else {
                    return
                }
                handle(count, event.moment, &report)
            case .counterStatus:
                guard let status = value.reading.flatMap(CounterStatus.init) else { return }
                check(status, event.moment, requested: value.requested, &report)
            case .controlPoint where value.operation == .indicate: isAcknowledgementTaken = true
            default:
                guard value.operation == .write, let asked = value.reading.flatMap(ControlRequest.init),
                    let number = asked.number
                else { return }
                request(asked.opcode, number, event.moment, event.connection, &report)
            }
        default: return
        }
    }

    /// LC-016
    private mutating func handle(_ event: CountEvent, _ moment: FrameReference, _ report: inout RuleReport) {
        if event.header.firstSinceBoot {
            former = (received, moment)
            (lastEvent, acknowledged, received) = (nil, nil, [])
        }
        // A replay in progress delivers the missing events.
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

    /// LC-018; records the missing events that LC-023 is about.
    private mutating func check(
        _ status: CounterStatus, _ moment: FrameReference, requested: FrameReference?, _ report: inout RuleReport
    ) {
        // A counter that has restarted counts from 0.
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
        // A status requested before the event may be older than the event.
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
        _ opcode: ControlRequest.Opcode, _ number: UInt32, _ moment: FrameReference, _ connection: Connection,
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
        } else if connection.isComplete, let lastEvent, number.distance(after: lastEvent.number) > 0 {
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
