import ArgumentParser
import Bytes
import PluginKit
import Profile
import Store
import Workbench

/// `gattbench store`.
struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Show, export, import, merge and delete what is kept of devices.",
        subcommands: [Info.self, Export.self, Import.self, Merge.self, Delete.self])

    /// `gattbench store info`.
    struct Info: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "info", abstract: "Show the devices and tables of the store.")

        @Option(help: ArgumentHelp("The store.", valueName: "path"))
        var store: String?

        @Flag(help: "Print JSON.")
        var json = false

        @OptionGroup var terminal: TerminalArguments

        func run() throws {
            let summary = try StoreFile.openToRead(store).summary()
            Interruption.watch()
            try Console.write(json ? summary.json + "\n" : summary.text)
        }
    }

    /// `gattbench store export`.
    struct Export: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Write the rows of the store as CSV or as JSON lines.",
            discussion: """
                Each row names its device. CSV is one table (--table), or all tables in a folder (--output), one file each. Its
                times are dates to spreadsheets: local times to the millisecond, with their offset from UTC in the column
                “zone”. JSON lines are rows of all tables, with the field “table”; times are exact, as numbers. “store import”
                reads both.

                EXAMPLES
                  gattbench store export --to csv --table aquavate_drinks
                  gattbench store export --to csv --output tables --time-zone Europe/Paris
                  gattbench store export --to ndjson | jq 'select(.table == "sessions")'
                """)

        enum Format: String, ExpressibleByArgument, CaseIterable {
            case csv, ndjson
        }

        @Option(help: "The format.")
        var to: Format

        @Flag(help: "In CSV, write an apostrophe before texts that a spreadsheet would calculate.")
        var apostrophe = false

        @Option(help: "The only table.")
        var table: String?

        @Option(
            help: ArgumentHelp(
                "The zone of times in CSV, like Europe/Paris; this machine's by default.", valueName: "zone"))
        var timeZone: String?

        @Option(
            name: .shortAndLong,
            help: ArgumentHelp("The file to write, or the folder for several CSV files.", valueName: "path"))
        var output: String?

        @Option(help: ArgumentHelp("The store.", valueName: "path"))
        var store: String?

        @OptionGroup var terminal: TerminalArguments

        func run() throws {
            let store = try StoreFile.openToRead(store)
            Interruption.watch()
            if apostrophe, to != .csv { throw UsageError("--apostrophe goes with --to csv") }
            if timeZone != nil, to != .csv { throw UsageError("--time-zone goes with --to csv") }
            let zone = try zone()
            let known = store.tables
            if let table, !known.contains(table) {
                let near = Spelling.suggestion(for: table, among: known)
                throw UsageError(
                    "there is no table \(table.quotedIfEmpty)"
                        + (near.isEmpty ? "; tables are \(known.joined(separator: ", "))" : near))
            }
            let tables = table.map { [$0] } ?? known
            switch to {
            case .ndjson:
                try TextFile.writeOrPrint(to: output) { write in
                    for table in tables {
                        try store.forEachRow(of: table) { try write(Array("\($0.json(of: table))\n".utf8)) }
                    }
                }
            case .csv:
                if table == nil {
                    guard let output else {
                        throw UsageError(
                            "CSV is one table a file: --table with one of \(tables.joined(separator: ", ")), or --output with a folder"
                        )
                    }
                    try TextFile.makeFolder(output)
                }
                for name in tables {
                    let path = table == nil ? output.map { "\($0)/\(name).csv" } : output
                    try TextFile.writeOrPrint(to: path) { write in
                        let rows = SpreadsheetRows(
                            columns: try store.columns(of: name), times: store.times(of: name), zone: zone)
                        try write(CSV.line(rows.header))
                        try store.forEachRow(of: name) { row in
                            let cells = rows.cells(row)
                            try write(CSV.line(apostrophe ? cells.map(CSV.asText) : cells))
                        }
                    }
                }
            }
        }

        /// The zone of times.
        private func zone() throws -> TimeZoneTable {
            guard let timeZone else { return ZoneFile.local(environment: ProcessEnvironment.variables) }
            guard let zone = ZoneFile.zone(timeZone) else {
                throw UsageError("--time-zone \(timeZone): there is no such zone; expected a name like Europe/Paris")
            }
            return zone
        }
    }

    /// `gattbench store delete`.
    struct Delete: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Delete devices with all that is kept of them.",
            discussion: """
                The rows are overwritten, in the file and in its log. What devices keep themselves is not touched: the next
                sync brings only what they have not sent yet.

                EXAMPLES
                  gattbench store delete --device Aquavate-A3F2
                  gattbench store delete --all --yes
                """)

        @Flag(help: "Delete all devices.")
        var all = false

        @Option(help: "The address or name of the device to delete.")
        var device: String?

        @Flag(help: "Do not ask.")
        var yes = false

        @Option(help: ArgumentHelp("The store.", valueName: "path"))
        var store: String?

        @OptionGroup var terminal: TerminalArguments

        func validate() throws {
            guard all != (device != nil) else {
                throw ValidationError("say either --all or --device with a name or address")
            }
        }

        func run() throws {
            let store = try StoreFile.openExisting(store)
            let summary = try store.summary()
            let devices = summary.devices.filter { one in
                device.map { [one.address, one.name].contains($0) || one.address == $0.lowercased() } ?? true
            }
            if let device, devices.isEmpty {
                throw CommandError.unreadable("\(summary.path): there is no device \(device)")
            }
            if !yes {
                let names = devices.map { ($0.name ?? $0.address).legible() }.joined(separator: ", ")
                try Console.ask(
                    "Delete \(devices.count) \(devices.count == 1 ? "device" : "devices") (\(names)) with all rows from \(summary.path)?"
                )
            }
            let count = try store.delete(device: device)
            Console.note("\(count) \(count == 1 ? "device" : "devices") deleted")
        }
    }
}

