import Workbench

extension PluginLibrary {
    /// The plugins of this run, those that the user names among them; what is wrong with some is said.
    static func loadAndNote(_ names: [String] = [], _ extent: Extent = .whole) throws -> PluginLibrary {
        let library = try load(names, environment: ProcessEnvironment.variables, extent: extent)
        for warning in library.warnings { Console.note("warning: \(warning)") }
        return library
    }
}
