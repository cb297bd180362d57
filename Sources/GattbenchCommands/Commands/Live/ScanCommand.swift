import ArgumentParser
import Host
import Profile
import Transports
import Workbench

/// `gattbench scan`.
struct ScanCommand: LiveCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "List advertisers with their advertising data, decoded by plugins.",
        discussion: """
            Each advertiser is listed once, and once more with its scan response; --all prints every report. All options of
            decode work; without -Y only advertising reports are shown, -w records all packets. Of tty:PATH, monitor:SPEC and
            stream:SPEC, the advertising reports that another host received are shown, all of them: nothing is sent.

            EXAMPLES
              sudo gattbench scan --transport hci-socket:0 --duration 10
              gattbench scan --transport tcp-client:localhost:6402 --passive --all
              gattbench scan --transport hci-socket:0 -V -Y 'btcommon.eir_ad.entry.device_name contains "Aquavate"'
              gattbench scan --transport hci-socket:0 --duration 5 --json | jq .
            """)

    @Option(help: ArgumentHelp("Controller to scan with: hci-socket:N or another SPEC.", valueName: "spec"))
    var transport: String

    @Flag(help: "Passive scanning: send no scan requests.")
    var passive = false

    @Flag(help: "Print every report instead of each advertiser once.")
    var all = false

    @Option(help: ArgumentHelp("Duration, like 10s or 5min; without it, until Ctrl-C.", valueName: "time"))
    var duration: String?

    @Flag(help: "Print a JSON line per report, as -T ndjson does.")
    var json = false

    @OptionGroup var liveArguments: LiveArguments
    @OptionGroup var decodeArguments: DecodeArguments

    func validate() throws {
        if json, decodeArguments.format != .text {
            throw ValidationError("--json is -T ndjson; leave out the other -T")
        }
        try Console.refuse(liveArguments.write, overwriting: decodeArguments.files)
        if let duration, try Duration(option: "--duration", duration) == .zero {
            throw ValidationError("--duration \(duration): expected a time above 0")
        }
    }

    var live: LiveArguments {
        var arguments = liveArguments
        if let time = duration.flatMap({ Duration(parsing: $0) }) {
            arguments.stops.append("duration:\(time / .seconds(1))")
        }
        return arguments
    }

    var decoding: DecodeArguments {
        var arguments = decodeArguments
        if json { arguments.format = .ndjson }
        arguments.filter = arguments.filter ?? "bthci_evt.le_meta_subevent in {0x02, 0x0d}"
        return arguments
    }

    func open() throws -> any LiveCapture {
        if transport.hasPrefix("tty:") || transport.hasPrefix("monitor:") || transport.hasPrefix("stream:") {
            if passive { throw UsageError("--passive goes with a controller; \(transport) is only read") }
            return try CaptureSource(transport).open()
        }
        let spec = try TransportSpec(transport)
        if spec.isRadio { throw UsageError("radio: has no devices to scan; use a controller") }
        var settings = Host.ScanSettings()
        settings.isActive = !passive
        settings.filtersDuplicates = !all
        return ScanCapture(try TransportOpener().open(spec), settings)
    }
}
