import Foundation
import PackagePlugin

/// Puts the text of a device plugin's profile.yaml into its module, as `Embedded.profile`.
///
/// A resource rule, `.embedInCode`, would do the same with a list of numbers, which takes the compiler 20 seconds for
/// 80 KB; a text literal takes it none. A module without a profile.yaml gets nothing.
@main
struct EmbedProfile: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) -> [Command] {
        let profile = target.directoryURL.appending(path: "profile.yaml")
        guard FileManager.default.fileExists(atPath: profile.path) else { return [] }
        let source = context.pluginWorkDirectoryURL.appending(path: "Embedded.swift")
        return [
            .buildCommand(
                displayName: "Embedding profile.yaml of \(target.name)", executable: URL(filePath: "/bin/sh"),
                arguments: ["-c", Self.script, profile.path, source.path], inputFiles: [profile],
                outputFiles: [source])
        ]
    }

    /// Writes a file of Swift, whose path is the argument, around the text of another one.
    private static let script = ###"""
        {
            echo '/// The texts that travel in the binary.'
            echo 'enum Embedded {'
            echo '    /// profile.yaml.'
            echo '    static let profile = ##"""'
            cat "$0"
            echo
            echo '"""##'
            echo '}'
        } > "$1"
        """###
}
