import ArgumentParser
import Transports
import Workbench

/// `gattbench proxy`.
struct ProxyCommand: LiveCommand {
    static let configuration = CommandConfiguration(
        commandName: "proxy",
        abstract: "Man in the middle between a host and a controller: forward, decode and record.",
        discussion: """
            The host connects to --host, the controller is opened at --controller. Packets are forwarded unchanged unless
            --fault is given. “ready” is printed on standard error when both are open; Ctrl-C ends it.

            Values of --fault: drop=5%, duplicate=5%, reorder=5%, corrupt=5%, truncate=5%, delay=20ms, stall=2s+500ms, disconnect=3s,
            only=sent (by the host) or only=received, seed=7; several are separated by commas.

            With --check, the traffic is checked live, as by “gattbench sniff --check”; with --why, failures are explained.

            EXAMPLES
              gattbench proxy --host tcp-server:_:6402 --controller tcp-client:_:6403
              sudo gattbench proxy --host pty:/tmp/hci --controller hci-socket:1 -w session.btsnoop
              gattbench proxy --host tcp-server:_:6402 --controller tcp-client:_:6403 --fault drop=2%,only=sent -w x.pcapng
            """)

    @Option(help: ArgumentHelp("Transport for the host.", valueName: "spec"))
    var host: String

    @Option(help: ArgumentHelp("Transport of the controller.", valueName: "spec"))
    var controller: String

    @Option(help: ArgumentHelp("Faults to inject, e.g. drop=2%,delay=20ms.", valueName: "plan"))
    var fault: String?

    @OptionGroup var judging: LiveCheckArguments
    @OptionGroup var live: LiveArguments
    @OptionGroup var decoding: DecodeArguments

    var checking: CheckArguments? { judging.checking }
    var isExplaining: Bool { judging.why }

    func validate() throws { try judging.validate(besides: live, decoding) }

    func open() throws -> any LiveCapture {
        let hostSpec = try TransportSpec(host)
        let controllerSpec = try TransportSpec(fault.map { "fault(\($0),\(controller))" } ?? controller)
        if hostSpec.isRadio || controllerSpec.isRadio {
            throw UsageError("radio: is internal to this program; “gattbench radio --record FILE” records it")
        }
        // The host's transport is opened last: once it can attach, the controller is available.
        let controllerLink = try TransportOpener().open(controllerSpec)
        let capture = ProxyCapture(
            host: try TransportOpener(servesHosts: true).open(hostSpec), controller: controllerLink)
        Console.note("ready: a host can attach: \(capture.hostName)")
        return capture
    }
}
