import ArgumentParser
import Bytes
import Captures
import Output
import Workbench

/// `gattbench decode`.
struct DecodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode", _superCommandName: Program.name,
        abstract: "Decode captures: btsnoop, PacketLogger, pcap, pcapng; plain, gzip, or in an archive.",
        discussion: """
            EXAMPLES
              gattbench decode session.btsnoop
              gattbench decode -Y 'btatt.opcode == 0x1b && gatt.characteristic contains "Battery"' session.pcapng
              gattbench decode -T fields -e frame.number -e btatt.handle -e btatt.value session.btsnoop
              gattbench decode -r session.btsnoop -t ad -Y 'connection == 2 && diagnosis.severity == "error"'
              gattbench decode -T ndjson session.pklg | jq 'select(.gatt.operation == "write")'
              gattbench decode -Y 'aquavate.current_state.level < 100' puck.btsnoop
              gattbench decode --plugin sensor/profile.yaml sensor.pcapng
              gattbench decode --gatt puck.json started-late.btsnoop
              gattbench decode --keys phone.keys sniffed.pcapng
              gattbench decode bugreport.zip
              gattbench decode --join btsnoop_hci.log.last btsnoop_hci.log
              gattbench decode --join bugreport.zip
              adb exec-out cat /data/misc/bluetooth/logs/btsnoop_hci.log | gattbench decode -
            """)

    @Argument(help: ArgumentHelp("Capture files; - is standard input.", valueName: "files"))
    var named: [String] = []

    @Option(
        name: .customShort("r", allowingJoined: true),
        help: ArgumentHelp("A capture file, as tshark takes it; may be repeated.", valueName: "file"))
    var read: [String] = []

    @OptionGroup var joining: JoinArguments

    @OptionGroup var decoding: DecodeArguments

    @OptionGroup var captures: CaptureArguments

    private var files: [String] { read + named }

    func validate() throws {
        if files.isEmpty {
            throw ValidationError("a capture file is missing: gattbench decode FILE, or - for standard input")
        }
        try decoding.keys.refuse(sharing: files)
    }

    func run() async throws {
        Interruption.watch()
        Pager.use()
        var options = try decoding.readOptions()
        options.keys = try decoding.keys.read()
        let job = try DecodeJob(options)
        if joining.join { return try await decode(files, job) }
        var firstFailure: CaptureError?
        for file in files {
            do {
                try await decode([file], job)
            } catch let error as CaptureError where files.count > 1 {
                Console.note("\(error)")
                firstFailure = firstFailure ?? error
            }
            if Interruption.isAsked { break }
        }
        if firstFailure != nil { throw ExitCode(Exit.unreadable) }
    }

    /// Decodes a capture, or several as one.
    private func decode(_ paths: [String], _ job: DecodeJob) async throws {
        let opened = try captures.open(paths, joining)
        let source = opened.source
        if files.count > paths.count, decoding.format == .text { try Console.write("== \(paths[0])\n") }
        if !source.isSeekable, job.looksAhead {
            Console.note(
                "note: \(source.name) can be read only once: late discovery does not name earlier frames")
        }
        var progress = Progress(opened.reader, besideOutput: true)
        let outcome = try await job.run(source) { text, frames in
            try Console.write(text)
            progress.show(frames)
            return !Interruption.isAsked
        }
        Console.note(opened)
        Console.note(rivals: outcome.rivals, in: source.name)
    }
}