extension TextFile {
    /// Writes pieces to a file, or to standard output if there is no path.
    fileprivate static func writeOrPrint(
        to path: String?, _ body: (_ write: @escaping ([UInt8]) throws -> Void) throws -> Void
    ) throws {
        guard let path, path != "-" else { return try body { try Console.write($0.span.rawBytes) } }
        try write(to: path, body)
    }
}

extension Record {
    /// A line of JSON. Columns without a value are null, so that all lines of a table have the same keys.
    fileprivate func json(of table: String) -> String {
        var text = TextWriter(capacity: 256)
        text.write(#"{"table":"# as StaticString)
        text.writeJSON(table)
        for (name, value) in fields {
            text.write(UInt8(ascii: ","))
            text.writeJSON(name)
            text.write(UInt8(ascii: ":"))
            // Nanoseconds since 1970 are written as numbers, even beyond 2^53.
            if case .integer(let number) = value { text.writeDecimal(number) } else { text.writeJSON(value) }
        }
        text.write(UInt8(ascii: "}"))
        return String(decoding: text.bytes, as: UTF8.self)
    }
}

extension StoreSummary {
    fileprivate var text: String {
        var lines = [
            "\(path): \((size + 1023) / 1024) KiB, SQLite \(engine), \(migrations.joined(separator: ", "))", "",
        ]
        lines.append(devices.isEmpty ? "no devices" : "devices")
        for device in devices {
            lines.append(
                "  \(device.address)  \(device.name?.legible() ?? "?")  \(device.plugin), last seen "
                    + "\(Timestamp(seconds: device.lastSeen, nanoseconds: 0))")
        }
        lines += ["", "tables"]
        let width = tables.map(\.name.count).max() ?? 0
        for (name, rows) in tables {
            lines.append("  " + name + String(repeating: " ", count: width - name.count) + "  \(rows)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    fileprivate var json: String {
        let rows = tables.map { (name: $0.name, value: JSONValue.integer($0.rows)) }
        return JSONValue.members([
            "path": .string(path), "size": .integer(Int(size)), "sqlite": .string(engine),
            "migrations": .array(migrations.map { .string($0) }),
            "devices": .array(
                devices.map {
                    .members([
                        "address": .string($0.address), "name": $0.name.map { .string($0) },
                        "plugin": .string($0.plugin),
                        "last_seen": .string("\(Timestamp(seconds: $0.lastSeen, nanoseconds: 0))"),
                    ])
                }), "tables": .object(of: rows),
        ]).text
    }
}
