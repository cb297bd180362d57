import Bytes
import Captures
import Profile
import ProfileTools

/// Checks one profile, which may be invalid.
package enum LintJob {
    package struct Outcome: Sendable {
        /// One line per finding, followed by the findings that the profile accepts.
        package var text: String
        /// A summary in one line.
        package var summary: String
        package var findings: Int
    }

    /// Checks the profile at a path, or that of a plugin.
    package static func run(_ name: String, strict: Bool, environment: [String: String]) throws -> Outcome {
        let path = Folder.isFolder(name) ? name + "/profile.yaml" : name
        guard Folder.exists(path) || name.contains("/") || name.contains(".") else {
            let library = try PluginLibrary.load([name], environment: environment)
            guard let entry = library[name] else { throw UnknownPlugin(name: name, known: []) }
            return report(on: entry.profile, strict: strict)
        }
        let text = try TextFile.read(path)
        do throws(ProfileFaults) {
            return report(on: try ProfileReader.read(text, file: path), strict: strict)
        } catch {
            return Outcome(
                text: "\(error)\n",
                summary: summary(path, findings: error.faults.count, accepted: 0), findings: error.faults.count)
        }
    }

    private static func report(on profile: Profile, strict: Bool) -> Outcome {
        let report = ProfileLint.report(on: profile, strict: strict)
        let accepted = report.accepted.map { accepted in
            "\(profile.file):\(accepted.finding.place): accepted: \(accepted.finding.text.legible()) "
                + "[\(accepted.acceptance.finding)]: \(accepted.acceptance.reason.legibleLine())"
        }
        let lines = report.findings.map { $0.line(in: profile.file) } + accepted
        return Outcome(
            text: lines.map { $0 + "\n" }.joined(),
            summary: summary(profile.file, findings: report.findings.count, accepted: accepted.count),
            findings: report.findings.count)
    }

    private static func summary(_ file: String, findings: Int, accepted: Int) -> String {
        let found = findings == 0 ? "nothing found" : findings.counted("finding")
        return "\(file): \(found)" + (accepted == 0 ? "" : ", \(accepted) accepted")
    }
}
