/// A condition on frames in Wireshark's display-filter syntax, compiled once: `btatt.opcode == 0x1b && btatt.handle < 20`.
package struct DisplayFilter: Sendable {
    /// The filter as it was written.
    package let text: String
    /// The names of the fields that it asks for.
    package let fieldNames: Set<String>
    private let program: FilterProgram

    /// Compiles a filter over the fields of a catalog. Every frame passes a filter of nothing but blanks.
    package init(_ text: String, catalog: FieldCatalog) throws(FilterError) {
        self.text = text
        guard let syntax = try FilterParser.parse(text) else {
            program = .always
            fieldNames = []
            return
        }
        var compiler = FilterCompiler(text: text, catalog: catalog)
        program = try compiler.compile(syntax)
        fieldNames = compiler.fieldNames
    }

    /// Whether the frame passes.
    package func matches(_ frame: borrowing FilterFrame) -> Bool {
        program.matches(frame)
    }
}

/// Why a display filter cannot be used, and which characters of it are at fault.
package struct FilterError: Error, Hashable, Sendable {
    /// What is wrong, in a few words.
    package let message: String
    /// The filter as it was written.
    package let text: String
    /// The characters at fault, counted from the filter's first; empty at its end.
    package let range: Range<Int>

    /// The column of the fault, 1 for the first character.
    package var column: Int { range.lowerBound + 1 }
}

extension FilterError: CustomStringConvertible {
    /// Two lines: the filter, and carets under the fault with the message behind them.
    package var description: String {
        let line = String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 })
        let carets = String(repeating: "~", count: max(0, range.count - 1))
        return "\(line)\n\(String(repeating: " ", count: range.lowerBound))^\(carets) \(message)"
    }
}
