package import Bytes
import Captures
package import PluginKit
package import Profile

/// A store of what devices have told, as the jobs see it. The module `Store` has the one that is built on SQLite.
package protocol RecordStore: AnyObject, Sendable {
    /// Begins a session with a device; those that follow have a higher number.
    func beginSession(_ session: StoredSession) throws(StoreFault) -> Int64
    /// The device of a session is known: its address and name.
    func identify(session: Int64, address: String, name: String?, at time: Timestamp) throws(StoreFault)
    /// Keeps the attribute table of a session's device, in the file format of tables.
    func keep(table: String, session: Int64, at time: Timestamp) throws(StoreFault)
    /// Makes changes to the rows of the session's device; they are on disk when this returns. Returns how many rows are new.
    func commit(_ changes: [StoreChange], session: Int64, at time: Timestamp) throws(StoreFault) -> Int
    func endSession(_ session: Int64, outcome: String, at time: Timestamp) throws(StoreFault)

    /// Makes changes that belong to no session.
    func commit(_ changes: [StoreChange]) throws(StoreFault)
    /// Hands over the rows of a table, one after the other in the order in which they came, with `device` and `device_name`.
    func forEachRow(of table: String, _ body: (StoredRow) throws -> Void) throws
    /// Hands over the rows of a query, one after the other; the array is the same for all of them.
    func forEachRow(of query: StoredQuery, _ body: ([Int64]) -> Void) throws(StoreFault)
    /// The columns of a table as its rows have them.
    func columns(of table: String) throws(StoreFault) -> [String]

    /// Addresses of the devices of a plugin.
    func addresses(of plugin: String) throws(StoreFault) -> [String]
    /// What there is, for people.
    func summary() throws(StoreFault) -> StoreSummary
    /// Removes devices with all their rows: the one with this address or name, or all; returns how many.
    func delete(device: String?) throws(StoreFault) -> Int
}

extension RecordStore {
    /// All rows of a table.
    package func rows(of table: String) throws -> [StoredRow] {
        var rows: [StoredRow] = []
        try forEachRow(of: table) { rows.append($0) }
        return rows
    }
}

/// A row of a table: its columns by name.
package typealias StoredRow = Record

/// A session with a device, as it begins.
package struct StoredSession: Sendable {
    package var plugin: String
    package var transport: String
    package var start: Timestamp

    package init(plugin: String, transport: String, start: Timestamp) {
        self.plugin = plugin
        self.transport = transport
        self.start = start
    }
}

/// What a store holds.
package struct StoreSummary: Sendable {
    package struct Device: Sendable {
        package var address: String
        package var name: String?
        package var plugin: String
        /// Seconds since 1970.
        package var lastSeen: Int64

        package init(address: String, name: String?, plugin: String, lastSeen: Int64) {
            self.address = address
            self.name = name
            self.plugin = plugin
            self.lastSeen = lastSeen
        }
    }

    package var path: String
    /// Bytes of the file and its log.
    package var size: Int64
    /// Version of SQLite.
    package var engine: String
    package var migrations: [String]
    package var devices: [Device]
    /// Rows of each table.
    package var tables: [(name: String, rows: Int)]

    package init(
        path: String, size: Int64, engine: String, migrations: [String], devices: [Device],
        tables: [(name: String, rows: Int)]
    ) {
        self.path = path
        self.size = size
        self.engine = engine
        self.migrations = migrations
        self.devices = devices
        self.tables = tables
    }
}

/// The file of a store.
package enum StoreFile {
    /// Whether there is a store at a path.
    package static func exists(_ path: String?, environment: [String: String]) -> Bool {
        Folder.exists(self.path(path, environment: environment))
    }

    /// Its path: the one that is named, else `store.sqlite` in the folder that is named or in the data folder.
    package static func path(_ path: String?, environment: [String: String]) -> String {
        guard let path, !Folder.isFolder(path) else {
            return (path ?? UserFolder.data(environment: environment).path) + "/store.sqlite"
        }
        return path
    }
}
