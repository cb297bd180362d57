import Bytes

/// The relation of a capture's clock to a reference clock: an offset at one time, and a drift.
struct ClockRelation: Sendable, Hashable {
    /// The time, on the capture's clock, at which `offset` holds.
    var origin = Timestamp.epoch
    /// Time to add to the capture's time.
    var offset = TimeSpan.zero
    /// Seconds that the capture's clock loses in a second.
    var drift = 0.0

    /// Parts per million by which the capture's clock runs slow.
    var driftPPM: Double { drift * 1e6 }

    /// A time of the capture on the reference clock.
    func aligned(_ time: Timestamp) -> Timestamp { time + shift(at: time) }

    /// Time to add to a time of the capture.
    func shift(at time: Timestamp) -> TimeSpan {
        if drift == 0 { return offset }
        return offset + TimeSpan(clamping: drift * (time - origin as TimeSpan).seconds)
    }

    /// The line through points of (time of the capture, time to add), robust against outliers: the median of slopes
    /// between points half of the list apart, then the median of what remains. Points are in order of time.
    ///
    /// - Parameter fixedDrift: the drift; nil to fit it.
    init(through points: [(time: Timestamp, shift: TimeSpan)], fixedDrift: Double? = nil) {
        guard let first = points.first else { return }
        origin = points[points.count / 2].time
        let half = points.count / 2
        if let fixedDrift {
            drift = fixedDrift
        } else if half > 0 {
            var slopes: [Double] = []
            for index in 0..<(points.count - half) {
                let (one, other) = (points[index], points[index + half])
                let span = (other.time - one.time as TimeSpan).seconds
                if span > 0 { slopes.append((other.shift - one.shift).seconds / span) }
            }
            drift = slopes.median ?? 0
        }
        // Seconds relative to one shift: a difference of decades would leave no digits for microseconds.
        let residuals = points.map { point in
            (point.shift - first.shift).seconds - drift * (point.time - origin as TimeSpan).seconds
        }
        offset = first.shift + TimeSpan(clamping: residuals.median ?? 0)
    }

    /// Without a drift.
    init(offset: TimeSpan = .zero) {
        self.offset = offset
    }
}

extension [Double] {
    /// The middle element in sorted order; nil if empty.
    var median: Double? { quantile(0.5) }

    /// The element below which a share of the others lies; nil if empty.
    func quantile(_ share: Double) -> Double? {
        if isEmpty { return nil }
        return sorted()[Swift.min(count - 1, Int(Double(count) * share))]
    }
}
