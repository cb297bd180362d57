import ArgumentParser
import Transports
import Workbench

/// `gattbench proxy`.
struct ProxyCommand: LiveCommand {
    static let configuration = CommandConfiguration(
        commandName: "proxy",
        abstract: "Stand between a host and a controller: hand on every byte, decode and keep what passes.",
        discussion: """
            The host attaches at --host, the controller is at --controller. What one sends reaches the other as it is, unless
            --fault says otherwise. “ready” is printed on standard error when both are open; Ctrl-C ends it.

            Of --fault: drop=5%, duplicate=5%, reorder=5%, corrupt=5%, truncate=5%, delay=20ms, stall=2s+500ms, disconnect=3s,
            only=sent (by the host) or only=received, seed=7; several are separated by commas.

            With --check, what passes is judged while it does, as “gattbench sniff --check” judges.

            EXAMPLES
              gattbench proxy --host tcp-server:_:6402 --controller tcp-client:_:6403
              sudo gattbench proxy --host pty:/tmp/hci --controller hci-socket:1 -w session.btsnoop
              gattbench proxy --host tcp-server:_:6402 --controller tcp-client:_:6403 --fault drop=2%,only=sent -w x.pcapng
            """)

    @Option(help: ArgumentHelp("Where the host attaches.", valueName: "spec"))
    var host: String

    @Option(help: ArgumentHelp("Where the controller is.", valueName: "spec"))
    var controller: String

    @Option(help: ArgumentHelp("Harm that is done to what passes, e.g. drop=2%,delay=20ms.", valueName: "plan"))
    var fault: String?

    @OptionGroup var judging: JudgingArguments
    @OptionGroup var live: LiveArguments
    @OptionGroup var decoding: DecodeArguments

    var checking: CheckArguments? { judging.checking }

    func validate() throws { try judging.validate(besides: live) }

    func open() throws -> any LiveCapture {
        let hostSpec = try TransportSpec(host)
        let controllerSpec = try TransportSpec(fault.map { "fault(\($0),\(controller))" } ?? controller)
        if hostSpec.isRadio || controllerSpec.isRadio {
            throw UsageError("radio: is inside of this program; “gattbench radio --record FILE” records it")
        }
        // The host comes last: when it can attach, the controller is there.
        let controllerLink = try TransportOpener().open(controllerSpec)
        let capture = ProxyCapture(
            host: try TransportOpener(servesHosts: true).open(hostSpec), controller: controllerLink)
        Console.note("ready: a host can attach: \(capture.hostName)")
        return capture
    }
}
