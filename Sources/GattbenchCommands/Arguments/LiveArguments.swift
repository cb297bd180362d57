import ArgumentParser
import Workbench

/// How a live capture is kept and when it ends: the options of every command that captures.
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

    /// What is asked for.
    func readOptions(packets: Int?) throws -> LiveOptions {
        var options = LiveOptions()
        options.packetLimit = packets ?? .max
        for stop in stops { try options.applyStop(stop) }
        options.recording = try write.map { try RecordingOptions(path: $0, switching: switches) }
        return options
    }
}

/// Whether what goes by is judged: the options of live commands that can.
struct LiveCheckArguments: ParsableArguments {
    @Flag(help: "Check the traffic: print findings as they occur and a summary at the end.")
    var check = false

    @OptionGroup var arguments: CheckArguments

    func validate() throws {
        if !check, arguments.isAsked {
            throw ValidationError("--role, --require, --waivers, --oracle, --strict and the reports go with --check")
        }
    }

    /// Refuses a report among frames, and files in place of those that are read; a `source` may be one.
    func validate(besides live: LiveArguments, _ devices: DeviceArguments, source: String? = nil) throws {
        try arguments.reports.refuse([live.write], overwriting: devices.files + [source])
        if arguments.reports.takesOutput, !live.quiet {
            throw ValidationError("a report on standard output goes with -q; frames are printed there without it")
        }
    }

    /// How it is judged; nil where it is not.
    var checking: CheckArguments? { check ? arguments : nil }
}
