import Bluetooth
import Bytes
import PluginKit
import Profile

/// Timestamp, device and location of events: LC-010 to LC-012 and LC-014.
struct EventRules: Rule {
    private struct Time: Comparable {
        var seconds: Int
        var milliseconds: Int

        static func < (one: Time, other: Time) -> Bool {
            (one.seconds, one.milliseconds) < (other.seconds, other.milliseconds)
        }
    }

    private var last: (time: Time, moment: FrameReference)?
    /// Device ID of each open connection, by connection number.
    private var deviceIDs: [Int: Int] = [:]
    private var info: CounterInfo?
    /// Locations set by clients since the last read of Counter Info.
    private var locations: Set<Int> = []
    /// Whether Counter Info was last read on an earlier connection.
    private var isInfoOld = false
    /// Whether a SET_TIME is pending: the counter has not answered it yet.
    private var isClockBeingSet = false

    var rules: [RuleIndex] { [.lc010, .lc011, .lc012, .lc014] }
    var scope: RuleScope { .device }
    var interests: Set<RuleInterest> {
        [.values(of: .countEvent), .values(of: .counterInfo), .values(of: .controlPoint)]
    }

    /// 2020-01-01T00:00:00Z, in seconds since 1970.
    private static let earliest = 1_577_836_800
    /// Maximum number of stored locations.
    private static let locationLimit = 64
    /// Seconds by which a clock may be ahead.
    private static let ahead = 300.0

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        switch event.content {
        case .closed:
            deviceIDs[event.moment.connection] = nil
            // Another gateway may set the clock and the location before the next connection.
            last = nil
            isInfoOld = true
        case .value(let value):
            if value.characteristic == .counterInfo {
                info = value.reading.flatMap(CounterInfo.init) ?? info
                locations = []
                isInfoOld = false
            } else if value.characteristic == .controlPoint {
                handle(value)
            } else if value.operation == .notify, let count = value.reading.flatMap(CountEvent.init) {
                checkDevice(count, event.moment, &report)
                checkTime(count, event.moment, &report)
            }
        default: return
        }
    }

    /// Handles SET_TIME and SET_LOCATION: timestamps before and after a SET_TIME cannot be compared, and a SET_LOCATION
    /// moves the counter.
    private mutating func handle(_ value: borrowing AttributeValue) {
        guard value.operation == .write else {
            if isClockBeingSet { (last, isClockBeingSet) = (nil, false) }
            return
        }
        guard let request = value.reading.flatMap(ControlRequest.init) else { return }
        switch request.opcode {
        case .setTime: (last, isClockBeingSet) = (nil, true)
        case .setLocation:
            if locations.count < Self.locationLimit, let location = request.locationId { locations.insert(location) }
        default: break
        }
    }

    /// LC-011, LC-012
    private mutating func checkDevice(_ event: CountEvent, _ moment: FrameReference, _ report: inout RuleReport) {
        let known = deviceIDs[moment.connection] ?? info?.deviceId
        deviceIDs[moment.connection] = known ?? event.deviceId
        if event.deviceId != 0, known == nil || known == event.deviceId {
            report.pass(.lc011)
        } else {
            let id = known.map { "device 0x" + String($0, radix: 16) } ?? "a device other than 0"
            report.fail(.lc011, expected: id, observed: "0x" + String(event.deviceId, radix: 16))
        }
        guard let info else { return report.inconclusive(.lc012, "Counter Info was not captured") }
        if [0, info.locationId].contains(event.locationId) || locations.contains(event.locationId) {
            return report.pass(.lc012)
        }
        if event.header.replayed {
            return report.inconclusive(.lc012, "the counter may have been moved since the event")
        }
        if isInfoOld { return report.inconclusive(.lc012, "Counter Info was read in an earlier connection") }
        report.fail(.lc012, expected: "location \(info.locationId) or 0", observed: "\(event.locationId)")
    }

    /// LC-010, LC-014
    private mutating func checkTime(_ event: CountEvent, _ moment: FrameReference, _ report: inout RuleReport) {
        guard event.header.timestampValid else { return }
        let now = moment.time.seconds
        if event.timestampS >= Self.earliest, Double(event.timestampS) <= now + Self.ahead {
            report.pass(.lc014)
        } else if event.timestampS >= Self.earliest, now < Double(Self.earliest) {
            report.inconclusive(.lc014, "the time of day is unknown")
        } else {
            report.fail(
                .lc014, expected: "a time from 2020 on, at most 5 min ahead",
                observed: "\(event.timestampS) s since 1970")
        }
        if event.header.replayed || isClockBeingSet { return }
        let time = Time(seconds: event.timestampS, milliseconds: event.timestampMs)
        defer { last = (time, moment) }
        guard !event.header.firstSinceBoot, let last else { return }
        if time >= last.time { return report.pass(.lc010) }
        report.fail(
            .lc010, expected: "a time that does not go back",
            observed: "\(last.time.seconds - time.seconds) s earlier", at: [last.moment, moment])
    }
}
