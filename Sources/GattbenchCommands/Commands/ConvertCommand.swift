import ArgumentParser
import Bytes
import Captures
import Keys
import Workbench

/// `gattbench convert`.
struct ConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Convert a capture between btsnoop, PacketLogger, pcap and pcapng.",
        discussion: """
            Information that the target format cannot store is reported with counts.

            With --keys, encrypted packets on the air are written as plain text, marked as decrypted, with link type
            256; what no key opens is written as it is. Only you can read the file. Keys that the Security Manager
            distributes are written as zeros, unless --with-keys is given.

            EXAMPLES
              gattbench convert phone.pklg phone.pcapng
              gattbench convert session.btsnoop session.pcap --link-type 201
              gattbench convert sniffed.pcapng out.cap --to pcap
              gattbench convert sniffed.pcapng plain.pcapng --keys keys.txt
            """)

    @Argument(help: "The capture to read; - is standard input.")
    var input: String

    @Argument(help: "The file to write; - is standard output.")
    var output: String

    @Option(help: "Output format: btsnoop, pklg, pcap or pcapng; by default from the output's name.")
    var to: String?

    @Option(
        help: "Link type of the output: 187, 201, 254 for HCI; 251, 256 for the link layer. By default the best fit.")
    var linkType: UInt32?

    @Flag(help: "With --keys, write the keys that the Security Manager distributes, too.")
    var withKeys = false

    @OptionGroup var captures: CaptureArguments

    @OptionGroup var keys: KeyArguments

    @OptionGroup var terminal: TerminalArguments

    func validate() throws {
        try keys.refuse(sharing: [input])
        try Console.refuse(output, overwriting: keys.files + [input])
    }

    func run() throws {
        Interruption.watch()
        let format = try targetFormat()
        let ring = keys.areGiven ? try keys.read() : nil
        if withKeys, ring == nil {
            throw UsageError("--with-keys: without keys, every packet is written as it is")
        }
        let reader = try captures.open(input)
        var progress = Progress(reader)
        var job = ConvertJob(format)
        job.linkType = linkType.map { LinkType(rawValue: $0) }
        job.keys = ring
        job.keepsDistributedKeys = withKeys
        let report = try job.run(reader, to: output) { packets in
            progress.show(packets)
            return !Interruption.isAsked
        }
        let conversion = report.conversion
        Console.note(conversion.losses)
        for warning in conversion.warnings { Console.note("warning: \(warning)") }
        if job.keys != nil { note(report) }
        Console.note(
            "\(conversion.packetsWritten) of \(conversion.packetsRead) packets written as "
                + "\(conversion.target.format.name), link type \(conversion.target.linkType.label)")
    }

    /// Reports what was decrypted.
    private func note(_ report: ConvertJob.Report) {
        guard report.decrypted > 0 || report.maskedKeys > 0 else { return Console.note("no packet was decrypted") }
        let file = output == "-" ? "standard output" : output
        var text = "warning: \(file) is plain text: \(report.decrypted) encrypted packets are readable in it"
        if report.maskedKeys > 0 { text += "; keys that a device has distributed are zeros: \(report.maskedKeys)" }
        Console.note(text)
    }

    private func targetFormat() throws -> CaptureFormat {
        let known = CaptureFormat.names.joined(separator: ", ")
        if let to {
            guard let format = CaptureFormat(named: to) else {
                throw UsageError("--to \(to): the formats are \(known)")
            }
            return format
        }
        guard let format = CaptureFormat(forPath: output) else {
            throw UsageError("\(output.quotedIfEmpty): unknown file extension; use --to with one of \(known)")
        }
        return format
    }
}
