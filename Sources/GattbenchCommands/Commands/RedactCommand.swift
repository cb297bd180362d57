import ArgumentParser
import Bytes
import Captures
import Redaction
import Workbench

/// `gattbench redact`.
struct RedactCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "redact",
        abstract: "Replace in a capture what identifies people, devices and places, to share it.",
        discussion: """
            Replaced are addresses, names, keys and what helps to compute them, encrypted payloads, values that a profile
            marks as sensitive, all values that no profile explains, and dates; comments and names of interfaces and hosts are
            removed. Equal originals have equal replacements in one run; another run has others. Lengths, handles, opcodes,
            order and the time between packets stay, and checksums are right again, so that check says the same.

            --map writes a file that undoes it, which only you can read: keep it, do not share it. With --undo, redact
            writes the capture as it was.

            Exit codes: 0 written · 2 usage error · 3 unreadable input.

            EXAMPLES
              gattbench redact btsnoop_hci.log -o share.btsnoop
              gattbench redact sniffed.pcapng -o share.pcapng --keys bonds.keys --report counts.json
              gattbench redact session.pcapng -o share.pcapng --keep-oui --map private.map
              gattbench redact share.pcapng -o again.pcapng --undo private.map
            """)

    @Argument(help: "The capture to read.")
    var input: String

    @Option(
        name: .shortAndLong, help: ArgumentHelp("The file to write: btsnoop, pklg, pcap or pcapng.", valueName: "file"))
    var output: String

    @Flag(name: .customLong("keep-oui"), help: "Keep the manufacturer's bytes of public addresses.")
    var keepsOUI = false

    @Option(help: ArgumentHelp("Write a file that undoes it; only you can read it.", valueName: "file"))
    var map: String?

    @Option(
        help: ArgumentHelp(
            "Write how many replacements of each kind were made, as JSON; - is standard output.", valueName: "file"))
    var report: String?

    @Option(help: ArgumentHelp("Undo a redaction with the file that --map wrote.", valueName: "file"))
    var undo: String?

    @OptionGroup var captures: CaptureArguments

    @OptionGroup var devices: DeviceArguments

    @OptionGroup var keys: KeyArguments

    @OptionGroup var terminal: TerminalArguments

    func validate() throws {
        guard CaptureFormat(forPath: output) != nil else {
            throw ValidationError(
                "--output \(output.quotedIfEmpty): expected a file whose name ends as one of the formats: "
                    + CaptureFormat.names.joined(separator: ", "))
        }
        if undo != nil, map != nil || report != nil || keepsOUI || keys.areGiven {
            throw ValidationError("--undo goes without --map, --report, --keep-oui and keys")
        }
        let outputs = [output, map, report].compactMap { $0 }.filter { $0 != "-" }
        for (index, file) in outputs.enumerated() where outputs[..<index].contains(file) {
            throw ValidationError("\(file) would be written twice; write to another file")
        }
        if map == "-" { throw ValidationError("--map: expected a file, as others may read standard output") }
        for file in outputs { try Console.refuse(file, overwriting: devices.files + keys.files + [input, undo]) }
        try keys.refuse(sharing: [input])
    }

    func run() async throws {
        Interruption.watch()
        guard let format = CaptureFormat(forPath: output) else { throw UsageError("--output: unknown format") }
        let reader = try captures.open(input)
        var progress = Progress()
        if let undo {
            let packets = try RestoreJob().run(reader, map: undo, to: output, as: format) { packets in
                progress.show(packets)
                return !Interruption.isAsked
            }
            for warning in reader.warnings { Console.note("warning: \(warning)") }
            return try Console.write("\(packets.counted("packet")) written to \(output), as they were captured\n")
        }
        var job = RedactJob()
        job.plugins = try devices.loadPlugins().plugins
        job.importedTables = try devices.readTables()
        job.keys = try keys.read()
        job.options.keepsOUI = keepsOUI
        job.map = map
        let result = try await job.run(reader, to: output, as: format) { packets in
            progress.show(packets)
            return !Interruption.isAsked
        }
        for warning in result.warnings { Console.note("warning: \(warning)") }
        if result.isInterrupted, result.packets == 0 { return Console.note("interrupted: nothing was written") }
        Console.note(result.losses)
        if let report { try Console.write(result.json, to: report) }
        if report == "-" { return }
        for line in result.lines { try Console.write(line + "\n") }
        try Console.write("\(result.packets.counted("packet")) written to \(output)\n")
    }
}
