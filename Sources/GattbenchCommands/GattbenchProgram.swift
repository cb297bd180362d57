public import PluginKit
package import Workbench

/// The command line program gattbench, with the plugins of this repository and those that a package adds.
///
/// A package that holds a plugin in Swift builds its own gattbench with an executable target of a few lines:
///
/// ```swift
/// import GattbenchCommands
/// import Kettle
///
/// await GattbenchProgram.run(plugins: GattbenchProgram.plugins + [Kettle.self])
/// ```
public enum GattbenchProgram {
    /// The plugins of gattbench itself.
    public static var plugins: [any BuiltInPlugin.Type] { BuiltInPlugins.own }

    /// Runs the command that the program's arguments name, and ends the program with an exit code of failure if it
    /// fails.
    ///
    /// - Parameter plugins: The plugins that the program contains. If several plugins that describe any device know an
    ///   attribute, the first one decodes it.
    @MainActor public static func run(plugins: [any BuiltInPlugin.Type] = plugins) async {
        BuiltInPlugins.choose(plugins)
        await Gattbench.main()
    }

    /// Runs the command with optional services, as `gattbench-full` does.
    @MainActor package static func run(_ services: ProgramServices) async {
        ProgramServices.choose(services)
        await Gattbench.main()
    }
}
