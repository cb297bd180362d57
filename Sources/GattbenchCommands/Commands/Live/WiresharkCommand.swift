import ArgumentParser
import Conversation
import PluginKit
import Transports
import Workbench

/// `gattbench wireshark`.
struct WiresharkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wireshark",
        abstract: "Install capture interfaces (extcap) and plugin dissectors for Wireshark and tshark.",
        discussion: """
            EXAMPLES
              gattbench wireshark install
              tshark -D | grep gattbench
              tshark -i gattbench-link -o extcap.gattbench_link.spec:tcp-client:localhost:6402
              gattbench wireshark uninstall
            """,
        subcommands: [WiresharkInstallCommand.self, WiresharkUninstallCommand.self])

    /// The installation for the current user.
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
        abstract: "Link the extcap program and the plugins' dissectors into the user's Wireshark folders.",
        discussion: """
            Files of other programs are never replaced. Dissectors are exported for the built-in plugins and the user's own;
            install again after changing a profile.

            EXAMPLES
              gattbench wireshark install
            """)

    @OptionGroup var terminal: TerminalArguments

    func run() throws {
        let library = try PluginLibrary.loadAndNote()
        try WiresharkCommand.report(WiresharkCommand.installation().install(library.plugins.plugins))
    }
}

/// `gattbench wireshark uninstall`.
struct WiresharkUninstallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "uninstall", abstract: "Remove the links that install created.",
        discussion: """
            EXAMPLES
              gattbench wireshark uninstall
            """)

    @OptionGroup var terminal: TerminalArguments

    func run() throws {
        let steps = try WiresharkCommand.installation().uninstall()
        if steps.isEmpty { try Console.write("nothing is installed\n") }
        try WiresharkCommand.report(steps)
    }
}
