package import Bytes
import Captures
package import PluginKit
package import Profile

/// A store for values received from devices. The module `Store` implements it with SQLite.
package protocol RecordStore: AnyObject, Sendable {
    /// Begins a session with a device. Session numbers ascend.
    func beginSession(_ session: StoredSession) throws(StoreFault) -> Int64
    /// Sets the address and name of the session's device.
    func identify(session: Int64, address: String, name: String?, at time: Timestamp) throws(StoreFault)
    /// Stores an ended connection of the session with its device.
    func addConnection(session: Int64, start: Timestamp, end: Timestamp) throws(StoreFault)
    /// Stores the attribute table of the session's device as a table file.
    func keep(table: String, session: Int64, at time: Timestamp) throws(StoreFault)
    /// Changes rows of the session's device; they are on disk when this returns. Returns the number of new rows.
    func commit(_ changes: [StoreChange], session: Int64, at time: Timestamp) throws(StoreFault) -> Int
    func endSession(_ session: Int64, outcome: String, at time: Timestamp) throws(StoreFault)

    /// Makes changes outside a session.
    func commit(_ changes: [StoreChange]) throws(StoreFault)
    /// Calls `body` for each row of a table in insertion order, with `device` and `device_name`.
    func forEachRow(of table: String, _ body: (StoredRow) throws -> Void) throws
    /// Calls `body` for each row of a query; the array is reused for all of them.
    func forEachRow(of query: StoredQuery, _ body: ([Int64]) -> Void) throws(StoreFault)
    /// Column names of a table's rows, in order.
    func columns(of table: String) throws(StoreFault) -> [String]

    /// Addresses of a plugin's devices.
    func addresses(of plugin: String) throws(StoreFault) -> [String]
    /// A summary for people.
    func summary() throws(StoreFault) -> StoreSummary
    /// Deletes devices with all their rows: those with this address or name, or all; returns the number of devices.
    func delete(device: String?) throws(StoreFault) -> Int
}

extension RecordStore {
    package func rows(of table: String) throws -> [StoredRow] {
        var rows: [StoredRow] = []
        try forEachRow(of: table) { rows.append($0) }
        return rows
    }
}

/// A row of a table: its columns by name.
package typealias StoredRow = Record

/// The properties of a session that are known at its start.
package struct StoredSession: Sendable {
    package var plugin: String
    package var transport: String
    package var start: Timestamp
    /// The process that begins it (`ProcessIdentity`); nil if unknown.
    package var process: String?

    package init(plugin: String, transport: String, start: Timestamp, process: String? = nil) {
        self.plugin = plugin
        self.transport = transport
        self.start = start
        self.process = process
    }
}

/// Contents of a store.
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
    /// Size in bytes of the file and its log.
    package var size: Int64
    /// SQLite's version.
    package var engine: String
    package var migrations: [String]
    package var devices: [Device]
    /// Number of rows of each table.
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

    /// Path of the store: the given file, else `store.sqlite` in the given folder or in the data folder.
    package static func path(_ path: String?, environment: [String: String]) -> String {
        guard let path, !Folder.isFolder(path) else {
            return (path ?? UserFolder.data(environment: environment).path) + "/store.sqlite"
        }
        return path
    }
}
