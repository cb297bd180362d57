import Bytes

/// Infers the charger from the rise of the level below 80 %, where the battery takes all of the charger's power.
///
/// Wireless: the power falls by an eighth or more after some twenty minutes, when the charger is warm. Wired: it stays.
/// The power gives the speed: trickle below 2.5 W, slow below 7.5 W (a 5 W brick), medium below 15 W, else fast.
struct ChargerShape: Hashable, Sendable {
    /// From one step of the level to another.
    private struct Stretch: Hashable {
        var first: BatterySample
        var last: BatterySample

        /// Rise per second; nil if too small to be measured.
        var slope: Double? {
            let rise = last.level - first.level
            guard rise > ChargerShape.leastRise else { return nil }
            return rise / last.time.seconds(since: first.time)
        }

        mutating func extend(to sample: BatterySample) { last = sample }
    }

    private var start: Timestamp?
    private var highest = 1.0
    private var early: Stretch?
    private var late: Stretch?

    private static let knee = 0.8
    private static let leastRise = 0.045
    /// Seconds of a charge up to which a wireless charger is not warm yet, and from which it is.
    private static let cold = 1000.0
    private static let warm = 1320.0

    /// Handles the next sample of a charge. Only steps count: other samples do not show when a level was reached.
    mutating func take(_ sample: BatterySample) {
        guard let start else {
            (start, highest) = (sample.time, sample.level)
            return
        }
        guard sample.level > highest else { return }
        highest = sample.level
        guard sample.level <= Self.knee else { return }
        let seconds = sample.time.seconds(since: start)
        if seconds <= Self.cold {
            if early == nil { early = Stretch(first: sample, last: sample) } else { early?.extend(to: sample) }
        } else if seconds >= Self.warm {
            if late == nil { late = Stretch(first: sample, last: sample) } else { late?.extend(to: sample) }
        }
    }

    /// Nil while it cannot be inferred.
    var connection: ChargeCurve.Connection? {
        guard let early = early?.slope, let late = late?.slope else { return nil }
        switch late / early {
        case ..<0.88: return .wireless
        case 0.94...: return .wired
        default: return nil
        }
    }

    /// A description at a mean power: `wired, fast`; empty if nothing can be inferred.
    func text(_ settings: EstimateSettings, averageWatts: Double?) -> String {
        let full = early?.slope.map { settings.watts(settings.milliamperes(rise: $0, seconds: 1)) }
        guard let watts = full ?? averageWatts else { return "" }
        let speed =
            switch watts {
            case ..<2.5: "trickle"
            case ..<7.5: "slow"
            case ..<15: "medium"
            default: "fast"
            }
        return (connection.map { "\($0.rawValue), " } ?? "") + speed
    }
}
