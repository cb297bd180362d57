import Bytes
import Captures
import PluginKit
import Store
import Workbench

extension StoreFile {
    /// Opens the store at a path to a file or a folder; creates it if it does not exist.
    static func open(_ path: String?) throws(StoreFault) -> any RecordStore { try openFile(path) }

    /// As `open(_:)`, to import rows.
    static func openFile(_ path: String?) throws(StoreFault) -> SQLiteStore {
        let environment = ProcessEnvironment.variables
        // The data folder is created on demand; the folder of a path named by the user must exist.
        if path == nil { try? Folder.makeAll(UserFolder.data(environment: environment).path, isPrivate: true) }
        return try SQLiteStore.open(
            path: self.path(path, environment: environment), schema: BuiltInPlugins.schema,
            zone: { ZoneFile.localName(environment: environment) })
    }

    /// Opens an existing store to delete from it; never creates one.
    static func openExisting(_ path: String?) throws(StoreFault) -> any RecordStore {
        try requireStore(path)
        return try open(path)
    }

    /// Opens an existing store to read it; never creates one, and changes only one of an earlier version.
    static func openToRead(_ path: String?) throws(StoreFault) -> SQLiteStore {
        try requireStore(path)
        return try SQLiteStore.openToRead(
            path: self.path(path, environment: ProcessEnvironment.variables), schema: BuiltInPlugins.schema)
    }

    static func requireStore(_ path: String?) throws(StoreFault) {
        let environment = ProcessEnvironment.variables
        guard exists(path, environment: environment) else {
            throw StoreFault("\(self.path(path, environment: environment).quotedIfEmpty): there is no store yet")
        }
    }
}
