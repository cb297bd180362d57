import Bytes
import Captures
import PluginKit
import Store
import Workbench

extension StoreFile {
    /// Opens the store at a path: a file, or a folder that has or gets one.
    static func open(_ path: String?) throws(StoreFault) -> any RecordStore {
        let environment = ProcessEnvironment.variables
        // The data folder is made when it is needed; the folder of a path that the user names has to exist.
        if path == nil { try? Folder.makeAll(UserFolder.data(environment: environment).path, isPrivate: true) }
        return try SQLiteStore.open(
            path: self.path(path, environment: environment), schema: BuiltInPlugins.schema)
    }

    /// Opens a store to delete from it; one that is not there is not made.
    static func openExisting(_ path: String?) throws(StoreFault) -> any RecordStore {
        try requireStore(path)
        return try open(path)
    }

    /// Opens a store to read it; one that is not there is not made, and one in a folder that cannot be written is not changed.
    static func openToRead(_ path: String?) throws(StoreFault) -> any RecordStore {
        try requireStore(path)
        return try SQLiteStore.openToRead(
            path: self.path(path, environment: ProcessEnvironment.variables), schema: BuiltInPlugins.schema)
    }

    private static func requireStore(_ path: String?) throws(StoreFault) {
        let environment = ProcessEnvironment.variables
        guard exists(path, environment: environment) else {
            throw StoreFault("\(self.path(path, environment: environment).quotedIfEmpty): there is no store yet")
        }
    }
}
