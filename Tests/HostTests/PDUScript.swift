import Testing

/// What goes in and what has to come out, line by line: a test of the Bluetooth test specifications, or of a rule that
/// they have none for.
struct PDUScript: Sendable, CustomTestStringConvertible {
    /// The id of the test in the Bluetooth test specifications, or the rule's section.
    var id: String
    var title: String
    /// Lines that go in begin with `>` (the peer's PDU) or `!` (the owner's doing); what has to come out follows each
    /// of them: `<` (a PDU of ours) or `=` (what is told to the owner). Blanks inside of PDUs do not count.
    var text: String

    init(_ id: String, _ title: String, _ text: String) {
        self.id = id
        self.title = title
        self.text = text
    }

    var testDescription: String { "\(id) \(title)" }

    /// Gives the lines that go in to `machine`, one after the other, and expects its lines to be those of the script.
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

    /// A line with PDUs in lower case and without blanks.
    private static func normal(_ line: String) -> String {
        guard let mark = line.first, "<>".contains(mark) else { return line }
        return "\(mark) " + line.dropFirst().filter { !$0.isWhitespace }.lowercased()
    }
}
