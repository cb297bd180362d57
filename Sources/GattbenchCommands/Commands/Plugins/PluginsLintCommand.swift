import ArgumentParser
import Workbench

/// `gattbench plugins lint`.
struct PluginsLintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Check profiles for errors; each is reported with file, line and column.",
        discussion: """
            Exit codes: 0 no findings · 1 findings · 2 usage error · 3 unreadable file.

            EXAMPLES
              gattbench plugins lint thermometer/profile.yaml
              gattbench plugins lint --strict aquavate lifecount
            """)

    @Argument(help: "Profiles, their folders, or ids of plugins.")
    var profiles: [String]

    @Flag(help: "Also require test vectors for every type.")
    var strict = false

    @OptionGroup var terminal: TerminalArguments

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
