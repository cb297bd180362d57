import ArgumentParser
import Transports
import Workbench

/// `gattbench doctor`.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look at kernel, adapters, rights and programs; say what to type where something is wrong.",
        discussion: """
            Exit codes: 0 sniff and emulate can work · 1 something is in the way.

            EXAMPLES
              gattbench doctor
              sudo gattbench doctor && sudo gattbench sniff monitor
            """)

    func run() throws {
        let checkup = Checkup(.gather())
        try Console.write("\(checkup)")
        if !checkup.isHealthy { throw ExitCode(Exit.findings) }
    }
}
