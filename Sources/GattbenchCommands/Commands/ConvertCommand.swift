import ArgumentParser
import Bytes
import Captures

/// `gattbench convert`.
struct ConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Convert a capture between btsnoop, PacketLogger, pcap and pcapng.",
        discussion: """
            Information that the target format cannot store is reported with counts.

            EXAMPLES
              gattbench convert phone.pklg phone.pcapng
              gattbench convert session.btsnoop session.pcap --link-type 201
              gattbench convert sniffed.pcapng out.cap --to pcap
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

    @OptionGroup var captures: CaptureArguments

    @OptionGroup var terminal: TerminalArguments

    func validate() throws { try Console.refuse(output, overwriting: [input]) }

    func run() throws {
        Interruption.watch()
        let format = try targetFormat()
        let reader = try captures.open(input)
        var progress = Progress(reader)
        let report = try Converter.convert(
            reader, to: output, format: format, linkType: linkType.map { LinkType(rawValue: $0) }
        ) { packets in
            progress.show(packets)
            return !Interruption.isAsked
        }
        Console.note(report.losses)
        for warning in report.warnings { Console.note("warning: \(warning)") }
        Console.note(
            "\(report.packetsWritten) of \(report.packetsRead) packets written as \(report.target.format.name), "
                + "link type \(report.target.linkType.label)")
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
