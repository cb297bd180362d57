import Testing

/// Inputs and expected outputs, line by line: a test of the Bluetooth test specifications, or of a rule without such a
/// test.
struct PDUScript: Sendable, CustomTestStringConvertible {
    /// The ID of the test in the Bluetooth test specifications, or the rule's section.
    var id: String
    var title: String
    /// Input lines begin with `>` (the peer's PDU) or `!` (the owner's action). The expected output follows each of
    /// them: `<` (our PDU) or `=` (an event to the owner). Spaces in PDUs are ignored.
    var text: String

    init(_ id: String, _ title: String, _ text: String) {
        self.id = id
        self.title = title
        self.text = text
    }

    var testDescription: String { "\(id) \(title)" }

    /// Feeds the input lines to `machine`, one after the other, and expects its output to match the script.
    func run(sourceLocation: SourceLocation = #_sourceLocation, _ machine: (String) -> [String]) {
        var seen: [String] = []
        var expected: [String] = []
        for line in text.split(separator: "\n").map({ Self.normal(String($0)) }) {
            expected.append(line)
            guard line.hasPrefix(">") || line.hasPrefix("!") else { continue }
            seen.append(line)
            seen += machine(line).map(Self.normal)
        }
        #expect(seen == expected, "\(id) \(title)", sourceLocation: sourceLocation)
    }

    /// A line with PDUs in lower case and without spaces.
    private static func normal(_ line: String) -> String {
        guard let mark = line.first, "<>".contains(mark) else { return line }
        return "\(mark) " + line.dropFirst().filter { !$0.isWhitespace }.lowercased()
    }
}
