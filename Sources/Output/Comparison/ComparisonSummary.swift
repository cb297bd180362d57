import Bytes
import Conformance

/// Changes since an earlier run, for people.
package struct ComparisonSummary {
    private let comparison: RunComparison
    private let isStrict: Bool
    private let paint: Paint

    /// Maximum number of changes shown; omitted ones are counted.
    private static let rows = 40

    package init(_ comparison: RunComparison, isStrict: Bool, paint: Paint = .none) {
        self.comparison = comparison
        self.isStrict = isStrict
        self.paint = paint
    }

    package func text() -> String {
        var output = TextWriter(capacity: 4 * 1024)
        output.write("\nAgainst ")
        paint.write(comparison.before.legible(), in: \.name, to: &output)
        output.write("\n")
        for line in comparison.lines(limit: Self.rows) { output.write("  \(line)\n") }
        output.write("\n")
        if comparison.hasNewFailures(isStrict: isStrict) {
            paint.write("FAIL", in: \.error, to: &output)
            output.write("  newly failing rules\n")
        } else {
            paint.write("PASS", in: \.name, to: &output)
            output.write("  no newly failing rules\n")
        }
        return String(decoding: output.bytes, as: UTF8.self)
    }
}
