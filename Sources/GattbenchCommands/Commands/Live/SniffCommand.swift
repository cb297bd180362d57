import ArgumentParser
import Transports
import Workbench

/// `gattbench sniff`.
struct SniffCommand: LiveCommand {
    static let configuration = CommandConfiguration(
        commandName: "sniff",
        abstract: "Capture and decode live traffic; record it with -w.",
        discussion: """
            SOURCE is - (a capture of any format on standard input), monitor (the kernel's HCI monitor: all adapters), hciN (one
            adapter), pcap:INTERFACE (libpcap; pcap: lists the interfaces), tty:PATH[,BAUD][,clock=HZ] (the monitor protocol that
            firmware of Zephyr and NimBLE writes to a serial port; 115200 baud by default), monitor:SPEC[,clock=HZ] (the same over
            another link, as a debugger's RTT server), stream:SPEC[,reconnect] (a capture of any format over a link; or
            stream:PATH, a named pipe), or a SPEC of an H4 link that is only read: tcp-client:HOST:PORT, unix:PATH,
            serial:PATH[,BAUD], pty:[PATH] …

            Ctrl-C ends it. All options of decode work. With -w, packets are in the file within a second, however the program
            ends. Privileges are dropped once the adapter is open.

            With --check, the traffic is checked as by “gattbench check”. A finding is printed after the frames it concerns, on
            standard error if -T prints columns or JSON; -q prints findings only. The summary and the reports follow at the
            end, and the exit code is that of check: 1 for a failed rule. With --why, the cause of each failure is printed as by
            “gattbench why” when its connection ends; the exit code is 1 if a cause was found.

            EXAMPLES
              sudo gattbench sniff monitor
              sudo gattbench sniff hci0 -w session.btsnoop
              sudo gattbench sniff monitor --check --junit check.xml -q -w session.btsnoop
              sudo gattbench sniff monitor --why -q
              sudo gattbench sniff monitor -q -w day.pcapng -b filesize:10000 -b files:10
              gattbench sniff pcap:bluetooth-monitor -a duration:60 -Y 'btatt.opcode == 0x1b'
              gattbench sniff serial:/dev/ttyUSB0,1000000
              gattbench sniff tty:/dev/ttyACM0,clock=32768 -w firmware.btsnoop
              gattbench sniff monitor:tcp-client:localhost:19021
              gattbench sniff stream:tcp-client:localhost:24352,reconnect
              adb exec-out 'su -c "tail -f -c +1 /data/misc/bluetooth/logs/btsnoop_hci.log"' | gattbench sniff -
              tcpdump -U -i bluetooth-monitor -w - | gattbench sniff -
              idevicebtlogger -f pcap - | gattbench sniff -
            """)

    @Argument(help: "Source: -, monitor, hciN, pcap:INTERFACE, pcap:, tty:PATH, monitor:SPEC, stream:SPEC or a SPEC.")
    var source: String

    @Option(
        name: .customShort("f"),
        help: ArgumentHelp("With pcap:INTERFACE, a libpcap capture filter.", valueName: "filter"))
    var captureFilter: String?

    @Flag(help: "With hciN, wait for the adapter while it is absent.")
    var stay = false

    @OptionGroup var judging: LiveCheckArguments
    @OptionGroup var live: LiveArguments
    @OptionGroup var decoding: DecodeArguments

    var checking: CheckArguments? { judging.checking }
    var isExplaining: Bool { judging.why }

    func validate() throws {
        try judging.validate(besides: live, decoding, source: source)
        try decoding.keys.refuse(sharing: [source])
    }

    func open() throws -> any LiveCapture {
        let source = try CaptureSource(source)
        if captureFilter != nil, !source.isInterface {
            throw UsageError("-f goes with pcap:INTERFACE; -Y filters what is shown of any source")
        }
        guard case .interfaceList = source else { return try source.open(filter: captureFilter, stays: stay) }
        for interface in try PcapHandle.interfaces() {
            let text = interface.description.isEmpty ? "" : "  \(interface.description)"
            try Console.write("pcap:\(interface.name)\(text)\n")
        }
        throw ExitCode.success
    }
}
