import Bytes
import Redaction

extension RedactJob.Report {
    /// The counts as JSON, for programs.
    package var json: String {
        let replaced = RedactionKind.allCases.map { (name: $0.rawValue, value: JSONValue.integer(counts[$0])) }
        let members: [(name: String, value: JSONValue)] = [
            ("packets", .integer(packets)), ("replaced", .object(of: replaced)),
        ]
        return JSONValue.object(of: members).text
    }

    /// One line for each kind of replacement that was made.
    package var lines: [String] {
        RedactionKind.allCases.filter { counts[$0] > 0 }.map { "\($0.title): \(counts[$0])" }
    }
}
