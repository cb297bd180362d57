/// Local regression (LOESS) of degree one with tricube weights, without robustness iterations.
///
/// Cleveland, "Robust Locally Weighted Regression and Smoothing Scatterplots", 1979.
struct Loess {
    private let points: [(x: Double, y: Double)]
    /// Number of nearest points that count at a place.
    private let neighbours: Int

    /// - Parameters:
    ///   - points: In order of x.
    ///   - span: The fraction of the points that counts at a place.
    init(_ points: [(x: Double, y: Double)], span: Double) {
        self.points = points
        neighbours = min(points.count, max(2, Int(span * Double(points.count) + 1e-10)))
    }

    /// The value of the curve at a place; nil without points.
    func callAsFunction(_ x: Double) -> Double? {
        let nearest = nearest(to: x)
        guard let first = nearest.first, let last = nearest.last else { return nil }
        let radius = max(abs(first.x - x), abs(last.x - x))
        var (sum, sumX, sumY) = (0.0, 0.0, 0.0)
        let weights = nearest.map { Self.weight(abs($0.x - x), radius) }
        for (weight, point) in zip(weights, nearest) {
            (sum, sumX, sumY) = (sum + weight, sumX + weight * point.x, sumY + weight * point.y)
        }
        guard sum > 0 else { return nil }
        let (meanX, meanY) = (sumX / sum, sumY / sum)
        var (squares, products) = (0.0, 0.0)
        for (weight, point) in zip(weights, nearest) {
            squares += weight * (point.x - meanX) * (point.x - meanX)
            products += weight * (point.x - meanX) * (point.y - meanY)
        }
        let extent = (points.last?.x ?? 0) - (points.first?.x ?? 0)
        guard squares / sum > 1e-9 * extent * extent else { return meanY }
        return meanY + products / squares * (x - meanX)
    }

    private func nearest(to x: Double) -> ArraySlice<(x: Double, y: Double)> {
        guard !points.isEmpty else { return [] }
        var start = 0
        while start + neighbours < points.count, points[start + neighbours].x - x < x - points[start].x { start += 1 }
        return points[start..<start + neighbours]
    }

    private static func weight(_ distance: Double, _ radius: Double) -> Double {
        guard radius > 0, distance > 0.001 * radius else { return 1 }
        guard distance < 0.999 * radius else { return 0 }
        let part = distance / radius
        let rest = 1 - part * part * part
        return rest * rest * rest
    }
}

/// The kind of trend drawn through points.
enum Trend: String, CaseIterable, Sendable {
    case loess, ema, none

    /// Minimum number of points for a trend.
    static let leastPoints = 4
    /// Samples of the moving average, N in α = 2 / (N + 1).
    private static let averaged = 5.0

    /// The trend at each point, in order of x; nil for `none`, or if there are too few points.
    func values(_ points: [(x: Double, y: Double)], span: Double) -> [Double]? {
        guard points.count >= Self.leastPoints else { return nil }
        switch self {
        case .none: return nil
        case .loess:
            let curve = Loess(points, span: span)
            return points.map { curve($0.x) ?? $0.y }
        case .ema:
            let weight = 2 / (Self.averaged + 1)
            var average = points[0].y
            return points.map { point in
                average += weight * (point.y - average)
                return average
            }
        }
    }
}
