import Foundation
import PDUTestKit
import PluginKit
import Testing
import Workbench

private let office = "/usr/bin/soffice"

/// Exports as LibreOffice Calc opens them, with its default settings for CSV.
@Suite(
    .enabled(if: BuiltPrograms.areThere, "gattbench is not built"),
    .enabled(if: FileManager.default.isExecutableFile(atPath: office), "LibreOffice is not installed"))
struct SpreadsheetTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @discardableResult
    private func run(_ command: String) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", command]
        process.currentDirectoryURL = URL(filePath: folder.path)
        process.environment = ["PATH": "\(BuiltPrograms.folder):/usr/local/bin:/usr/bin:/bin", "HOME": folder.path]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// The types of the cells of a CSV file, by row: `date`, `float`, `string`; empty for an empty cell.
    private func cells(_ name: String) throws -> [[String]] {
        let convert = "\(office) -env:UserInstallation=file://\(folder.path)/profile --headless --convert-to fods"
        try #require(try run("\(convert) \(name).csv") == 0)
        let text = try folder.text("\(name).fods")
        return text.components(separatedBy: "<table:table-row").dropFirst().map { row in
            row.components(separatedBy: "<table:table-cell").dropFirst().flatMap { cell -> [String] in
                let tag = cell.prefix { $0 != ">" }
                let type = tag.components(separatedBy: "office:value-type=\"").dropFirst().first ?? ""
                let repeated = tag.components(separatedBy: "number-columns-repeated=\"").dropFirst().first ?? "1"
                let count = Int(repeated.prefix { $0 != "\"" }) ?? 1
                return Array(repeating: String(type.prefix { $0 != "\"" }), count: min(count, 100))
            }
        }
    }

    /// Each column with times of each table has dates in LibreOffice.
    @Test func timesAreDates() throws {
        try #require(try run("gattbench sync aquavate --transport radio: --scenario normal-day") == 0)
        try #require(try run("gattbench lifecount add +2 --location 7 --now 2026-03-02T12:00:00.250Z") == 0)
        let export = "gattbench store export --to csv --time-zone Europe/Paris"
        let columns = [
            "peers": ["first_seen", "last_seen"], "sessions": ["started_at", "ended_at"], "journal": ["committed_at"],
            "aquavate_bottles": ["last_sync", "last_activity_sync"], "aquavate_drinks": ["timestamp", "received_at"],
            "aquavate_wake_events": ["timestamp"], "lifecount_entries": ["timestamp", "received"],
        ]
        for (table, titles) in columns {
            try #require(try run("\(export) --table \(table) --output \(table).csv") == 0)
            let header = try #require(try folder.text("\(table).csv").split(separator: "\r\n").first)
            let names = header.split(separator: ",").map(String.init)
            let rows = try cells(table)
            #expect(rows.count > 1)
            for title in titles {
                let place = try #require(names.firstIndex(of: title), "\(table): \(names)")
                for row in rows.dropFirst() { #expect(row[place] == "date", "\(table).\(title): \(row)") }
            }
            if let zone = names.firstIndex(of: SpreadsheetTime.zoneColumn) {
                for row in rows.dropFirst() { #expect(row[zone] == "string", "\(table): \(row)") }
            }
        }
    }

    @Test func timesOfBatteriesAreDates() throws {
        let monitor = "gattbench battery monitor --transport radio: --scenario evening-charge --capacity 3274"
        try #require(try run(monitor) == 0)
        for (table, titles) in [("sessions", ["start", "end"]), ("samples", ["time"])] {
            try #require(try run("gattbench battery export --\(table) --time-zone UTC -o \(table).csv") == 0)
            let header = try #require(try folder.text("\(table).csv").split(separator: "\r\n").first)
            let names = header.split(separator: ",").map(String.init)
            let rows = try cells(table)
            #expect(rows.count > 1)
            for title in titles {
                let place = try #require(names.firstIndex(of: title), "\(table): \(names)")
                for row in rows.dropFirst() { #expect(row[place] == "date", "\(table).\(title): \(row)") }
            }
        }
    }

    /// Why the offset has a column of its own.
    @Test func aTimeWithAnOffsetIsAText() throws {
        let texts = [
            "2026-03-02T19:05:00.856", "2026-03-02T19:05:00", "2026-03-02T19:05:00.856+01:00", "2026-03-02T18:05:00Z",
            "2026-03-02 19:05:00", "UTC+01:00",
        ]
        try folder.file("forms.csv", (texts.joined(separator: ",") + "\r\n").utf8)
        #expect(try cells("forms").first == ["date", "date", "string", "string", "string", "string"])
    }
}
