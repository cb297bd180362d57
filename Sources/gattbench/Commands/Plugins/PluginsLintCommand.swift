import ArgumentParser
import Workbench

/// `gattbench plugins lint`.
struct PluginsLintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Look for what is wrong with profiles; each finding with file, line and column.",
        discussion: """
            Exit codes: 0 nothing found · 1 findings · 2 wrong usage · 3 file unreadable.

            EXAMPLES
              gattbench plugins lint thermometer/profile.yaml
              gattbench plugins lint --strict aquavate lifecount
            """)

    @Argument(help: "Profiles, their folders, or ids of plugins.")
    var profiles: [String]

    @Flag(help: "Also demand vectors for every type.")
    var strict = false

    func validate() throws {
        if profiles.isEmpty { throw ValidationError("say which profile: a path or a plugin's id") }
    }

    func run() throws {
        var hasFindings = false
        for name in profiles {
            let outcome = try LintJob.run(name, strict: strict, environment: ProcessEnvironment.variables)
            try Console.write(outcome.text)
            Console.note(outcome.summary)
            hasFindings = hasFindings || outcome.findings > 0
        }
        if hasFindings { throw ExitCode(Exit.findings) }
    }
}
