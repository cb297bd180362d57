import ArgumentParser
import Bytes
import Captures
import Workbench

/// `gattbench shrink`.
struct ShrinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shrink",
        abstract: "Find the smallest part of a capture that still shows a fault.",
        discussion: """
            Connections are left out, then procedures, then packets, until none can be left out. With --rule, the part breaks the
            rule in the same packet, for the same reason; with --why, the same failure has the cause. With --command, the command ends with exit status 0 for a capture
            that shows the fault: its path replaces {}, or is the last argument. No shell is involved; output is dropped.

            Ctrl-C ends the search and writes the smallest part so far.

            Exit codes: 0 written · 2 usage error · 3 unreadable input · 4 the capture does not show the fault.

            EXAMPLES
              gattbench shrink session.btsnoop -o small.btsnoop --rule CORE-ATT-02
              gattbench shrink session.pcapng -o small.pcapng --rule AQ-060 --plugin aquavate
              gattbench shrink session.btsnoop -o small.btsnoop --why mtu_too_small
              gattbench shrink session.btsnoop -o small.btsnoop --command './shows-the-crash {}'
              gattbench shrink session.pcapng -o small.pcapng --command 'python3 check.py --strict {}'
            """)

    @Argument(help: "The capture to read.")
    var input: String

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The file to write; its name decides the format, else that of the input; - is standard output.",
            valueName: "file"))
    var output: String

    @Option(help: ArgumentHelp("Keep what breaks this rule of check.", valueName: "id"))
    var rule: String?

    @Option(help: ArgumentHelp("Keep what shows this cause of why.", valueName: "cause"))
    var why: String?

    @Option(help: ArgumentHelp("Keep that for which this command ends with exit status 0.", valueName: "command"))
    var command: String?

    @Option(help: ArgumentHelp("Check this number of parts at the same time, 1 to 16.", valueName: "count"))
    var jobs = 2

    @OptionGroup var devices: DeviceArguments

    @OptionGroup var keys: KeyArguments

    @OptionGroup var captures: CaptureArguments

    @OptionGroup var terminal: TerminalArguments

    func validate() throws {
        guard [rule, why, command].count(where: { $0 != nil }) == 1 else {
            throw ValidationError("name what the part has to show: one of --rule, --why and --command")
        }
        guard (1...16).contains(jobs) else { throw ValidationError("--jobs \(jobs): expected 1 to 16") }
        try keys.refuse(sharing: [input])
        try Console.refuse(output, overwriting: devices.files + keys.files + [input])
    }

    func run() async throws {
        Interruption.watch()
        let library = try devices.loadPlugins()
        var job = ShrinkJob()
        job.width = jobs
        job.decoding.plugins = library.plugins
        job.decoding.importedTables = try devices.readTables()
        job.decoding.keys = try keys.read()
        let reader = try captures.open(input)
        guard reader.isSeekable else {
            throw CaptureError(
                .cannotRead, file: reader.file, "cannot be read more than once, as shrink does",
                advice: "write it to a file first")
        }
        let format = try CaptureFormat(ofSubset: output, of: reader)
        var progress = Progress(reader)
        let packets = try StoredPackets(reading: reader) { count in
            progress.show(count)
            return !Interruption.isAsked
        }
        if Interruption.isAsked { return }
        let outcome: ShrinkJob.Outcome
        do {
            let fault = try await fault(in: packets, job.decoding, format)
            outcome = try await job.run(packets, fault) { parts in
                progress.show("\(parts) parts checked")
                return !Interruption.isAsked
            }
        } catch let error as UnknownRule {
            throw UsageError(
                "--rule \(error.id): unknown rule\(Spelling.suggestion(for: error.id, among: error.known, limit: 3))")
        } catch let error as UnknownCause {
            throw UsageError(
                "--why \(error.id): unknown cause\(Spelling.suggestion(for: error.id, among: error.known, limit: 3))")
        } catch let error as RuleNotBroken {
            Console.note("\(error)")
            throw ExitCode(Exit.inconclusive)
        } catch let error as CauseNotShown {
            Console.note("\(error)")
            throw ExitCode(Exit.inconclusive)
        } catch is FaultNotShown {
            Console.note("\(input): the command does not end with exit status 0 for the whole capture")
            throw ExitCode(Exit.inconclusive)
        }
        try write(outcome, of: packets, reader, format)
    }

    private func fault(
        in packets: StoredPackets, _ decoding: FrameDecoding, _ format: CaptureFormat
    ) async throws -> any ShownFault {
        if let command {
            if packets.isMerged {
                throw UsageError(
                    "--command: \(input) was merged; shrink one of the captures that it was merged from")
            }
            guard let fault = try CommandFault(command, format: format) else {
                throw UsageError("--command: no word in it, or a quote is not closed")
            }
            return fault
        }
        if let why {
            var job = WhyJob()
            job.plugins = decoding.plugins
            job.importedTables = decoding.importedTables
            job.keys = decoding.keys
            return try await ShownCause(why, of: packets, explainedBy: job)
        }
        var check = CheckJob()
        check.plugins = decoding.plugins
        check.importedTables = decoding.importedTables
        check.keys = decoding.keys
        // Parts are checked at the same time instead.
        check.shardCount = 1
        return try await ShownBreach(rule ?? "", of: packets, checkedBy: check)
    }

    private func write(
        _ outcome: ShrinkJob.Outcome, of packets: StoredPackets, _ reader: CaptureReader, _ format: CaptureFormat
    ) throws {
        let subset = CaptureSubset(outcome.frames, isMerged: packets.isMerged)
        let conversion = try subset.write(reader, to: output, format: format)
        Console.note(conversion.losses)
        for warning in conversion.warnings { Console.note("warning: \(warning)") }
        let end =
            outcome.isInterrupted
            ? "interrupted after \(outcome.candidates) parts" : "\(outcome.candidates) parts were checked"
        Console.note(
            "\(conversion.packetsWritten) of \(packets.count) packets written as \(conversion.target.format.name); \(end)"
        )
    }
}
