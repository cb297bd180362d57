import ArgumentParser
import Bytes
import Captures
import Workbench

/// `gattbench merge`.
struct MergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Put captures of one time together, such as a phone's log and a sniffer's.",
        discussion: """
            The clocks are aligned by the PDUs that the captures have in common, with any offset between them. The first
            HCI log is the reference, without one the first capture. The output is pcapng, with an interface for each
            capture and comments that link both views of a PDU: heard, sent, heard only, sent only. Keys in the logs, and those
            given, open what is encrypted on the air, to compare it; it is written as it was heard.

            Exit codes: 0 merged · 2 usage error · 3 unreadable input · 4 the clocks cannot be aligned.

            EXAMPLES
              gattbench merge btsnoop_hci.log sniffer.pcapng -o both.pcapng
              gattbench merge phone.pklg sniffer.pcap -o both.pcapng --offset -3600.25
              gattbench merge central.btsnoop peripheral.btsnoop -o both.pcapng --json
            """)

    @Argument(help: "The captures to merge.")
    var inputs: [String]

    @Option(name: .shortAndLong, help: ArgumentHelp("The pcapng file to write.", valueName: "file"))
    var output: String

    @Option(
        help: ArgumentHelp(
            "Seconds to add to the times of the capture that is not the reference, instead of aligning two clocks.",
            valueName: "seconds"))
    var offset: Double?

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var captures: CaptureArguments

    @OptionGroup var keys: KeyArguments

    @OptionGroup var terminal: TerminalArguments

    func validate() throws {
        guard inputs.count >= 2 else { throw ValidationError("merge needs two captures at least") }
        guard inputs.count <= MergeJob.inputLimit else {
            throw ValidationError("merge takes \(MergeJob.inputLimit) captures at most")
        }
        if let offset {
            guard inputs.count == 2 else { throw ValidationError("--offset goes with two captures") }
            guard offset.isFinite, offset.magnitude <= 1e10 else {
                throw ValidationError("--offset \(offset): expected seconds, such as -3600.25")
            }
        }
        guard output != "-", CaptureFormat(forPath: output) == .pcapng else {
            throw ValidationError("--output \(output): expected a file that ends in .pcapng")
        }
        try keys.refuse(sharing: inputs)
        try Console.refuse(output, overwriting: keys.files + inputs)
    }

    func run() throws {
        Interruption.watch()
        var job = MergeJob()
        job.options.keys = try keys.read()
        job.options.offset = offset.map { TimeSpan(clamping: $0) }
        let readers = try inputs.map { try captures.open($0) }
        var progress = Progress()
        let report: MergeReport
        do {
            report = try job.run(readers, to: output) { packets in
                progress.show(packets)
                return !Interruption.isAsked
            }
        } catch let error as MergeError {
            Console.note("\(error)")
            throw ExitCode(Exit.inconclusive)
        } catch is MergeInterruption {
            return
        }
        for warning in report.warnings { Console.note("warning: \(warning)") }
        Console.note(report.losses)
        if json { return try Console.write(report.json) }
        for line in report.lines { try Console.write(line + "\n") }
        try Console.write("\(report.packets.counted("packet")) written to \(output)\n")
    }
}
