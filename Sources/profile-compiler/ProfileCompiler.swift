import Bytes
import Foundation
import Profile

/// `profile-compiler profile|values PROFILE NAME OUTPUT [FILE ...]`: compiles a built-in profile, its scenarios and its
/// tests into Swift, with structs for its values in `values` mode. NAME is the profile's path in diagnostics.
@main
struct ProfileCompiler {
    static func main() {
        guard CommandLine.arguments.count >= 5 else {
            fail("usage: profile-compiler profile|values PROFILE NAME OUTPUT [FILE ...]")
        }
        let (path, name, output) = (CommandLine.arguments[2], CommandLine.arguments[3], CommandLine.arguments[4])
        do {
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let files = CommandLine.arguments.dropFirst(5)
            let source = try SwiftSource.text(
                of: ProfileText(checking: text, file: name), scenarios: texts(files, in: "Scenarios"),
                tests: texts(files, in: "Tests"),
                hasValues: CommandLine.arguments[1] == "values")
            // SwiftPM reruns a relinked tool, which happens in every build. Leaving the file unchanged saves
            // recompiling its module.
            if (try? String(contentsOfFile: output, encoding: .utf8)) == source { return }
            try source.write(toFile: output, atomically: true, encoding: .utf8)
        } catch let faults as ProfileFaults {
            fail(faults.faults.map { "\(path):\($0.place): error: \($0.text)" }.joined(separator: "\n"))
        } catch {
            fail("error: \(error)")
        }
    }

    /// The texts of the files in a folder of the plugin, by file name.
    private static func texts(_ files: ArraySlice<String>, in folder: String) throws -> [(name: String, text: String)] {
        try files.map { URL(filePath: $0) }.filter { $0.deletingLastPathComponent().lastPathComponent == folder }
            .map { url in
                try (
                    name: url.deletingPathExtension().lastPathComponent, text: String(contentsOf: url, encoding: .utf8)
                )
            }
    }

    private static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data("\(message)\n".utf8))
        exit(1)
    }
}
