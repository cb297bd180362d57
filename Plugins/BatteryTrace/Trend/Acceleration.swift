import Bytes

/// Compares the ageing of a battery over time: the yearly loss of health in the later half of its snapshots against
/// that in the earlier half.
///
/// Each is the median of the slopes between all pairs (Theil-Sen), which single outliers do not move.
struct Acceleration: Hashable, Sendable {
    /// Loss in a year, in per cent of the nominal capacity; negative for a rise.
    var before: Double
    var lately: Double

    private static let leastPoints = 4
    private static let leastDays = 60.0
    /// Maximum number of points that are compared with each other.
    private static let mostPoints = 400
    /// Ageing is accelerated if the recent loss is this many times the earlier loss, and this many per cent a year.
    private static let factor = 2.0
    private static let leastLoss = 3.0

    /// Nil if the snapshots of a device are too few, or span too short a time.
    init?(_ snapshots: [BatterySnapshot]) {
        let points = snapshots.compactMap { snapshot in
            snapshot.battery.health.map { (x: Double(snapshot.date.nanoseconds) / 86_400e9, y: $0 * 100) }
        }
        guard let first = points.first, let last = points.last else { return nil }
        let middle = (first.x + last.x) / 2
        guard let before = Self.loss(points.filter { $0.x <= middle }),
            let lately = Self.loss(points.filter { $0.x > middle })
        else { return nil }
        (self.before, self.lately) = (before, lately)
    }

    /// Whether to warn the user.
    var isAbnormal: Bool { lately >= Self.leastLoss && lately >= Self.factor * max(before, 0) }

    var text: String {
        "the battery ages faster: \(lately.text(decimals: 1)) % of its capacity a year lately, "
            + "\(before.text(decimals: 1)) % before; heat and long stays at 100 % are the usual causes"
    }

    private static func loss(_ points: [(x: Double, y: Double)]) -> Double? {
        guard points.count >= leastPoints, points[points.count - 1].x - points[0].x >= leastDays else { return nil }
        let every = (points.count + mostPoints - 1) / mostPoints
        let some = points.enumerated().filter { $0.offset % every == 0 }.map(\.element)
        var slopes: [Double] = []
        for (index, one) in some.enumerated() {
            for other in some[(index + 1)...] where other.x > one.x {
                slopes.append((other.y - one.y) / (other.x - one.x))
            }
        }
        guard !slopes.isEmpty else { return nil }
        slopes.sort()
        let half = slopes.count / 2
        let median = slopes.count % 2 == 1 ? slopes[half] : (slopes[half - 1] + slopes[half]) / 2
        return -median * 365.25
    }
}
