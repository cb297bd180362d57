import Foundation
import PackagePlugin

/// Compiles the profile.yaml, the scenarios and the tests of a device plugin into its module, as the enum `DeviceProfile`.
@main
struct CompileProfile: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let profile = target.directoryURL.appending(path: "profile.yaml")
        let files = ["Scenarios", "Tests"].flatMap { name in
            let folder = target.directoryURL.appending(path: name)
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            return names.filter { $0.hasSuffix(".yaml") }.sorted().map { folder.appending(path: $0) }
        }
        // A plugin of nothing but its profile reads no values.
        let swiftFiles = target.sourceModule?.sourceFiles(withSuffix: ".swift")
        let sections = swiftFiles.map { Array($0).count > 1 } ?? false ? "values" : "profile"
        // One that was built before, as `scripts/profile-compiler` does.
        let built = ProcessInfo.processInfo.environment["GATTBENCH_PROFILE_COMPILER"].flatMap { $0.isEmpty ? nil : $0 }
        let compiler = try built.map { URL(filePath: $0) } ?? context.tool(named: "profile-compiler").url
        let source = context.pluginWorkDirectoryURL.appending(path: "DeviceProfile.swift")
        let name = relativePath(of: profile, in: context.package.directoryURL)
        return [
            .buildCommand(
                displayName: "Compiling the profile of \(target.name)",
                executable: compiler,
                arguments: [sections, profile.path, name, source.path] + files.map(\.path),
                inputFiles: [compiler, profile] + files, outputFiles: [source])
        ]
    }

    /// The path of a file as messages name it.
    private func relativePath(of file: URL, in folder: URL) -> String {
        let (path, prefix) = (file.path, folder.path + "/")
        return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
    }
}
