import ArgumentParser
import Transports
import Workbench

/// `gattbench doctor`.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Diagnose set-up problems and print the command that fixes each.",
        discussion: """
            Exit codes: 0 sniff and emulate can run · 1 a problem was found.

            EXAMPLES
              gattbench doctor
              sudo gattbench doctor && sudo gattbench sniff monitor
            """)

    @OptionGroup var terminal: TerminalArguments

    func run() throws {
        let checkup = Checkup(.gather())
        try Console.write("\(checkup)")
        if !checkup.isHealthy { throw ExitCode(Exit.findings) }
    }
}
