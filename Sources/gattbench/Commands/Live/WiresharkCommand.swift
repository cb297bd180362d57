import ArgumentParser
import Dissection
import PluginKit
import Transports
import Workbench

/// `gattbench wireshark`.
struct WiresharkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wireshark",
        abstract: "Let Wireshark and tshark capture from this program, and read what the plugins know.",
        discussion: """
            EXAMPLES
              gattbench wireshark install
              tshark -D | grep gattbench
              tshark -i gattbench-link -o extcap.gattbench_link.spec:tcp-client:localhost:6402
              gattbench wireshark uninstall
            """,
        subcommands: [WiresharkInstallCommand.self, WiresharkUninstallCommand.self])

    /// The places of this user.
    static func installation() -> WiresharkInstallation {
        let variables = ProcessEnvironment.variables
        let folders = WiresharkFolders(
            listing: ProgramOutput.of("tshark -G folders 2>/dev/null"), home: variables["HOME"] ?? ".")
        return WiresharkInstallation(
            folders, data: .data(environment: variables), program: Privileges.program)
    }

    static func report(_ steps: [WiresharkInstallation.Step]) throws {
        for step in steps { try Console.write("\(step)\n") }
        if steps.contains(where: { $0.action == .refused }) { throw ExitCode(Exit.findings) }
    }
}

/// `gattbench wireshark install`.
struct WiresharkInstallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Link this program and the plugins' dissectors into Wireshark's folders of this user.",
        discussion: """
            Nothing that is not ours is replaced. Dissectors are those of the built-in plugins and of the plugins that this
            user has; install again when a profile has changed.

            EXAMPLES
              gattbench wireshark install
            """)

    func run() throws {
        let library = try PluginLibrary.loadAndNote()
        try WiresharkCommand.report(WiresharkCommand.installation().install(library.plugins.plugins))
    }
}

/// `gattbench wireshark uninstall`.
struct WiresharkUninstallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "uninstall", abstract: "Take away what install has put there.",
        discussion: """
            EXAMPLES
              gattbench wireshark uninstall
            """)

    func run() throws {
        let steps = try WiresharkCommand.installation().uninstall()
        if steps.isEmpty { try Console.write("nothing is installed\n") }
        try WiresharkCommand.report(steps)
    }
}
