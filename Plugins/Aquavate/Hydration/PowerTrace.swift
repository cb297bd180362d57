import Bytes
import PluginKit

/// A current measured over time, summarized sample by sample: its charge, and the current in phases of deep sleep
/// ("Firmware Testing", 6: below 200 µA).
///
/// A sample holds until the next one. The trace is averaged over tenths of a second, because a sleeping puck draws its
/// current in bursts. A phase of deep sleep lasts a second or more below half of the least current of a puck that is
/// awake; its first and last tenth, which may contain the transition, do not count.
struct PowerTrace: Sendable {
    /// Current times time.
    struct Charge: Hashable, Sendable {
        var seconds = 0.0
        /// mA · s.
        var amount = 0.0

        /// In mA; 0 if no time has passed.
        var mean: Double { seconds > 0 ? amount / seconds : 0 }
        var milliampereHours: Double { amount / 3600 }

        static func + (one: Self, other: Self) -> Self {
            Self(seconds: one.seconds + other.seconds, amount: one.amount + other.amount)
        }
    }

    /// Largest permitted current of deep sleep, in mA.
    static let limit = 0.2
    /// A puck that draws more is awake, in mA.
    private static let awake = PowerState.advertising.milliamperes / 2
    private static let window = 0.1
    private static let leastPhase = 1.0

    private(set) var samples = 0
    /// Largest sample, in mA.
    private(set) var peak = 0.0
    private(set) var all = Charge()
    /// All phases of deep sleep.
    private(set) var sleep = Charge()
    private(set) var phases = 0
    /// The phase with the highest mean current, and its start in seconds of the trace.
    private(set) var worst: (charge: Charge, start: Double)?

    private var first = 0.0
    /// The last sample.
    private var last: (time: Double, milliamperes: Double)?
    /// The current tenth of a second.
    private var bin = Charge()
    private var binStart = 0.0
    private var phase: Phase?
    /// Whether the tenth before this one was awake.
    private var isAfterAwake = false

    private struct Phase {
        var start: Double
        var charge = Charge()
        /// The last tenth, which counts if another follows.
        var pending: Charge?
    }

    /// Time of the last sample in seconds; nil before the first.
    var time: Double? { last?.time }

    /// Adds a sample, later than the ones before, in seconds and mA.
    mutating func add(time: Double, milliamperes: Double) {
        samples += 1
        peak = samples == 1 ? milliamperes : max(peak, milliamperes)
        defer { self.last = (time, milliamperes) }
        guard let last else {
            (first, binStart) = (time, time)
            return
        }
        let step = Charge(seconds: time - last.time, amount: last.milliamperes * (time - last.time))
        all = all + step
        bin = bin + step
        // Sums of decimal fractions are inexact.
        guard bin.seconds >= Self.window * (1 - 1e-6) else { return }
        closeBin()
        binStart = time
    }

    private mutating func closeBin() {
        let mean = bin.mean
        if mean >= Self.awake {
            endPhase()
            isAfterAwake = true
        } else if var open = phase {
            if let pending = open.pending { open.charge = open.charge + pending }
            open.pending = bin
            phase = open
        } else {
            // The first tenth counts only at the beginning of the trace.
            phase = Phase(start: binStart - first, pending: isAfterAwake ? nil : bin)
            isAfterAwake = false
        }
        bin = Charge()
    }

    private mutating func endPhase() {
        defer { self.phase = nil }
        guard let phase, phase.charge.seconds >= Self.leastPhase * (1 - 1e-6) else { return }
        phases += 1
        sleep = sleep + phase.charge
        if phase.charge.mean > worst?.charge.mean ?? -.infinity { worst = (phase.charge, phase.start) }
    }

    /// Ends the trace: a phase that it cuts counts up to there.
    mutating func finish() {
        if var open = phase, let pending = open.pending {
            open.charge = open.charge + pending
            phase = open
        }
        endPhase()
    }

    /// Whether each phase of deep sleep is below the limit; nil without a phase.
    var isBelowLimit: Bool? { worst.map { $0.charge.mean < Self.limit } }
    /// The time outside of deep sleep.
    var rest: Charge { Charge(seconds: all.seconds - sleep.seconds, amount: all.amount - sleep.amount) }
}

// MARK: - Output

extension PowerTrace {
    /// Human-readable text: the measured current beside that of the model ("Power States").
    var text: String {
        let states = PowerState.allCases.filter { $0 != .deepSleep }.map(\.milliamperes)
        let range = "\((states.min() ?? 0).text(fixed: 0)) to \((states.max() ?? 0).text(fixed: 0)) mA"
        let rows = [
            ["", "measured", "model", "time", "charge"],
            row("deep sleep", sleep, "\(PowerState.deepSleep.milliamperes.text(fixed: 3)) mA"),
            row("rest", rest, range),
            row("all", all, ""),
        ]
        let widths = (0..<5).map { column in rows.map { $0[column].count }.max() ?? 0 }
        var lines = rows.map { cells in
            let padded = zip(cells, widths).enumerated().map { index, cell in
                let space = String(repeating: " ", count: cell.1 - cell.0.count)
                return index == 0 ? cell.0 + space : space + cell.0
            }
            return padded.joined(separator: "  ")
        }
        lines.append("\(samples) samples, at most \(peak.text(fixed: 1)) mA")
        if all.mean > 0 {
            let lives = PowerUse.capacities.map { capacity in
                "\(capacity.text(fixed: 0)) mAh last \((capacity / all.mean / 24).text(fixed: 0)) days"
            }
            lines.append(lives.joined(separator: ", "))
        }
        return (lines + ["", verdict]).joined(separator: "\n") + "\n"
    }

    private func row(_ name: String, _ charge: Charge, _ model: String) -> [String] {
        let seconds = charge.seconds
        let time = seconds < 60 ? "\(seconds.text(fixed: 1)) s" : ActivityView.span(Int64(min(seconds, 1e15).rounded()))
        return [
            name, charge.seconds > 0 ? "\(charge.mean.text(fixed: 3)) mA" : "-", model, time,
            "\(charge.milliampereHours.text(fixed: 3)) mAh",
        ]
    }

    private var verdict: String {
        guard let worst, let isBelowLimit else {
            return "Deep sleep: none in the trace, which is a second or more below \(Self.awake.text(fixed: 0)) mA"
        }
        let count = phases == 1 ? "1 phase" : "\(phases) phases"
        let (mean, start) = (worst.charge.mean.text(fixed: 3), worst.start.text(fixed: 1))
        return "Deep sleep: \(count), at most \(mean) mA, from \(start) s on: "
            + (isBelowLimit ? "below" : "not below") + " the limit of 0.2 mA"
    }

    /// A JSON object.
    var json: String {
        func number(_ value: Double) -> JSONValue { .number((value * 1_000_000).rounded() / 1_000_000) }
        func charge(_ charge: Charge) -> JSONValue {
            .members([
                "seconds": number(charge.seconds), "mean_mA": number(charge.mean),
                "mAh": number(charge.milliampereHours),
            ])
        }
        return JSONValue.members([
            "samples": .integer(samples), "peak_mA": number(peak), "all": charge(all), "deep_sleep": charge(sleep),
            "rest": charge(rest), "phases": .integer(phases),
            "highest_phase": worst.map { worst in
                .members(["start_s": number(worst.start), "mean_mA": number(worst.charge.mean)])
            },
            "model_mA": number(PowerState.deepSleep.milliamperes), "limit_mA": number(Self.limit),
            "below_limit": isBelowLimit.map { .boolean($0) },
        ]).text
    }
}
