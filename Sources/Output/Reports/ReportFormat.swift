package import Bytes

/// A check in a format that people or programs read: a pure function from a report to text. The same report gives the
/// same text, and what was captured first comes first: how good the recording is.
package protocol ReportFormat: Sendable {
    /// Writes all of it; what is written is handed on page by page, so that a large report is never held as a whole.
    func write(to output: inout ReportOutput) throws
}

extension ReportFormat {
    /// Writes all of it; `sink` gets piece after piece.
    package func write(_ sink: @escaping ([UInt8]) throws -> Void) throws {
        var output = ReportOutput(sink)
        try write(to: &output)
        try output.finish()
    }

    /// All of it as one text.
    package func text() throws -> String {
        var bytes: [UInt8] = []
        try write { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Where a report is written: a page, and who takes it when it is full.
package struct ReportOutput: ~Copyable {
    package var page = TextWriter(capacity: 2 * pageSize)
    private let sink: ([UInt8]) throws -> Void

    /// Bytes that are put together before they are handed on.
    private static let pageSize = 64 << 10

    package init(_ sink: @escaping ([UInt8]) throws -> Void) {
        self.sink = sink
    }

    package mutating func write(_ text: String) { page.write(text) }

    /// Writes a member of a JSON object, which is not the last one, in a line of its own.
    mutating func writeMember(_ name: String, _ value: JSONValue, indentation: Int) {
        page.write(UInt8(ascii: " "), times: indentation)
        page.writeJSON(name)
        page.write(": " as StaticString)
        value.write(to: &page, indentation: indentation)
        page.write(",\n" as StaticString)
    }

    /// Hands the page on if it is full.
    package mutating func turnPage() throws {
        if page.count >= Self.pageSize { try finish() }
    }

    /// Hands on what there is.
    fileprivate mutating func finish() throws {
        try sink(page.bytes)
        page.truncate(to: 0)
    }
}
