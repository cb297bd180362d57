import Bytes
import Profile

/// Output of `battery estimate`.
extension EstimateRun {
    var text: String {
        var lines = [assumption.text]
        if results.isEmpty { lines.append("No Battery Level was seen.") }
        for result in results { lines += self.lines(result) }
        return lines.joined(separator: "\n") + "\n"
    }

    private func lines(_ result: Result) -> [String] {
        let samples = result.reading.samples
        var lines = [""]
        let count = samples.count.counted("sample")
        lines.append(result.peer.map { "\($0): \(count)" } ?? count)
        if let first = samples.first, let last = samples.last {
            lines[1] += " from \(first.time) to \(last.time), \(percentText(first.level)) to \(percentText(last.level))"
        }
        if result.sessions.isEmpty { lines.append("  no charging was seen") }
        for (index, session) in result.sessions.enumerated() {
            lines += self.lines(session)
            if index < result.calibrations.count { lines.append(line(result.calibrations[index])) }
        }
        return lines
    }

    private func lines(_ session: ChargeSession) -> [String] {
        let end = session.end.map { "to \($0)" } ?? "and goes on"
        var lines = [
            "  Session \(session.id) from \(session.start) \(end): "
                + "\(session.risenPercent.text(decimals: 1)) % in \(spanText(session.duration))"
        ]
        if let average = session.averageWatts {
            let current = average / settings.voltage * 1000
            lines.append(
                "    average power     \(average.text(decimals: 3)) W, \(current.text(decimals: 1)) mA (estimated)")
        } else {
            lines.append("    the level did not rise for long enough to estimate a power")
        }
        if let peak = session.peakWatts {
            lines.append("    peak power        \(peak.text(decimals: 3)) W (estimated)")
        }
        if !session.inferredCharger.isEmpty {
            lines.append("    charger           \(session.inferredCharger) (inferred)")
        }
        if let seconds = session.secondsToFull {
            lines.append("    time to full      \(spanText(seconds)) (estimated)")
        }
        return lines
    }

    private func line(_ calibration: Swift.Result<Double, Calibration.Refusal>) -> String {
        switch calibration {
        case .success(let capacity): "    capacity          \(capacity.text(decimals: 0)) mAh (estimated)"
        case .failure(let refusal): "    no capacity can be told: \(refusal)"
        }
    }

    // MARK: - JSON

    var json: JSONValue {
        .members([
            "estimated": .boolean(true),
            "disclaimer": .string(Disclaimer.text),
            "capacity_mAh": .number(settings.capacity),
            "capacity_source": .string(assumption.source),
            "voltage_V": .number(settings.voltage),
            "window_s": .number(settings.window),
            "sources": .array(results.map(json)),
        ])
    }

    private func json(_ result: Result) -> JSONValue {
        .members([
            "peer": result.peer.map { .string($0) },
            "samples": .integer(result.reading.samples.count),
            "rejected": .integer(result.reading.rejections.count + result.reading.furtherRejections),
            "sessions": .array(
                result.sessions.enumerated().map { index, session in
                    json(session, index < result.calibrations.count ? result.calibrations[index] : nil)
                }),
        ])
    }

    private func json(
        _ session: ChargeSession, _ calibration: Swift.Result<Double, Calibration.Refusal>?
    ) -> JSONValue {
        func number(_ value: Double?, _ decimals: Int) -> JSONValue? {
            value.map { .number($0.rounded(toDecimals: decimals)) }
        }
        var capacity: Double?
        var refusal: String?
        switch calibration {
        case .success(let value): capacity = value
        case .failure(let reason): refusal = "\(reason)"
        case nil: break
        }
        return .members([
            "id": .integer(session.id),
            "start": .string("\(session.start)"),
            "end": session.end.map { .string("\($0)") },
            "avg_w": number(session.averageWatts, 3),
            "peak_w": number(session.peakWatts, 3),
            "delta_pct": number(session.risenPercent, 3),
            "duration_s": number(session.duration, 3),
            "eta_s": number(session.secondsToFull, 0),
            "model": session.model.isEmpty ? nil : .string(session.model),
            "charger": session.charger.isEmpty ? nil : .string(session.charger),
            "inferred_charger": session.inferredCharger.isEmpty ? nil : .string(session.inferredCharger),
            "notes": session.notes.isEmpty ? nil : .string(session.notes),
            "effective_capacity_mAh": number(capacity, 0),
            "calibration_refused": refusal.map { .string($0) },
        ])
    }
}
