import ATT
import PluginKit
import Profile

/// What events say of their time, their device and their place: LC-010 to LC-012 and LC-014.
struct EventRules: DeviceRule {
    private struct Time: Comparable {
        var seconds: UInt32
        var milliseconds: UInt16

        static func < (one: Time, other: Time) -> Bool {
            (one.seconds, one.milliseconds) < (other.seconds, other.milliseconds)
        }
    }

    private var last: (time: Time, moment: FrameReference)?
    private var deviceID = PerConnection<UInt32>()
    private var info: CounterInfo?
    /// Locations that clients have set since Counter Info was read.
    private var locations: Set<UInt16> = []
    /// Whether Counter Info was read in an earlier connection.
    private var isInfoOld = false
    /// Whether a client has set the clock, which the counter has not answered yet.
    private var isClockBeingSet = false

    var rules: [RuleIndex] { [.lc010, .lc011, .lc012, .lc014] }
    var interests: Set<RuleInterest> {
        [.values(of: .countEvent), .values(of: .counterInfo), .values(of: .controlPoint)]
    }

    /// 2020-01-01T00:00:00Z, in seconds since 1970.
    private static let earliest: UInt32 = 1_577_836_800
    /// Locations that are remembered.
    private static let locationLimit = 64
    /// Seconds that a clock may be ahead.
    private static let ahead = 300.0

    mutating func see(_ event: borrowing RuleEvent, _ report: inout RuleReport) {
        switch event.content {
        case .closed:
            deviceID[event.moment.connection] = nil
            // Another gateway may set the clock and the location before the next one.
            last = nil
            isInfoOld = true
        case .value(let value):
            if value.characteristic == .counterInfo {
                info = value.reading?.decoded(as: CounterInfo.self) ?? info
                locations = []
                isInfoOld = false
            } else if value.characteristic == .controlPoint {
                take(value)
            } else if value.operation == .notify, let count = value.reading?.decoded(as: CountEvent.self) {
                judgeDevice(count, event.moment, &report)
                judgeTime(count, event.moment, &report)
            }
        default: return
        }
    }

    /// Events of both sides of a SET_TIME have the times of two clocks; SET_LOCATION moves the counter.
    private mutating func take(_ value: borrowing AttributeValue) {
        guard value.operation == .write else {
            if isClockBeingSet { (last, isClockBeingSet) = (nil, false) }
            return
        }
        switch value.reading?.name("opcode") {
        case "set_time": (last, isClockBeingSet) = (nil, true)
        case "set_location":
            if locations.count < Self.locationLimit, let location = value.bytes.u16(1) { locations.insert(location) }
        default: break
        }
    }

    /// LC-011, LC-012
    private mutating func judgeDevice(_ event: CountEvent, _ moment: FrameReference, _ report: inout RuleReport) {
        let known = deviceID[moment.connection] ?? info?.deviceID
        deviceID[moment.connection] = known ?? event.deviceID
        if event.deviceID != 0, known == nil || known == event.deviceID {
            report.pass(.lc011)
        } else {
            let id = known.map { "device 0x" + String($0, radix: 16) } ?? "a device other than 0"
            report.fail(.lc011, expected: id, observed: "0x" + String(event.deviceID, radix: 16))
        }
        guard let info else { return report.inconclusive(.lc012, "Counter Info was not captured") }
        if [0, info.locationID].contains(event.locationID) || locations.contains(event.locationID) {
            return report.pass(.lc012)
        }
        if event.header.isReplayed {
            return report.inconclusive(.lc012, "the counter may have been moved since the event")
        }
        if isInfoOld { return report.inconclusive(.lc012, "Counter Info was read in an earlier connection") }
        report.fail(.lc012, expected: "location \(info.locationID) or 0", observed: "\(event.locationID)")
    }

    /// LC-010, LC-014
    private mutating func judgeTime(_ event: CountEvent, _ moment: FrameReference, _ report: inout RuleReport) {
        guard event.header.isTimestampValid else { return }
        let now = Double(moment.time) / 1e9
        if event.seconds >= Self.earliest, Double(event.seconds) <= now + Self.ahead {
            report.pass(.lc014)
        } else if event.seconds >= Self.earliest, now < Double(Self.earliest) {
            report.inconclusive(.lc014, "the time of day is unknown")
        } else {
            report.fail(
                .lc014, expected: "a time from 2020 on, at most 5 min ahead",
                observed: "\(event.seconds) s since 1970")
        }
        if event.header.isReplayed || isClockBeingSet { return }
        let time = Time(seconds: event.seconds, milliseconds: event.milliseconds)
        defer { last = (time, moment) }
        guard !event.header.isFirstSinceBoot, let last else { return }
        if time >= last.time { return report.pass(.lc010) }
        report.fail(
            .lc010, expected: "a time that does not go back",
            observed: "\(Int(last.time.seconds) - Int(time.seconds)) s earlier", at: [last.moment, moment])
    }
}
