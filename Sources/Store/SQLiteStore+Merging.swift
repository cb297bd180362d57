package import Bytes
import Glibc
package import PluginKit
import Profile
package import Workbench

/// Merging of stores.
extension SQLiteStore {
    /// Merges two stores into a new file, and returns the number of rows of the second one that are new there. Neither
    /// store is changed; a store of an earlier version is migrated as a copy.
    ///
    /// - Parameter owners: plugins by table.
    package static func merge(
        _ first: String, _ second: String, into output: String, schema: [StoredTables], owners: [String: String],
        at now: Timestamp
    ) throws(StoreFault) -> ImportCount {
        let copy = output + ".merging"
        for path in [output, copy] where unsafe access(path, F_OK) == 0 {
            throw StoreFault("\(path): is there already; name another file with -o, or remove it")
        }
        do throws(StoreFault) {
            try self.copy(first, to: output)
            try self.copy(second, to: copy)
            let count = try merge(copy, named: second, into: output, schema: schema, owners: owners, at: now)
            remove(copy)
            return count
        } catch {
            for path in [output, copy] { remove(path) }
            throw error
        }
    }

    private static func merge(
        _ copy: String, named second: String, into output: String, schema: [StoredTables], owners: [String: String],
        at now: Timestamp
    ) throws(StoreFault) -> ImportCount {
        let store = try open(path: output, schema: schema)
        let other = try open(path: copy, schema: schema)
        return try store.importRows(owners: owners, at: now) { add throws(StoreFault) in
            for table in other.tables {
                do {
                    try other.forEachRow(of: table) { row in
                        try add(
                            ImportedRow(
                                table: table, file: second, line: Int(row.integer("id") ?? 0), fields: row,
                                isText: false))
                    }
                } catch {
                    throw error as? StoreFault ?? StoreFault("\(error)")
                }
            }
        }
    }

    /// Copies a store, with what is in its log, to a new file that only its user may read.
    private static func copy(_ path: String, to output: String) throws(StoreFault) {
        var database = try Database(path: path, access: readOnlyAccess(path))
        let before = FileState(path)
        try makeFile(output)
        // SQLite does not treat some names as files.
        try database.run("VACUUM INTO ?", [.text(output.hasPrefix("/") ? output : "./" + output)])
        guard readOnlyAccess(path) == .readOnly || FileState(path) == before else {
            throw StoreFault("\(path): another program has changed it meanwhile; run the command again")
        }
    }

    /// Removes a file and its log.
    private static func remove(_ path: String) {
        for file in [path, path + "-wal", path + "-shm"] { _ = unsafe unlink(file) }
    }
}
