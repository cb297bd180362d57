import Foundation
import PackagePlugin

/// Puts the text of a device plugin's profile.yaml into its module, as `Embedded.profile`, and those of its scenarios, as
/// `Embedded.scenarios`.
///
/// A resource rule, `.embedInCode`, would do the same with a list of numbers, which takes the compiler 20 seconds for
/// 80 KB; a text literal takes it none. A module without a profile.yaml gets nothing.
@main
struct EmbedProfile: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) -> [Command] {
        let profile = target.directoryURL.appending(path: "profile.yaml")
        guard FileManager.default.fileExists(atPath: profile.path) else { return [] }
        let source = context.pluginWorkDirectoryURL.appending(path: "Embedded.swift")
        let scenarios = scenarios(of: target)
        return [
            .buildCommand(
                displayName: "Embedding profile.yaml and the scenarios of \(target.name)",
                executable: URL(filePath: "/bin/sh"),
                arguments: ["-c", Self.script, source.path, profile.path] + scenarios.map(\.path),
                inputFiles: [profile] + scenarios, outputFiles: [source])
        ]
    }

    /// The files in the folder Scenarios, by their names.
    private func scenarios(of target: any Target) -> [URL] {
        let folder = target.directoryURL.appending(path: "Scenarios")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".yaml") }.sorted().map { folder.appending(path: $0) }
    }

    /// Writes a file of Swift, whose path is the first argument, around the texts of the others.
    private static let script = ###"""
        text() {
            echo '##"""'
            cat "$1"
            echo
            echo '"""##'
        }
        {
            echo '/// The texts that travel in the binary.'
            echo 'enum Embedded {'
            echo '    /// profile.yaml.'
            echo '    static let profile ='
            text "$1"
            echo '    /// The scenarios, by the names of their files.'
            echo '    static let scenarios: [(name: String, text: String)] = ['
            shift
            for file; do
                echo "(\"$(basename "$file" .yaml)\","
                text "$file"
                echo '),'
            done
            echo '    ]'
            echo '}'
        } > "$0"
        """###
}
