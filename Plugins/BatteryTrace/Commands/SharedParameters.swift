import PluginKit
import Profile

/// What several of the commands take.
extension CommandParameter {
    static let json = CommandParameter.flag("json", help: "Print JSON.")
    static let output = CommandParameter.option(
        "output", short: "o", .output, placeholder: "output",
        help: "The file to write; standard output by default.")
}

/// The files that the commands keep in the program's data folder, and read from its settings folder.
enum KeptFiles {
    static let snapshots = "snapshots.csv"
    static let sessions = "sessions.csv"
    static let batteries = "batteries.json"
}

extension CommandInput {
    /// The rows of a table in the data folder; none where there is no such file.
    func rows<Row: TableRow>(_ type: Row.Type, in name: String) throws(CommandError) -> [Row] {
        guard let file = stored[name], let bytes = file.bytes else { return [] }
        do throws(CSV.Fault) {
            return try Row.rows(csv: bytes)
        } catch {
            throw .unreadable("\(file.path): \(error)")
        }
    }

    /// What puts rows at the end of a table in the data folder.
    func appending(_ rows: [some TableRow], to name: String) -> CommandOutput.Change {
        let lines = rows.flatMap(\.line)
        // A file that somebody edited may lack the end of its last line; an empty one lacks the header.
        guard let bytes = stored[name]?.bytes else { return .append(lines, orNew: header(of: rows)) }
        let start = bytes.isEmpty ? header(of: rows) : bytes.last == 0x0A ? [] : [0x0D, 0x0A]
        return .append(start + lines, orNew: header(of: rows))
    }

    private func header<Row: TableRow>(of rows: [Row]) -> [UInt8] { Row.header }

    /// The shipped batteries with those of the user's file.
    func catalog() throws(CommandError) -> BatteryCatalog {
        var catalog: BatteryCatalog
        do throws(BatteryCatalog.Fault) {
            catalog = try BatteryCatalog.shipped()
        } catch {
            throw .unreadable("the shipped catalogue: \(error)")
        }
        guard let file = settings[KeptFiles.batteries], let bytes = file.bytes else { return catalog }
        do throws(BatteryCatalog.Fault) {
            catalog.override(with: try BatteryCatalog(json: bytes))
        } catch {
            throw .unreadable("\(file.path): \(error)")
        }
        return catalog
    }
}
