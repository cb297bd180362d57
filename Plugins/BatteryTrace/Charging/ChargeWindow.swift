import Bytes

/// The rolling window over the levels of one charge: how far the level rose, and in what time.
///
/// Levels come in steps, mostly of one per cent. The exact charge is known only at the moment when the level goes up,
/// so the window reaches from step to step: from the last step that lies `length` or more before the newest. Levels
/// that stay, or flicker below one that was reached, carry no information until two steps are overdue: then the window
/// ends now. If the level goes up with every sample, this is a plain rolling window.
struct ChargeWindow {
    /// The rise within the window.
    struct Measure: Hashable {
        /// Rise of the level, in fractions of a full battery.
        var rise: Double
        /// Duration in seconds.
        var seconds: Double
        /// Number of samples in the window, both ends included.
        var samples: Int
        /// Whether it begins with the charge's first sample, whose level may have been reached earlier.
        var isProvisional: Bool

        /// Rise per second.
        var slope: Double { rise / seconds }
    }

    /// A level and the time when it was reached.
    private struct Step {
        var time: Timestamp
        var level: Double
        /// Number of the sample in its charge, from 0.
        var sample: Int

        func seconds(since other: Step) -> Double { time.seconds(since: other.time) }
    }

    /// In seconds.
    let length: Double
    /// The first sample, then each whose level exceeds all before.
    private var steps: [Step] = []
    /// The first observed step: not the first sample.
    private var firstStep: Step?
    private var samples = 0
    private(set) var lastTime: Timestamp?
    private var slope: Double?

    /// Maximum number of steps; far more than a window of any real source holds.
    private static let capacity = 4096
    /// Number of steps that must be overdue before an unchanged level counts as a step.
    private static let patience = 2.0

    init(length: Double) {
        self.length = length
    }

    /// Handles the next sample; returns the measure, or nil while the window is not full or the level does not rise.
    mutating func take(_ time: Timestamp, _ level: Double) -> Measure? {
        defer { samples += 1 }
        lastTime = time
        guard let last = steps.last else {
            steps.append(Step(time: time, level: level, sample: samples))
            return nil
        }
        guard level > last.level else {
            return measure(to: isOverdue(time) ? Step(time: time, level: last.level, sample: samples) : last)
        }
        let step = Step(time: time, level: level, sample: samples)
        if firstStep == nil { firstStep = step }
        if steps.count >= Self.capacity { steps.removeFirst(Self.capacity / 2) }
        steps.append(step)
        let measure = measure(to: step)
        slope = measure?.slope
        return measure
    }

    /// Whether the level is unchanged although it should have risen by now.
    private func isOverdue(_ now: Timestamp) -> Bool {
        guard let slope, steps.count >= 2 else { return false }
        let last = steps[steps.count - 1]
        let step = last.level - steps[steps.count - 2].level
        return slope * now.seconds(since: last.time) > Self.patience * step
    }

    /// The measure of the window that ends at a step. Requires `samples` to be the number of the newest sample.
    private func measure(to end: Step) -> Measure? {
        let start = steps.lastIndex { end.seconds(since: $0) >= length && $0.level < end.level }
        guard let start else { return nil }
        let first = steps[start]
        return Measure(
            rise: end.level - first.level, seconds: end.seconds(since: first),
            samples: samples - first.sample + 1, isProvisional: first.sample == 0)
    }

    // MARK: - The whole charge

    /// The rise of the whole charge, from the first step to the last: the average of the measures of all steps,
    /// weighted by their time. Nil while less than a window was seen, or if the level did not rise.
    var whole: Measure? {
        guard let last = steps.last, let first = steps.first else { return nil }
        if let firstStep, let measure = whole(from: firstStep, to: last, isProvisional: false) { return measure }
        return first.sample == 0 ? whole(from: first, to: last, isProvisional: true) : nil
    }

    private func whole(from first: Step, to last: Step, isProvisional: Bool) -> Measure? {
        guard last.seconds(since: first) >= length, last.level > first.level else { return nil }
        return Measure(
            rise: last.level - first.level, seconds: last.seconds(since: first) + idleSeconds,
            samples: last.sample - first.sample + 1, isProvisional: isProvisional)
    }

    /// Duration of the last step, in seconds; nil before the first one.
    var lastStepSeconds: Double? {
        guard steps.count >= 2 else { return nil }
        return steps[steps.count - 1].seconds(since: steps[steps.count - 2])
    }

    /// Discards the time since the last step.
    mutating func dropIdleTime() { lastTime = steps.last?.time }

    /// Time that the level has stayed beyond the duration of its last step, once it is overdue; in seconds.
    private var idleSeconds: Double {
        guard let lastTime, let step = lastStepSeconds else { return 0 }
        let stay = lastTime.seconds(since: steps[steps.count - 1].time)
        return stay > Self.patience * step ? stay - step : 0
    }
}

extension Timestamp {
    /// In seconds; negative if `other` is later.
    func seconds(since other: Timestamp) -> Double { (self - other).seconds }
}
