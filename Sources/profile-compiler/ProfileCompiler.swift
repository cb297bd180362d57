import Bytes
import Foundation
import Profile

/// `profile-compiler profile|values PROFILE NAME OUTPUT [SCENARIO ...]`: compiles a built-in profile and its scenarios into
/// Swift, with structs for its values where these are wanted. NAME is the profile's path in messages.
@main
struct ProfileCompiler {
    static func main() {
        guard CommandLine.arguments.count >= 5 else {
            fail("usage: profile-compiler profile|values PROFILE NAME OUTPUT [SCENARIO ...]")
        }
        let (path, name, output) = (CommandLine.arguments[2], CommandLine.arguments[3], CommandLine.arguments[4])
        do {
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let scenarios = try CommandLine.arguments.dropFirst(5).map { path in
                let url = URL(filePath: path)
                return try (
                    name: url.deletingPathExtension().lastPathComponent, text: String(contentsOf: url, encoding: .utf8)
                )
            }
            let source = try SwiftSource.text(
                of: PackedProfile(packing: text, file: name), scenarios: scenarios,
                hasValues: CommandLine.arguments[1] == "values")
            try source.write(toFile: output, atomically: true, encoding: .utf8)
        } catch let faults as ProfileFaults {
            fail(faults.faults.map { "\(path):\($0.place): error: \($0.text)" }.joined(separator: "\n"))
        } catch {
            fail("error: \(error)")
        }
    }

    private static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data("\(message)\n".utf8))
        exit(1)
    }
}
