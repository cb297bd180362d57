import Foundation
import PackagePlugin

/// Puts text files of a target into its module, as an enum `Embedded`: the profile.yaml of a device plugin as `profile`, its
/// scenarios as `scenarios`, and each table of assigned numbers under the name of its file.
///
/// A resource rule, `.embedInCode`, would do the same with a list of numbers, which takes the compiler 20 seconds for
/// 80 KB; a text literal takes it none.
@main
struct EmbedTexts: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) -> [Command] {
        let profile = target.directoryURL.appending(path: "profile.yaml")
        let texts =
            FileManager.default.fileExists(atPath: profile.path)
            ? [profile] : files(in: "AssignedNumbers", of: target, ending: ".txt")
        guard !texts.isEmpty else { return [] }
        let scenarios = files(in: "Scenarios", of: target, ending: ".yaml")
        let source = context.pluginWorkDirectoryURL.appending(path: "Embedded.swift")
        return [
            .buildCommand(
                displayName: "Embedding the texts of \(target.name)", executable: URL(filePath: "/bin/sh"),
                arguments: ["-c", Self.script, source.path] + texts.map(\.path) + ["--"] + scenarios.map(\.path),
                inputFiles: texts + scenarios, outputFiles: [source])
        ]
    }

    /// The files of a folder, by their names.
    private func files(in folder: String, of target: any Target, ending: String) -> [URL] {
        let folder = target.directoryURL.appending(path: folder)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(ending) }.sorted().map { folder.appending(path: $0) }
    }

    /// Writes a file of Swift, whose path is the first argument, around the texts of the others; scenarios follow `--`.
    private static let script = ###"""
        text() {
            echo '##"""'
            cat "$1"
            echo
            echo '"""##'
        }
        {
            echo '/// Texts that are part of the program.'
            echo 'enum Embedded {'
            while [ "$1" != -- ]; do
                name=$(basename "$1")
                echo "    static let ${name%.*} ="
                text "$1"
                shift
            done
            shift
            echo '    /// The scenarios, by the names of their files.'
            echo '    static let scenarios: [(name: String, text: String)] = ['
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
