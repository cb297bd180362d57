import Bytes
package import Conformance
import FoundationEssentials

/// What has changed since an earlier run, for people.
package struct ComparisonSummary {
    private let comparison: RunComparison
    private let isStrict: Bool
    private let paint: Paint

    /// Changes that are shown; how many more there are is said.
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

/// JSON reports of earlier runs, which a check is compared with.
package enum EarlierRun {
    /// Whether a file is a JSON report, as its first byte tells: no capture begins with a brace.
    package static func isReport(_ path: String) throws(FileError) -> Bool {
        guard path != "-" else { return false }
        let first = try TextFile.beginning(of: path)
        return first == UInt8(ascii: "{")
    }

    /// What the run of a JSON report came to.
    package static func read(_ path: String) throws(FileError) -> RunOutline {
        let bytes = try TextFile.readBytes(path, atMost: sizeLimit, else: "not a check report")
        do {
            return try JSONDecoder().decode(RunOutline.self, from: Data(bytes))
        } catch {
            throw FileError(
                file: path,
                "not a JSON report of gattbench check; create one with gattbench check --json FILE > \(path)")
        }
    }

    /// More bytes than this come of no check.
    private static let sizeLimit = 64 << 20
}
