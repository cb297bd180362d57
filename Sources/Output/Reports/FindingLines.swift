package import Bytes
package import Conformance
import PluginKit

/// Failures as they are found, one line each, in the words of the final report.
package struct FindingLines {
    private let paint: Paint

    package init(paint: Paint = .none) {
        self.paint = paint
    }

    /// One line per failure; `start` is the time of the first frame.
    package func text(_ failures: [FoundFailure], since start: Timestamp) -> String {
        var output = TextWriter()
        for failure in failures { write(failure.legible(), start, to: &output) }
        return String(decoding: output.bytes, as: UTF8.self)
    }

    /// `FAIL AQ-060  Puck, connection 1, frame 7, at 0.045 s: expected …; observed …`.
    private func write(_ failure: FoundFailure, _ start: Timestamp, to output: inout TextWriter) {
        paint.write(broken: failure.rule, failure.severity, to: &output)
        output.write("  ")
        if let device = failure.device { output.write("\(device.title), ") }
        let connection = failure.finding.moments.last.flatMap { $0.connection > 0 ? $0.connection : nil }
        let place = failure.finding.place(connection: connection, of: failure.device, since: start)
        output.write("\(place): \(failure.finding.contrast)")
        if let source = failure.rule.source { output.write(" (\(source))") }
        output.write("\n")
    }
}
