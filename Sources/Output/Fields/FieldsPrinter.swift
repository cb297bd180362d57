package import Bytes
import Conversation
package import Dissection
import Profile

/// `-T fields` and `-T csv`: selected fields, one line per frame, in tshark's format.
package struct FieldsPrinter: FramePrinter {
    package let scope: DissectionScope
    private let names: [String]
    private let layout: Layout
    /// Column of each recorded field; if several columns have its name, the first.
    private let index: FieldIndex
    private let sources: [Source]

    /// A column of Wireshark's packet list.
    enum ListColumn: String, CaseIterable {
        case stack = "_ws.col.Protocol"
        /// Summary of the frame, as in text output.
        case info = "_ws.col.Info"
    }

    fileprivate enum Source {
        /// The frame's metadata; needs no recorded fields.
        case frame(FrameNumber)
        /// All recorded fields.
        case list(ListColumn)
        /// The recorded fields with this column in `index`, which is the first column of their name.
        case recorded(Int)
    }

    /// Creates columns for field names; throws for the first unknown name.
    package init(_ names: [String], catalog: FieldCatalog, layout: Layout) throws(UnknownField) {
        var entries: [(field: Field, value: Int)] = []
        var sources: [Source] = []
        var recorded: [String] = []
        var ofLists: DissectionScope = []
        var columns: [String: Int] = [:]
        for (column, name) in names.enumerated() {
            if let list = ListColumn(rawValue: name) {
                sources.append(.list(list))
                ofLists = .all
                continue
            }
            let fields = catalog[name]
            guard !fields.isEmpty else { throw UnknownField(name: name, nearest: catalog.nearest(to: name)) }
            if let number = FrameNumber.allCases.first(where: { fields == [$0.field] }) {
                sources.append(.frame(number))
                continue
            }
            // An alias resolves to the field that it names.
            let source = columns[fields[0].name] ?? column
            columns[fields[0].name] = source
            sources.append(.recorded(source))
            recorded.append(fields[0].name)
            if source == column { entries += fields.map { ($0, column) } }
        }
        index = FieldIndex(entries)
        self.sources = sources
        self.names = names
        self.layout = layout
        scope = DissectionScope(fieldNames: recorded).union(ofLists)
    }

    package func writeHeader(to output: inout TextWriter) {
        guard layout.header else { return }
        for (column, name) in names.enumerated() {
            if column > 0 { output.write(layout.separator) }
            output.write(name)
        }
        output.write(UInt8(ascii: "\n"))
    }

    package func makeWriter() -> any FrameWriter {
        FieldsFrameWriter(
            index: index, sources: sources, layout: layout, line: TextFrameWriter(TextPrinter()))
    }
}

private final class FieldsFrameWriter: FrameWriter {
    private let index: FieldIndex
    private let sources: [FieldsPrinter.Source]
    private let layout: FieldsPrinter.Layout
    /// Writes `_ws.col.Info`.
    private let line: TextFrameWriter
    /// The frame's fields that occur in a column, in order, each with the index of the next one in its column; -1 for
    /// none.
    private var found: [(column: Int, field: RecordedField, next: Int)] = []
    /// Indices in `found` of each column's first and last field; -1 for none.
    private var chains: [(first: Int, last: Int)]

    init(
        index: FieldIndex, sources: [FieldsPrinter.Source], layout: FieldsPrinter.Layout, line: TextFrameWriter
    ) {
        self.line = line
        self.index = index
        self.sources = sources
        self.layout = layout
        chains = Array(repeating: (-1, -1), count: sources.count)
    }

    func write(
        _ frame: DissectedFrame, _ metadata: FrameMetadata, of batch: borrowing TrackedBatch,
        to output: inout TextWriter
    ) {
        for entry in found { chains[entry.column] = (-1, -1) }
        if !found.isEmpty { found.removeAll(keepingCapacity: true) }
        let recorder = frame.recorder
        let fields = recorder.span
        for place in fields.indices {
            if let column = index[fields[place]] { append(fields[place], to: column) }
        }
        for column in sources.indices {
            if column > 0 { output.write(layout.separator) }
            switch sources[column] {
            case .frame(let number):
                if let quote = layout.quote { output.write(quote) }
                let start = output.count
                output.writeValue(number, of: metadata.packet, in: batch)
                escapeFormula(from: start, in: &output)
                if let quote = layout.quote { output.write(quote) }
            case .list(let list):
                if let quote = layout.quote { output.write(quote) }
                let start = output.count
                switch list {
                case .stack: output.write(ProtocolStack(of: recorder, metadata.packet).column)
                case .info: line.writeSummary(frame, metadata, batch, to: &output)
                }
                doubleQuotes(from: start, in: &output)
                escapeFormula(from: start, in: &output)
                if let quote = layout.quote { output.write(quote) }
            case .recorded(let source):
                writeOccurrences(of: source, recorder.texts, metadata, batch, to: &output)
            }
        }
        output.write(UInt8(ascii: "\n"))
    }

    private func append(_ field: RecordedField, to column: Int) {
        let place = found.count
        if chains[column].last >= 0 { found[chains[column].last].next = place } else { chains[column].first = place }
        chains[column].last = place
        found.append((column, field, -1))
    }

    /// Writes the fields of one column.
    private func writeOccurrences(
        of source: Int, _ texts: [String], _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch,
        to output: inout TextWriter
    ) {
        let chain = chains[source]
        guard chain.first >= 0 else { return }
        if let quote = layout.quote { output.write(quote) }
        let start = output.count
        var place = layout.occurrence == .last ? chain.last : chain.first
        while place >= 0 {
            writeValue(found[place].field, metadata, batch, texts, to: &output)
            place = layout.occurrence == .first ? -1 : found[place].next
            if place >= 0 { output.write(layout.aggregator) }
        }
        escapeFormula(from: start, in: &output)
        if let quote = layout.quote { output.write(quote) }
    }

    private func writeValue(
        _ field: RecordedField, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, _ texts: [String],
        to output: inout TextWriter
    ) {
        let start = output.count
        output.writeValue(field, in: metadata, of: batch, texts: texts)
        if field.field.format == .text { doubleQuotes(from: start, in: &output) }
    }

    /// Inserts an apostrophe before the cell written since `start`, if a spreadsheet would evaluate it.
    private func escapeFormula(from start: Int, in output: inout TextWriter) {
        guard layout.escapesFormulas else { return }
        let cell = Array(output.bytes(from: start))
        guard CSV.isFormula(cell) else { return }
        output.truncate(to: start)
        output.write(UInt8(ascii: "'"))
        output.write(cell)
    }

    /// Doubles the quotes in the text written since `start`, as quoted cells require.
    private func doubleQuotes(from start: Int, in output: inout TextWriter) {
        guard let quote = layout.quote else { return }
        let value = output.bytes(from: start)
        guard value.contains(quote) else { return }
        output.truncate(to: start)
        output.write(value.flatMap { $0 == quote ? [quote, quote] : [$0] })
    }
}
