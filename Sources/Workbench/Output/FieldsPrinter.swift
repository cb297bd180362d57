package import Bytes
package import Dissection

/// `-T fields` and `-T csv`: the chosen fields of a frame, one line a frame, as tshark writes them.
package struct FieldsPrinter: FramePrinter {
    /// How columns are laid out: tshark's `-E`.
    package struct Layout: Sendable, Hashable {
        package var header = false
        package var separator: [UInt8] = [UInt8(ascii: "\t")]
        package var aggregator: [UInt8] = [UInt8(ascii: ",")]
        package var quote: UInt8?
        package var occurrence = Occurrence.all

        /// Which of a field's occurrences in a frame are written.
        package enum Occurrence: Sendable, Hashable {
            case first, last, all
        }

        package init() {}

        /// Comma-separated values as RFC 4180 has them, with a header.
        package static var csv: Layout {
            var layout = Layout()
            layout.header = true
            layout.separator = [UInt8(ascii: ",")]
            layout.quote = UInt8(ascii: "\"")
            return layout
        }
    }

    package let scope: DissectionScope
    private let names: [String]
    private let layout: Layout
    private let columns: [Column]

    /// The fields that share a column's name.
    private struct Column: Sendable {
        var first: Field
        var others: [Field]

        func has(_ recorded: RecordedField) -> Bool {
            recorded.field == first || !others.isEmpty && others.contains(recorded.field)
        }
    }

    /// Columns by their fields' names; throws for the first name that the catalog does not have.
    package init(_ names: [String], catalog: FieldCatalog, layout: Layout) throws(UnknownField) {
        columns = try names.map { name throws(UnknownField) in
            let fields = catalog[name]
            guard let first = fields.first else {
                throw UnknownField(name: name, nearest: catalog.nearest(to: name))
            }
            return Column(first: first, others: Array(fields.dropFirst()))
        }
        self.names = names
        self.layout = layout
        scope = DissectionScope(fieldNames: names)
    }

    package func writeHeader(to output: inout TextWriter) {
        guard layout.header else { return }
        for (column, name) in names.enumerated() {
            if column > 0 { output.write(layout.separator) }
            output.write(name)
        }
        output.write(UInt8(ascii: "\n"))
    }

    package func makeWriter() -> any FrameWriter { Writer(self) }

    private final class Writer: FrameWriter {
        private let printer: FieldsPrinter

        init(_ printer: FieldsPrinter) {
            self.printer = printer
        }

        func write(
            _ frame: DissectedFrame, _ facts: FrameFacts, of batch: borrowing TrackedBatch,
            to output: inout TextWriter
        ) {
            printer.write(frame, facts, of: batch, to: &output)
        }
    }

    private func write(
        _ frame: DissectedFrame, _ facts: FrameFacts, of batch: borrowing TrackedBatch, to output: inout TextWriter
    ) {
        let texts = frame.recorder.texts
        let fields = frame.recorder.fields
        for (number, column) in columns.enumerated() {
            if number > 0 { output.write(layout.separator) }
            var isFirst = true
            for (index, recorded) in fields.enumerated() where column.has(recorded) {
                switch layout.occurrence {
                case .first where !isFirst: continue
                case .last where fields[(index + 1)...].contains(where: column.has): continue
                default: break
                }
                if !isFirst { output.write(layout.aggregator) } else if let quote = layout.quote { output.write(quote) }
                isFirst = false
                writeValue(recorded, facts, batch, texts, to: &output)
            }
            if !isFirst, let quote = layout.quote { output.write(quote) }
        }
        output.write(UInt8(ascii: "\n"))
    }

    private func writeValue(
        _ field: RecordedField, _ facts: FrameFacts, _ batch: borrowing TrackedBatch, _ texts: [String],
        to output: inout TextWriter
    ) {
        let start = output.count
        output.writeValue(field, in: facts, of: batch, texts: texts)
        guard let quote = layout.quote, field.field.format == .text else { return }
        let value = output.bytes(from: start)
        guard value.contains(quote) else { return }
        output.truncate(to: start)
        output.write(value.flatMap { $0 == quote ? [quote, quote] : [$0] })
    }
}

/// A column or filter that names a field nobody has.
package struct UnknownField: Error, CustomStringConvertible {
    package var name: String
    package var nearest: [String]

    package var description: String {
        let hint = nearest.isEmpty ? "" : "; did you mean \(nearest.joined(separator: ", "))?"
        return "there is no field \"\(name)\"\(hint)"
    }
}
