/// A compiled condition on frames in Wireshark's display-filter syntax: `btatt.opcode == 0x1b && btatt.handle < 20`.
package struct DisplayFilter: Sendable {
    /// The filter as it was written.
    package let text: String
    /// Names of the fields that the filter uses.
    package let fieldNames: Set<String>
    private let program: FilterProgram

    /// Compiles a filter over the fields of a catalog. A blank filter passes every frame.
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

    package func matches(_ frame: borrowing FilterFrame) -> Bool {
        program.matches(frame)
    }
}

/// An error in a display filter, with the position of the fault.
package struct FilterError: Error, Hashable, Sendable {
    /// Short description of the error.
    package let message: String
    /// The filter as it was written.
    package let text: String
    /// Range of the faulty characters in the filter; empty if the fault is at its end.
    package let range: Range<Int>

    /// Column of the fault, starting at 1.
    package var column: Int { range.lowerBound + 1 }
}

extension FilterError: CustomStringConvertible {
    /// Two lines: the filter, then carets under the fault and the message.
    package var description: String {
        let line = String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 })
        let carets = String(repeating: "~", count: max(0, range.count - 1))
        return "\(line)\n\(String(repeating: " ", count: range.lowerBound))^\(carets) \(message)"
    }
}
