import Bytes

/// Tables in plain text.
enum TextColumns {
    /// Aligns the columns of rows.
    static func align(_ rows: [[String]], indent: String) -> String {
        let rows = rows.map { $0.map { $0.legibleLine() } }
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        return rows.map { row in
            var line = indent
            for (column, cell) in row.enumerated() {
                line += cell
                if column < row.count - 1 { line += String(repeating: " ", count: widths[column] - cell.count + 2) }
            }
            while line.last == " " { line.removeLast() }
            return line + "\n"
        }.joined()
    }
}
