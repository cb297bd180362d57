import Bytes
import Captures
package import PluginKit
package import Profile

/// A row of an exported table.
package struct ImportedRow: Sendable {
    package var table: String
    /// The file, and the line on which the row begins.
    package var file: String
    package var line: Int
    /// Values by column. Those of CSV are texts; the table decides their types.
    package var fields: Record
    package var isText: Bool

    package init(table: String, file: String, line: Int, fields: Record, isText: Bool) {
        self.table = table
        self.file = file
        self.line = line
        self.fields = fields
        self.isText = isText
    }

    /// An error of the row, or of one of its columns.
    package func fault(_ text: String, column: String? = nil) -> StoreFault {
        StoreFault("\(file.quotedIfEmpty): line \(line)\(column.map { ", \($0)" } ?? ""): \(text)")
    }
}

/// Number of rows of an import.
package struct ImportCount: Hashable, Sendable {
    package var new = 0
    /// Rows of the store that were replaced by newer ones, or marked as those are.
    package var changed = 0
    /// Rows that the store had already.
    package var known = 0

    package init() {}
}

/// Files that `store export` writes.
package enum ExportedFile {
    private static let sizeLimit = 1 << 30

    /// Calls `body` for each row of a file or of a folder with a file for each table.
    ///
    /// - Parameter table: the table of a CSV file; nil if the file's name shows it.
    /// - Parameter known: the tables of the store, in the order in which a folder's files are read.
    /// - Parameter hasApostrophes: whether texts in CSV that a spreadsheet would calculate begin with an apostrophe.
    package static func forEachRow(
        of path: String, table: String?, known: [String], hasApostrophes: Bool = false,
        _ body: (ImportedRow) throws(StoreFault) -> Void
    ) throws(StoreFault) {
        if let table { try check(table, known, path) }
        guard Folder.isFolder(path) else {
            return try readFile(path, table: table, known: known, hasApostrophes, body)
        }
        guard table == nil else { throw StoreFault("\(path): a folder has several tables; leave out --table") }
        let names = Folder.entries(of: path).filter { $0.hasSuffix(".csv") }.map { String($0.dropLast(4)) }
        for name in names { try check(name, known, "\(path)/\(name).csv") }
        guard !names.isEmpty else {
            throw StoreFault("\(path): expected files of “store export --to csv”, such as peers.csv; found none")
        }
        for name in known where names.contains(name) {
            try readFile("\(path)/\(name).csv", table: name, known: known, hasApostrophes, body)
        }
    }

    private static func check(_ table: String, _ known: [String], _ place: String) throws(StoreFault) {
        guard !known.contains(table) else { return }
        let near = Spelling.suggestion(for: table, among: known)
        throw StoreFault(
            "\(place): there is no table \(table.quotedIfEmpty)"
                + (near.isEmpty ? "; tables are \(known.joined(separator: ", "))" : near))
    }

    private static func readFile(
        _ path: String, table: String?, known: [String], _ hasApostrophes: Bool,
        _ body: (ImportedRow) throws(StoreFault) -> Void
    ) throws(StoreFault) {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try TextFile.readBytes(path, atMost: sizeLimit, else: "export and import one table at a time")
        } catch {
            throw StoreFault("\(error)")
        }
        if bytes.first == UInt8(ascii: "{") { return try readLines(bytes, path, table: table, known, body) }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let stem = name.hasSuffix(".csv") ? String(name.dropLast(4)) : name
        guard let table = table ?? known.first(where: { $0 == stem }) else {
            throw StoreFault(
                "\(path.quotedIfEmpty): expected JSON lines, or CSV of a table that the file is named after; "
                    + "name the table with --table")
        }
        try readCSV(bytes, path, table, hasApostrophes, body)
    }

    // MARK: - Formats

    private static func readCSV(
        _ bytes: [UInt8], _ path: String, _ table: String, _ hasApostrophes: Bool,
        _ body: (ImportedRow) throws(StoreFault) -> Void
    ) throws(StoreFault) {
        var reader = CSV.Reader(bytes)
        guard let header = try nextRow(&reader, path) else {
            throw StoreFault("\(path): expected a row with the names of the columns; found nothing")
        }
        for (index, name) in header.fields.enumerated() where header.fields[..<index].contains(name) {
            throw StoreFault("\(path): line \(header.line): the column \(name.quotedIfEmpty) stands there twice")
        }
        while let row = try nextRow(&reader, path) {
            guard row.fields.count == header.fields.count else {
                throw StoreFault(
                    "\(path): line \(row.line): expected \(header.fields.count) fields, as in the first line; "
                        + "found \(row.fields.count)")
            }
            var record = Record()
            for (name, cell) in zip(header.fields, row.fields) {
                let isMarked = hasApostrophes && cell.hasPrefix("'") && CSV.isFormula(cell.utf8.dropFirst())
                record.fields.append((name, .text(isMarked ? String(cell.dropFirst()) : cell)))
            }
            try body(ImportedRow(table: table, file: path, line: row.line, fields: record, isText: true))
        }
    }

    private static func nextRow(_ reader: inout CSV.Reader, _ path: String) throws(StoreFault) -> CSV.Row? {
        do throws(CSV.Fault) {
            return try reader.next()
        } catch {
            throw StoreFault("\(path): \(error)")
        }
    }

    private static func readLines(
        _ bytes: [UInt8], _ path: String, table wanted: String?, _ known: [String],
        _ body: (ImportedRow) throws(StoreFault) -> Void
    ) throws(StoreFault) {
        var (start, line) = (bytes.startIndex, 0)
        while start < bytes.endIndex {
            let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.endIndex
            line += 1
            let text = Array(bytes[start..<end])
            start = min(end + 1, bytes.endIndex)
            guard text.contains(where: { $0 > 0x20 }) else { continue }
            let value: JSONValue
            do throws(JSONValue.Fault) {
                value = try JSONValue(reading: text)
            } catch {
                throw StoreFault("\(path): line \(line), column \(error.column): expected \(error.expected)")
            }
            guard case .object(let members) = value,
                case .string(let table)? = members.first(where: { $0.name == "table" })?.value
            else { throw StoreFault("\(path): line \(line): expected an object with the field “table”") }
            try check(table, known, "\(path): line \(line)")
            guard wanted == nil || wanted == table else { continue }
            var row = ImportedRow(table: table, file: path, line: line, fields: Record(), isText: false)
            for member in members where member.name != "table" {
                guard let value = Value(member.value) else {
                    throw row.fault("expected a number, a text or null", column: member.name)
                }
                row.fields.fields.append((member.name, value))
            }
            try body(row)
        }
    }
}

extension Value {
    /// The value of a column; nil for what no column has.
    fileprivate init?(_ json: JSONValue) {
        switch json {
        case .null: self = .absent
        case .integer(let number): self = .integer(Int64(number))
        case .number(let number): self = .real(number)
        case .string(let text): self = .text(text)
        case .boolean, .unsigned, .array, .object: return nil
        }
    }
}
