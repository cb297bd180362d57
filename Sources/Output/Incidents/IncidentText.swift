import Bytes
package import Causes
import Conversation

/// Incidents for people: what failed, its cause, the frames to look at, what to do, and what else was considered.
package struct IncidentText {
    private let paint: Paint

    /// Frames named in one line; further ones are counted.
    private static let frameLimit = 8

    package init(paint: Paint = .none) {
        self.paint = paint
    }

    /// The incidents of a capture, with a summary.
    package func text(_ list: IncidentList) -> String {
        var output = TextWriter()
        paint.write(list.file, in: \.name, to: &output)
        output.write("  \(list.frames.counted("frame"))\n")
        for incident in list.incidents {
            output.write("\n")
            write(incident.legible(), to: &output)
        }
        output.write("\n\(Self.summary(list))\n")
        return String(decoding: output.bytes, as: UTF8.self)
    }

    /// Incidents as they are found.
    package func text(_ incidents: [Incident]) -> String {
        var output = TextWriter()
        for incident in incidents { write(incident.legible(), to: &output) }
        return String(decoding: output.bytes, as: UTF8.self)
    }

    private func write(_ incident: Incident, to output: inout TextWriter) {
        if let number = incident.connection { output.write("connection \(number)") }
        if let device = incident.device {
            output.write(incident.connection == nil ? "" : " with ")
            paint.write(device, in: \.peer, to: &output)
        }
        if incident.connection != nil || incident.device != nil { output.write(": ") }
        output.write("\(incident.what.words), ")
        if let cause = incident.cause, let confidence = incident.confidence {
            paint.write(cause, in: confidence == .certain ? \.error : \.warning, to: &output)
            output.write(" (\(confidence.rawValue))\n")
        } else {
            paint.write("no cause found", in: \.warning, to: &output)
            output.write("\n")
        }
        output.write("     \(incident.text)\n")
        output.write("     \(Self.frames(incident.frames))\n")
        if !incident.advice.isEmpty { output.write("     advice: \(incident.advice)\n") }
        // One sentence may speak against several causes.
        var considered: [(against: String, causes: [String])] = []
        for other in incident.considered {
            if let place = considered.firstIndex(where: { $0.against == other.against }) {
                considered[place].causes.append(other.cause)
            } else {
                considered.append((other.against, [other.cause]))
            }
        }
        for (against, causes) in considered {
            paint.write("     not \(causes.joined(separator: ", ")): \(against)\n", in: \.faint, to: &output)
        }
    }

    /// `frames 12, 14 and 19`.
    private static func frames(_ frames: [Int]) -> String {
        let shown = frames.prefix(frameLimit).map(String.init)
        if frames.count > frameLimit {
            return "frames \(shown.joined(separator: ", ")) and \(frames.count - frameLimit) more"
        }
        guard shown.count > 1, let last = shown.last else { return "frame \(shown.joined())" }
        return "frames \(shown.dropLast().joined(separator: ", ")) and \(last)"
    }

    private static func summary(_ list: IncidentList) -> String {
        var text = list.incidents.isEmpty ? "nothing went wrong" : list.incidents.count.counted("incident")
        let counts = Confidence.allCases.reversed().map { confidence in
            (confidence.rawValue, list.incidents.count { $0.confidence == confidence })
        }
        let parts =
            (counts + [("without a cause", list.incidents.count { $0.cause == nil })])
            .filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
        if !parts.isEmpty { text += ": \(parts.joined(separator: ", "))" }
        if list.omitted > 0 { text += "; \(list.omitted) more are not listed" }
        if let reason = list.incompleteness { text += "; not read to its end: \(reason)" }
        return text
    }
}

extension Incident {
    /// The incident with the texts of devices made legible.
    fileprivate func legible() -> Incident {
        var incident = self
        incident.device = device?.legible()
        incident.text = text.legible()
        return incident
    }
}
