import Bluetooth
import Bytes
import PluginKit
import Profile

/// Changes of the Battery Level: BT-002 and BT-003.
struct LevelRules: Rule {
    private struct Level {
        var percent: Int
        var moment: FrameReference
        var isRead = false
    }

    private var last: Level?
    /// The last notified level.
    private var notified: FrameReference?
    /// Levels of the last 10 s.
    private var recent: [Level] = []

    var rules: [RuleIndex] { [.bt002, .bt003] }
    var interests: Set<RuleInterest> { [.values(of: .batteryLevel)] }

    /// Maximum change in percentage points within the window.
    private static let points = 5
    private static let window = TimeSpan(seconds: 10)
    /// Seconds for which a notification may be in flight.
    private static let crossingTime = 2.0
    /// Maximum number of stored levels of the window.
    private static let limit = 64
    /// Plugins of devices whose level is 0 from boot to the first measurement; that 0 is not a level.
    private static let plugins: Set<String> = ["aquavate"]

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        switch event.content {
        case .gap:
            last = nil
            notified = nil
            recent = []
        case .value(let value):
            // The characteristic is not writable: a written level is not the device's.
            guard value.operation != .write,
                let percent = value.reading.flatMap(DeviceProfile.BatteryLevel.init)?.level, percent <= 100
            else { return }
            if percent == 0, last == nil, event.context.plugin.map(Self.plugins.contains) == true { return }
            // A read requested before the last notification may return the older level.
            if let requested = value.requested, let notified, requested < notified { return }
            let level = Level(percent: percent, moment: event.moment, isRead: value.operation == .read)
            if value.operation == .notify { checkChange(level, &report) }
            checkStep(level, &report)
            last = level
            if value.operation == .notify { notified = event.moment }
        default: return
        }
    }

    /// BT-002: a read may return a level that is about to be notified.
    private func checkChange(_ level: Level, _ report: inout RuleReport) {
        guard let last else { return }
        if last.percent != level.percent { return report.pass(.bt002) }
        if last.isRead, level.moment.seconds(since: last.moment) < Self.crossingTime {
            return report.inconclusive(.bt002, "the level was read when it was about to be notified")
        }
        report.fail(
            .bt002, expected: "another level than before", observed: "\(level.percent) again",
            at: [last.moment, level.moment])
    }

    /// BT-003: a read may return a level that was measured long before.
    private mutating func checkStep(_ level: Level, _ report: inout RuleReport) {
        var levels = recent.filter { level.moment.time - $0.moment.time <= Self.window }
        let farthest = levels.max { abs($0.percent - level.percent) < abs($1.percent - level.percent) }
        if levels.count >= Self.limit { levels.removeFirst() }
        recent = levels + [level]
        guard let farthest else { return }
        if abs(farthest.percent - level.percent) <= Self.points { return report.pass(.bt003) }
        let measured = levels.filter { !$0.isRead }.max {
            abs($0.percent - level.percent) < abs($1.percent - level.percent)
        }
        guard let measured, abs(measured.percent - level.percent) > Self.points else {
            return report.inconclusive(.bt003, "the level that was read may have been measured long before")
        }
        report.fail(
            .bt003, expected: "\(measured.percent), 5 points up or down at most within 10 s",
            observed: "\(level.percent)", at: [measured.moment, level.moment])
    }
}
