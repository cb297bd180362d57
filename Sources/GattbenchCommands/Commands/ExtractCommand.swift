import ArgumentParser
import Bytes
import Captures
import Workbench

/// `gattbench extract`.
struct ExtractCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extract",
        abstract: "Write selected packets of a capture with all that their decoding needs.",
        discussion: """
            Kept besides the selected packets: the set-up and the end of their connections, the MTU exchange, discovery (of
            an earlier connection, if its table is still valid), subscriptions, pairing and the start of encryption, the
            request of a response, and all fragments of a PDU. The packets are decoded as in the whole capture.

            The options select together: a packet has to satisfy each kind that is given. A procedure is a request with its
            response, a discovery, a pairing, a command with its events; any of its frames names it.

            Exit codes: 0 written · 2 usage error · 3 unreadable input · 4 no packet is selected.

            EXAMPLES
              gattbench extract session.btsnoop -o part.btsnoop --connection 2
              gattbench extract session.pcapng -o part.pcapng -Y 'btatt.error_code == 0x05'
              gattbench extract session.btsnoop -o part.pcapng --device c0:ff:ee:00:00:01
              gattbench extract session.btsnoop -o part.btsnoop --procedure 214
              gattbench extract bugreport.zip -o part.btsnoop -Y 'aquavate.drink_data'
            """)

    @Argument(help: "The capture to read.")
    var input: String

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The file to write; its name decides the format, else that of the input; - is standard output.",
            valueName: "file"))
    var output: String

    @Option(
        name: .customShort("Y", allowingJoined: true),
        help: ArgumentHelp(
            "Select frames that pass this display filter (Wireshark's syntax).", valueName: "filter"),
        completion: Completions.fields)
    var filter: String?

    @Option(
        help: ArgumentHelp(
            "Select a connection by its number, as decode shows it; may be repeated.", valueName: "number"))
    var connection: [Int] = []

    @Option(
        help: ArgumentHelp("Select a device by its address or its name; may be repeated.", valueName: "address-or-name")
    )
    var device: [String] = []

    @Option(
        help: ArgumentHelp(
            "Select a procedure by the number of one of its frames; may be repeated.", valueName: "frame"))
    var procedure: [Int] = []

    @OptionGroup var devices: DeviceArguments

    @OptionGroup var keys: KeyArguments

    @OptionGroup var captures: CaptureArguments

    @OptionGroup var terminal: TerminalArguments

    func validate() throws {
        if filter == nil, connection.isEmpty, device.isEmpty, procedure.isEmpty {
            throw ValidationError("name what to extract: -Y, --connection, --device or --procedure")
        }
        try keys.refuse(sharing: [input])
        try Console.refuse(output, overwriting: devices.files + keys.files + [input])
    }

    func run() async throws {
        Interruption.watch()
        let library = try devices.loadPlugins(.decoding)
        var job = ExtractJob()
        job.decoding.plugins = library.plugins
        job.decoding.importedTables = try devices.readTables()
        job.decoding.keys = try keys.read()
        job.selection.connections = connection
        job.selection.devices = device
        job.selection.procedures = procedure
        if let filter { try job.selection.setFilter(filter, plugins: library.plugins) }
        let reader = try captures.open(input)
        let format = try CaptureFormat(ofSubset: output, of: reader)
        var progress = Progress(reader)
        let report: ExtractJob.Report
        do {
            report = try await job.run(reader, to: output, format: format) { packets in
                progress.show(packets)
                return !Interruption.isAsked
            }
        } catch let error as SelectionFault {
            throw UsageError("\(input): \(error)")
        } catch is NothingSelected {
            Console.note("\(input): no packet is selected; nothing was written")
            throw ExitCode(Exit.inconclusive)
        } catch is ExtractionInterruption {
            return
        }
        Console.note(report.conversion.losses)
        for warning in report.conversion.warnings { Console.note("warning: \(warning)") }
        let context = report.kept.count - report.selected.count
        Console.note(
            "\(report.conversion.packetsWritten) of \(report.frames) packets written as "
                + "\(report.conversion.target.format.name): \(report.selected.count) selected, \(context) that their decoding needs"
        )
    }
}

extension CaptureFormat {
    /// The format of a part of a capture: that of the output's name, else the input's.
    init(ofSubset output: String, of reader: CaptureReader) throws {
        let format = CaptureFormat(forPath: output) ?? reader.format
        guard Self.writable.contains(format) else {
            throw UsageError(
                "\(output.quotedIfEmpty): \(format.name) is not written; name a file that ends in .btsnoop, .pklg, .pcap or .pcapng"
            )
        }
        self = format
    }
}
