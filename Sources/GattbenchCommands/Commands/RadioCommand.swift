import ArgumentParser
import Radio
import Transports
import Workbench

/// `gattbench radio`.
struct RadioCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "radio",
        abstract: "Run virtual controllers on one virtual radio for any host stack.",
        discussion: """
            Each --hci is a controller to which a host connects by H4. All controllers are in range of each other. “ready” is
            printed when all listen; Ctrl-C ends it.

            SPEC is tcp-server:HOST:PORT (_ is the loopback address), unix-server:PATH, pty:[PATH], tcp-client:HOST:PORT,
            unix:PATH or serial:PATH[,BAUD]; tap(FILE,SPEC) records the link, fault(KIND=VALUE,SPEC) injects faults.

            --record records what hosts and controllers exchange, --record-air what a sniffer beside them receives: a
            .pcap or .pcapng of link type 256 with access addresses, channels, retransmissions and encrypted PDUs.

            EXAMPLES
              gattbench radio --hci tcp-server:_:6402 --hci tcp-server:_:6403
              gattbench radio --hci unix-server:/tmp/a --hci pty:/tmp/hci0 --record session.btsnoop
              gattbench radio --hci tcp-server:_:6402 --hci tcp-server:_:6403 --record-air air.pcapng
              gattbench radio --hci tcp-server:_:6402 --hci 'fault(drop=2%,tcp-server:_:6403)' --loss 10
            """)

    @Option(
        name: .customLong("hci"),
        help: ArgumentHelp("Transport for a host; repeat for each controller.", valueName: "spec"))
    var hosts: [String] = []

    @Option(help: ArgumentHelp("Record the traffic between hosts and controllers.", valueName: "file"))
    var record: String?

    @Option(
        help: ArgumentHelp("Record the packets on the air as a sniffer (.pcap or .pcapng).", valueName: "file"))
    var recordAir: String?

    @Option(help: ArgumentHelp("Packets that the sniffer misses, in percent.", valueName: "percent"))
    var airLoss: Double?

    @Option(help: ArgumentHelp("Packets that the sniffer receives with wrong bits, in percent.", valueName: "percent"))
    var airDamage: Double?

    @Option(help: "Seed of the random number generator.")
    var seed: UInt64 = 1

    @Option(help: "Speed of the radio relative to real time.")
    var speed = 1.0

    @Flag(help: "Exchange packets immediately instead of at connection events.")
    var immediate = false

    @Option(help: "Packet loss on the air, in percent.")
    var loss = 0.0

    @OptionGroup var terminal: TerminalArguments

    func run() throws {
        if hosts.isEmpty { throw UsageError("a transport is missing: --hci tcp-server:_:6402, once for each host") }
        guard speed > 0, speed <= 1000 else {
            throw UsageError("--speed \(speed): expected more than 0, and 1000 at most")
        }
        guard (0...100).contains(loss) else { throw UsageError("--loss \(loss): expected 0 to 100 percent") }
        var options = RadioOptions()
        options.hosts = try hosts.map { try TransportSpec($0) }
        if options.hosts.contains(where: \.isRadio) {
            throw UsageError("radio: is this command's own radio; use a transport that hosts attach to")
        }
        options.record = record
        options.air = try airOptions()
        options.seed = seed
        options.speed = speed
        options.pace = immediate ? .immediate : .air
        options.path = Path(loss: loss / 100)
        Interruption.watch()
        var job = try RadioJob(options)
        for name in job.names { Console.note("a host can attach: \(name)") }
        try Console.write("ready\n")
        try job.run(isInterrupted: { Interruption.isAsked }, notify: { Console.note($0) })
    }

    private func airOptions() throws -> AirOptions? {
        for (name, value) in [("--air-loss", airLoss), ("--air-damage", airDamage)] {
            guard let value else { continue }
            guard (0...100).contains(value) else { throw UsageError("\(name) \(value): expected 0 to 100 percent") }
            if recordAir == nil { throw UsageError("\(name) applies to a recording of the air: add --record-air FILE") }
        }
        guard let recordAir else { return nil }
        if recordAir == record { throw UsageError("--record-air \(recordAir): --record writes to this file") }
        var options = AirOptions(path: recordAir)
        options.loss = (airLoss ?? 0) / 100
        options.damage = (airDamage ?? 0) / 100
        return options
    }
}
