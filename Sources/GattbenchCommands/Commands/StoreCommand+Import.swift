import ArgumentParser
import Bytes
import Captures
import PluginKit
import Profile
import Store
import Transports
import Workbench

extension StoreCommand {
    /// `gattbench store import`.
    struct Import: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Add the rows of an export to the store.",
            discussion: """
                FILE is what “store export” has written: JSON lines, CSV of one table, or a folder of CSV files. Rows that
                the store has are not doubled; a newer row of the same device or session replaces an older one. A file with
                an error changes nothing.

                EXAMPLES
                  gattbench store import all.ndjson
                  gattbench store import tables --store copy.sqlite
                  gattbench store import drinks.csv --table aquavate_drinks
                """)

        @Argument(help: ArgumentHelp("The export.", valueName: "file"))
        var file: String

        @Option(help: "The only table; of CSV by default the one that the file is named after.")
        var table: String?

        @Flag(help: "The CSV was exported with --apostrophe.")
        var apostrophe = false

        @Option(help: ArgumentHelp("The store; it is created if there is none.", valueName: "path"))
        var store: String?

        @OptionGroup var terminal: TerminalArguments

        func run() throws {
            guard Folder.exists(file) else {
                throw FileError(file: file, "there is no such file; name one that “store export” has written")
            }
            let path = StoreFile.path(store, environment: ProcessEnvironment.variables)
            try Console.refuse(path, overwriting: [file])
            let opened = try StoreFile.openFile(store)
            let count = try opened.importRows(owners: BuiltInPlugins.tableOwners, at: SystemClock().now) {
                add throws(StoreFault) in
                try ExportedFile.forEachRow(
                    of: file, table: table, known: opened.tables, hasApostrophes: apostrophe, add)
            }
            try Console.write("\(path): \(count.text)\n")
        }
    }

    /// `gattbench store merge`.
    struct Merge: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "merge",
            abstract: "Merge two stores into a new one.",
            discussion: """
                Each row of either store is there once. Of settings that both have of a device, the newer ones stay. The two
                stores are not changed.

                EXAMPLES
                  gattbench store merge kitchen.sqlite office.sqlite -o both.sqlite
                """)

        @Argument(help: ArgumentHelp("A store.", valueName: "a"))
        var first: String

        @Argument(help: ArgumentHelp("Another store.", valueName: "b"))
        var second: String

        @Option(name: .shortAndLong, help: ArgumentHelp("The new store.", valueName: "c"))
        var output: String

        @OptionGroup var terminal: TerminalArguments

        func run() throws {
            let environment = ProcessEnvironment.variables
            let inputs = [first, second].map { StoreFile.path($0, environment: environment) }
            for input in inputs { try StoreFile.requireStore(input) }
            let target = StoreFile.path(output, environment: environment)
            try Console.refuse(target, overwriting: inputs)
            guard !Folder.exists(target) else {
                throw UsageError("\(target) is there already; name a new file with -o")
            }
            let count = try SQLiteStore.merge(
                inputs[0], inputs[1], into: target, schema: BuiltInPlugins.schema,
                owners: BuiltInPlugins.tableOwners, at: SystemClock().now)
            try Console.write("\(target): all of \(inputs[0]); of \(inputs[1]) \(count.text)\n")
        }
    }
}

extension ImportCount {
    /// `20 new rows, 1 changed, 3 known`.
    fileprivate var text: String {
        let rest = [(changed, "changed"), (known, "there already")].filter { $0.0 > 0 }.map { ", \($0.0) \($0.1)" }
        return new.counted("new row") + rest.joined()
    }
}
