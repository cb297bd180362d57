import ArgumentParser
import Host
import Transports
import Workbench

/// `gattbench scan`.
struct ScanCommand: LiveCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Say who advertises, and what, with the values that plugins know.",
        discussion: """
            Each advertiser is told once, and once more when it answers a scan request; --all tells every report. All options
            of decode work; without -Y advertising reports are shown, with -w everything is kept.

            EXAMPLES
              sudo gattbench scan --transport hci-socket:0 --duration 10
              gattbench scan --transport tcp-client:localhost:6402 --passive --all
              gattbench scan --transport hci-socket:0 -V -Y 'btcommon.eir_ad.entry.device_name contains "Aquavate"'
              gattbench scan --transport hci-socket:0 --duration 5 --json | jq .
            """)

    @Option(help: ArgumentHelp("The controller that listens: hci-socket:N or another SPEC.", valueName: "spec"))
    var transport: String

    @Flag(help: "Only listen: ask nobody for a scan response.")
    var passive = false

    @Flag(help: "Tell every report, not each advertiser once.")
    var all = false

    @Option(help: "Seconds to scan; without it, until Ctrl-C.")
    var duration: Double?

    @Flag(help: "Write JSON, a line for each report: the same as -T ndjson.")
    var json = false

    @OptionGroup var liveArguments: LiveArguments
    @OptionGroup var decodeArguments: DecodeArguments

    func validate() throws {
        if json, decodeArguments.format != .text {
            throw ValidationError("--json is -T ndjson; leave out the other -T")
        }
        if let duration, duration <= 0 { throw ValidationError("--duration takes seconds, more than 0") }
    }

    var live: LiveArguments {
        var arguments = liveArguments
        if let duration { arguments.stops.append("duration:\(duration)") }
        return arguments
    }

    var decoding: DecodeArguments {
        var arguments = decodeArguments
        if json { arguments.format = .ndjson }
        arguments.filter = arguments.filter ?? "bthci_evt.le_meta_subevent in {0x02, 0x0d}"
        return arguments
    }

    func open() throws -> any LiveCapture {
        let spec = try TransportSpec(transport)
        if spec.isRadio { throw UsageError("radio: is empty in a program that only scans; name a controller") }
        var settings = Host.ScanSettings()
        settings.isActive = !passive
        settings.filtersDuplicates = !all
        return ScanCapture(try TransportOpener().open(spec), settings)
    }
}
