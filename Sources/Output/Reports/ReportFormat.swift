package import Bytes

/// A report format: a pure function from a check report to text. The same report gives the same text. The quality of
/// the recording comes first.
package protocol ReportFormat: Sendable {
    /// Writes the report page by page, so that a large report is never held in memory as a whole.
    func write(to output: inout ReportOutput) throws
}

extension ReportFormat {
    /// Writes the report; `sink` receives it piece by piece.
    package func write(_ sink: @escaping ([UInt8]) throws -> Void) throws {
        var output = ReportOutput(sink)
        try write(to: &output)
        try output.finish()
    }

    /// The report as one text.
    package func text() throws -> String {
        var bytes: [UInt8] = []
        try write { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Output of a report: a buffer, and the sink that receives it when it is full.
package struct ReportOutput: ~Copyable {
    package var page = TextWriter(capacity: 2 * pageSize)
    private let sink: ([UInt8]) throws -> Void

    /// Buffer size, in bytes, at which the output is flushed.
    private static let pageSize = 64 << 10

    package init(_ sink: @escaping ([UInt8]) throws -> Void) {
        self.sink = sink
    }

    package mutating func write(_ text: String) { page.write(text) }

    /// Writes a member, other than the last, of a JSON object on its own line.
    mutating func writeMember(_ name: String, _ value: JSONValue, indentation: Int) {
        page.write(UInt8(ascii: " "), times: indentation)
        page.writeJSON(name)
        page.write(": " as StaticString)
        value.write(to: &page, indentation: indentation)
        page.write(",\n" as StaticString)
    }

    /// Flushes the buffer if it is full.
    package mutating func turnPage() throws {
        if page.count >= Self.pageSize { try finish() }
    }

    /// Flushes the buffer.
    fileprivate mutating func finish() throws {
        try sink(page.bytes)
        page.truncate(to: 0)
    }
}
