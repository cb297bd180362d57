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
