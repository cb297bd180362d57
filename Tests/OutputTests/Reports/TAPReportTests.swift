import Bytes
import Conformance
import Output
import TestKit
import Testing

/// Parses TAP 14 as strictly as its specification allows.
struct TAPDocument {
    struct Point {
        var isOK: Bool
        var number: Int
        var description: String
        /// `SKIP` or `TODO`, with its reason.
        var directive: (name: String, reason: String)?
        /// Lines of the YAML block; empty for none.
        var diagnosis: [Substring] = []
    }

    var comments: [Substring] = []
    var points: [Point] = []
    /// The faults of the document.
    var faults: [String] = []

    init(_ text: String) {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        if lines.popFirst() != "TAP version 14" { faults.append("no version") }
        if lines.popLast() != "" { faults.append("no line feed at the end") }
        var plan: Int?
        while let line = lines.popFirst() {
            if line.hasPrefix("#") {
                comments.append(line)
            } else if line == "  ---" {
                readDiagnosis(&lines)
            } else if let match = line.wholeMatch(of: #/1\.\.([0-9]+)( # .*)?/#), plan == nil {
                plan = Int(match.1)
            } else if let match = line.wholeMatch(of: #/(not )?ok ([0-9]+) - (.*)/#) {
                points.append(Self.point(match.1 == nil, Int(match.2) ?? 0, match.3))
            } else {
                faults.append("no line of TAP: \(line)")
            }
        }
        if plan != points.count { faults.append("planned \(plan ?? -1), came \(points.count)") }
        if points.map(\.number) != Array(1..<(points.count + 1)) { faults.append("wrong numbers") }
    }

    private mutating func readDiagnosis(_ lines: inout ArraySlice<Substring>) {
        var block: [Substring] = []
        while let line = lines.popFirst(), line != "  ..." {
            if !line.hasPrefix("  ") { faults.append("not in the block: \(line)") }
            block.append(line.dropFirst(2))
            // A text is a JSON string, which is also valid YAML.
            guard let quote = line.firstIndex(of: "\"") else { continue }
            if (try? JSONValue(reading: Array(line[quote...].utf8))) == nil { faults.append("no string: \(line)") }
        }
        guard !points.isEmpty, points[points.count - 1].diagnosis.isEmpty else { return faults.append("a stray block") }
        points[points.count - 1].diagnosis = block
    }

    /// The first `#` without a backslash begins the directive.
    private static func point(_ isOK: Bool, _ number: Int, _ text: Substring) -> Point {
        var parts = [""]
        var isEscaped = false
        for character in text {
            if isEscaped || character != "\\" && (character != "#" || parts.count > 1) {
                parts[parts.count - 1].append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else {
                parts.append("")
            }
        }
        var point = Point(isOK: isOK, number: number, description: parts[0])
        if parts.count > 1 {
            let words = parts[1].split(separator: " ", maxSplits: 1)
            point.directive = (String(words[0]), words.count > 1 ? String(words[1]) : "")
            point.description.removeLast()
        }
        return point
    }
}

struct TAPReportTests {
    private func read(_ report: CheckReport, isStrict: Bool = false) throws -> TAPDocument {
        let document = TAPDocument(try TAPReport(report, isStrict: isStrict).text())
        #expect(document.faults == [])
        return document
    }

    @Test func everyVerdictIsATestPoint() throws {
        let points = try read(SampleReport().report).points
        #expect(points.map(\.isOK) == [true, false, false, false, true, true, true])
        #expect(points.map(\.directive?.name) == [nil, nil, "TODO", "TODO", "SKIP", "SKIP", nil])
        #expect(points[0].description == "Puck: K-PASS the rule K-PASS holds (connection 1)")
        #expect(points[3].directive?.reason == "waived: mended in Puck, until 2026-06-30")
        #expect(points[4].directive?.reason == "inconclusive: the beginning was not captured")
        #expect(points[6].description == "C-WHOLE the rule C-WHOLE holds")
    }

    @Test func strictWarningsAreNoTODO() throws {
        #expect(try read(SampleReport().report, isStrict: true).points[2].directive == nil)
    }

    @Test func failuresCarryTheEvidence() throws {
        let block = try read(SampleReport().report).points[1].diagnosis
        for line in [
            "severity: \"error\"", "hint: \"look <here>\"", "quirk: \"Q-7\"", "failures: 2", "findings:",
            "  - at: \"connection 1, frame 44 (see frame 41), at 0.044 s\"", "    expected: \"temperature <= 100\"",
            "    observed: \"temperature = 101\"", "    frames: [41, 44]",
            "    bytes: \"\(String(repeating: "ab", count: 40))\"",
        ] {
            #expect(block.contains { $0 == line }, "\(line)")
        }
    }

    @Test func theRecordingComesFirst() throws {
        let text = try TAPReport(SampleReport(isLate: true).report).text()
        #expect(
            text.hasPrefix(
                """
                TAP version 14
                # captures/kettle.btsnoop: 44 frames, 12.345 s
                # capture quality:
                #   truncated packets: 3
                # the waiver of K-OTHER in line 1 is unused
                1..7

                """))
    }

    @Test func nothingToJudgeIsSkipped() throws {
        #expect(try TAPReport(CheckReport()).text().hasSuffix("1..0 # SKIP no rules to check\n"))
        #expect(try read(CheckReport()).points.isEmpty)
    }
}
