import Bytes

/// The differences between two captures as text, grouped by connection.
package struct DifferenceReport {
    private let comparison: CaptureComparison
    private let paint: Paint

    /// Differences shown of a pair of connections, fields of a difference, and connections without a partner; others are
    /// counted.
    private static let (rows, fieldRows, connectionRows) = (100, 12, 20)
    /// Characters shown of a name and of a field's text.
    private static let (nameLimit, textLimit) = (200, 200)
    /// Columns of the kind and of the subject.
    private static let (kindWidth, subjectWidth) = (14, 60)

    package init(_ comparison: CaptureComparison, paint: Paint = .none) {
        (self.comparison, self.paint) = (comparison, paint)
    }

    package func text() -> String {
        var output = TextWriter(capacity: 8 * 1024)
        write(comparison.a, "A", to: &output)
        write(comparison.b, "B", to: &output)
        var equal = 0
        for connection in comparison.connections {
            // Of many connections, those that differ are listed.
            if connection.differences.isEmpty { equal += 1 }
            if !connection.differences.isEmpty || equal <= Self.connectionRows { write(connection, to: &output) }
        }
        if equal > Self.connectionRows {
            output.write(
                "\n… and \((equal - Self.connectionRows).counted("more pair")) of connections without differences\n")
        }
        write(comparison.onlyA, "A", missingFrom: comparison.b, to: &output)
        write(comparison.onlyB, "B", missingFrom: comparison.a, to: &output)
        output.write("\n")
        if comparison.isEmpty {
            output.write("no connection to compare\n")
        } else if comparison.differs {
            paint.write(comparison.count.counted("difference"), in: \.error, to: &output)
            output.write("\n")
        } else {
            paint.write("no differences", in: \.name, to: &output)
            output.write("\n")
        }
        return String(decoding: output.bytes, as: UTF8.self)
    }

    private func write(_ outline: CaptureOutline, _ side: String, to output: inout TextWriter) {
        paint.write(side, in: \.name, to: &output)
        output.write(
            "  \(outline.file.legible())  \(outline.frames.counted("frame")), "
                + "\(outline.connections.count.counted("connection")), \(outline.procedureCount.counted("procedure"))")
        if outline.omittedConnections > 0 {
            output.write("; not compared: \(outline.omittedConnections.counted("more connection"))")
        }
        if outline.omittedProcedures > 0 {
            output.write("; not compared: \(outline.omittedProcedures.counted("more procedure"))")
        }
        output.write("\n")
    }

    private func write(
        _ connections: [ConnectionOutline], _ side: String, missingFrom other: CaptureOutline,
        to output: inout TextWriter
    ) {
        if connections.isEmpty { return }
        output.write("\n")
        for connection in connections.prefix(Self.connectionRows) {
            paint.write("Connection \(connection.number) only in \(side)", in: \.name, to: &output)
            output.write("  \(Self.title(connection)), \(connection.procedures.count.counted("procedure"))")
            if !comparison.isDifference(connection, missingFrom: other) { output.write(" (in one view only)") }
            output.write("\n")
        }
        if connections.count > Self.connectionRows {
            output.write(
                "… and \((connections.count - Self.connectionRows).counted("more connection")) only in \(side)\n")
        }
    }

    private static func title(_ connection: ConnectionOutline) -> String {
        let device = connection.device
        let name = device.name.legible(limit: nameLimit)
        guard let address = device.address, address != device.name else { return name }
        return "\(name) \(address)"
    }
}

// MARK: - A pair of connections

extension DifferenceReport {
    private func write(_ pair: ConnectionComparison, to output: inout TextWriter) {
        output.write("\n")
        paint.write("Connection \(pair.a.number) | \(pair.b.number)", in: \.name, to: &output)
        let (one, other) = (Self.title(pair.a), Self.title(pair.b))
        output.write("  \(one)\(one == other ? "" : " | \(other)"), \(pair.common.counted("procedure")) in common\n")
        for difference in pair.differences.prefix(Self.rows) { write(difference, to: &output) }
        let more = pair.differences.count - Self.rows + pair.omitted
        if pair.differences.count > Self.rows { output.write("  … and \(more.counted("more difference"))\n") }
        for note in Self.notes(pair) {
            output.write("  ")
            paint.write(note, in: \.faint, to: &output)
            output.write("\n")
        }
    }

    /// What limits the comparison of a pair.
    package static func notes(_ pair: ConnectionComparison) -> [String] {
        var notes: [String] = []
        if pair.differences.isEmpty { notes.append("no differences") }
        if pair.hasDifferentViews {
            notes.append("two views, \(pair.a.view.rawValue) and \(pair.b.view.rawValue): durations are not compared")
        }
        if pair.inOneView > 0 { notes.append("\(pair.inOneView.counted("procedure")) in one view only") }
        if pair.uncertain > 0 {
            notes.append(
                "\(pair.uncertain.counted("procedure")) not compared: the other capture lacks packets there")
        }
        for (side, connection) in [("A", pair.a), ("B", pair.b)] where connection.hasUnreadTraffic {
            notes.append("\(side) has encrypted packets that no key opens")
        }
        return notes
    }

    private func write(_ difference: Difference, to output: inout TextWriter) {
        let start = output.count
        output.write("  ")
        paint.write(difference.label, in: \.warning, to: &output)
        // Escape sequences take no columns.
        output.pad(from: start, to: Self.kindWidth + paint.width)
        let subject = output.count
        output.write(difference.subject.legible(limit: Self.nameLimit))
        if let compared = difference.compared, compared > 1 {
            output.write(", \(difference.count) of \(compared)")
        } else if difference.count > 1, difference.kind == .only {
            output.write(", \(difference.count) times")
        }
        let frames = difference.frames
        if !frames.isEmpty {
            output.pad(from: subject, to: Self.subjectWidth)
            output.write(" ")
            paint.write(frames, in: \.faint, to: &output)
        }
        output.write("\n")
        for field in difference.fields.prefix(Self.fieldRows) {
            output.write("                ")
            output.write(field.name.legible(limit: Self.nameLimit))
            output.write("  ")
            output.write(Self.text(field.a))
            paint.write(" | ", in: \.faint, to: &output)
            output.write(Self.text(field.b))
            output.write("\n")
        }
        if difference.fields.count > Self.fieldRows {
            output.write(
                "                … and \((difference.fields.count - Self.fieldRows).counted("more field"))\n")
        }
    }

    private static func text(_ text: String?) -> String { text?.legible(limit: textLimit) ?? "–" }
}

extension Paint {
    /// Bytes of the escape sequences around a text in a color.
    fileprivate var width: Int { warning.count + plain.count }
}

extension Difference {
    /// The kind in words, with the side of what only one has.
    package var label: String {
        switch kind {
        case .only: a == nil ? "only in B" : "only in A"
        default: kind.rawValue
        }
    }

    /// `frames 41-42 | 43`; empty for none.
    package var frames: String {
        if a == nil, b == nil { return "" }
        if let a, b == nil { return (a.count == 1 ? "frame " : "frames ") + Self.text(a) }
        if let b, a == nil { return (b.count == 1 ? "frame " : "frames ") + Self.text(b) }
        return "frames \(a.map(Self.text) ?? "–") | \(b.map(Self.text) ?? "–")"
    }

    private static func text(_ frames: ClosedRange<Int>) -> String {
        frames.lowerBound == frames.upperBound ? "\(frames.lowerBound)" : "\(frames.lowerBound)-\(frames.upperBound)"
    }
}
