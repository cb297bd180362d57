import ArgumentParser
import Workbench

/// Options of every command that captures: recording and end of a live capture.
struct LiveArguments: ParsableArguments {
    @Option(
        name: .customShort("w", allowingJoined: true),
        help: ArgumentHelp("Record to a file: .btsnoop, .pcapng, .pcap or .pklg.", valueName: "file"))
    var write: String?

    @Option(
        name: .customShort("a", allowingJoined: true),
        help: ArgumentHelp("When to stop: duration:SECONDS.", valueName: "condition"))
    var stops: [String] = []

    @Option(
        name: .customShort("b", allowingJoined: true),
        help: ArgumentHelp(
            "With -w, switch to the next file after filesize:KB; keep the newest files:NUMBER.", valueName: "condition")
    )
    var switches: [String] = []

    @Flag(name: .customShort("q"), help: "Do not print frames.")
    var quiet = false

    func validate() throws {
        if write == nil, !switches.isEmpty { throw ValidationError("-b goes with -w") }
    }

    /// The parsed options.
    func readOptions(packets: Int?) throws -> LiveOptions {
        var options = LiveOptions()
        options.packetLimit = packets ?? .max
        for stop in stops { try options.applyStop(stop) }
        options.recording = try write.map { try RecordingOptions(path: $0, switching: switches) }
        return options
    }
}

/// Options of live commands that can check and explain traffic.
struct LiveCheckArguments: ParsableArguments {
    @Flag(help: "Check the traffic: print findings as they occur and a summary at the end.")
    var check = false

    @Flag(help: "Explain failures: print the cause of each when its connection has ended.")
    var why = false

    @OptionGroup var arguments: CheckArguments

    func validate() throws {
        if !check, arguments.isAsked {
            throw ValidationError("--role, --require, --waivers, --oracle, --strict and the reports go with --check")
        }
    }

    /// Throws if a report would be mixed with frames, or if an output would overwrite an input file; `source` may be
    /// one.
    func validate(besides live: LiveArguments, _ decoding: DecodeArguments, source: String? = nil) throws {
        try arguments.reports.refuse([live.write], overwriting: decoding.files + [source])
        if arguments.reports.takesOutput, !live.quiet {
            throw ValidationError("a report on standard output goes with -q; frames are printed there without it")
        }
    }

    /// The options of the check; nil without `--check`.
    var checking: CheckArguments? { check ? arguments : nil }
}
