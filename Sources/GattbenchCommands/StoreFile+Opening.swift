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

    /// The same for who only reads, or deletes: one that is not there is not made.
    static func openExisting(_ path: String?) throws(StoreFault) -> any RecordStore {
        let environment = ProcessEnvironment.variables
        guard exists(path, environment: environment) else {
            throw StoreFault("\(self.path(path, environment: environment).quotedIfEmpty): there is no store yet")
        }
        return try open(path)
    }
}
