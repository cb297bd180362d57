import ArgumentParser
import Transports
import Workbench

/// `gattbench web`.
struct WebCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "web",
        abstract: "Show captures in a browser: packets, bytes, devices, tables, plots, verdicts.",
        discussion: """
            Serves pages on 127.0.0.1 and opens them in the browser. The address has a token, without which the server
            answers nobody; no page asks anything of another host. Files can be dropped on the page, too. Ctrl-C ends it.

            --live takes what sniff takes as its SOURCE and shows it as it comes.

            Exit codes: 0 ended · 2 usage error · 3 unreadable input.

            EXAMPLES
              gattbench web session.btsnoop
              gattbench web before.pcapng after.pcapng
              gattbench web --no-open --port 8080 session.btsnoop
              gattbench web --waivers waivers.yaml session.btsnoop
              gattbench web --keys bonds.keys sniffed.pcapng
              sudo gattbench web --live monitor
              gattbench web --twin aquavate
            """)

    @Argument(help: "Capture files: btsnoop, PacketLogger, pcap, pcapng; plain, gzip, or in an archive.")
    var files: [String] = []

    @Option(help: ArgumentHelp("Port to listen on; by default one that is free.", valueName: "n"))
    var port: Int?

    @Flag(help: "Do not open a browser.")
    var noOpen = false

    @OptionGroup var captures: CaptureArguments

    @OptionGroup var devices: DeviceArguments

    @OptionGroup var keys: KeyArguments

    @Option(
        help: ArgumentHelp(
            "Show what is captured live: -, monitor, hciN, pcap:INTERFACE, tty:PATH, monitor:SPEC, stream:SPEC or a SPEC.",
            valueName: "source"))
    var live: String?

    @Option(
        help: ArgumentHelp("Show the traffic of a plugin's twin and its client; pages drive it.", valueName: "plugin"))
    var twin: String?

    @Option(
        name: .customShort("w", allowingJoined: true),
        help: ArgumentHelp(
            "With --live or --twin, record to a file: .btsnoop, .pcapng, .pcap or .pklg.", valueName: "file"))
    var write: String?

    @Option(help: ArgumentHelp("Waivers for the verdicts; pages add to them.", valueName: "file"))
    var waivers: String?

    @Option(help: ArgumentHelp("Read pages from a folder.", valueName: "folder", visibility: .hidden))
    var pages: String?

    @OptionGroup var terminal: TerminalArguments

    func validate() throws {
        if let port, !(1...65_535).contains(port) { throw ValidationError("--port \(port): expected 1 to 65535") }
        if live != nil, twin != nil { throw ValidationError("--live and --twin: only one at a time") }
        let count = files.count + (live == nil && twin == nil ? 0 : 1)
        if count > WebOptions.fileLimit {
            throw ValidationError("\(count) captures: \(WebOptions.fileLimit) at most can be open at a time")
        }
        try Console.refuse(write, overwriting: devices.files + keys.files + files + [live, waivers])
        try keys.refuse(sharing: files + [live])
        if write != nil, live == nil, twin == nil { throw ValidationError("-w goes with --live or --twin") }
    }

    func run() async throws {
        guard let service = ProgramServices.own.web else { throw FullProgram.takeOver() }
        var options = WebOptions()
        options.live = try live.map { OpenedCapture(try CaptureSource($0).open()) }
        options.keys = try keys.readAndDropPrivileges()
        Interruption.watch()
        options.twin = twin
        options.recording = write
        options.waivers = waivers
        options.token = ProcessEnvironment.variables["GATTBENCH_WEB_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
        options.files = files
        options.member = captures.member
        options.stated = captures.stated
        options.port = port ?? 0
        options.pages = pages
        options.plugins = try devices.loadPlugins().plugins
        options.tables = try devices.readTables()
        let opens = !noOpen
        let work = Task { [options] in
            try await service.serve(options) { address in
                try? Console.write("\(address)\n")
                if opens, (try? ChildProcess("xdg-open", arguments: [address])) == nil {
                    Console.note("no browser was found: open the address in one")
                }
            } report: {
                Console.note($0)
            }
        }
        do {
            try await Interruption.value(of: work)
        } catch {
            if !Interruption.isAsked { throw error }
        }
    }
}
