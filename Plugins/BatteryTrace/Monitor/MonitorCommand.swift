import Bytes
import PluginKit

extension PluginCommand {
    private static let interval = CommandParameter.option(
        "interval", .number(BatteryMonitor.intervalRange), placeholder: "seconds",
        help: "Also read the level so often, 5 to 600 s; 60 by default.")

    private static let passkey = CommandParameter.option(
        "passkey", .number(0...999_999), placeholder: "digits",
        help: "The passkey that the device shows, or that is its own, for pairing: 0 to 999999.")

    /// `battery monitor`.
    static let monitor = PluginCommand(
        name: "monitor",
        abstract: "Follow the battery level of a device, and keep its charging sessions.",
        discussion: """
            Connects to any device with the Battery Service, subscribes to its Battery Level, and reads it besides. A session \
            begins when the level rises, and ends when it falls, is 100 %, or stays. Every sample of a session is kept with \
            its estimate, and the session after each: one that lasts when the command is stopped has no end. After a lost \
            connection it looks for the device again. A device that demands pairing is paired with, without its user or with \
            the passkey; the keys last as long as the command.

            \(Disclaimer.text)

            SPEC names the controller; on radio:, the plugin's phone of a scenario is the device.

            Exit codes: 0 stopped · 1 a scenario expectation failed · 2 usage error · 3 no device, no controller, or the store \
            cannot be written.
            """,
        examples: [
            "monitor --transport hci-socket:0 --name 'My Phone' --model iPhone16,1 --charger '20W PD'",
            "monitor --transport radio: --scenario evening-charge --capacity 3274",
        ],
        parameters: BatteryParameters.all + [interval, passkey, .charger, .notes, .zone],
        settingsFiles: [SettingsFile.batteries]
    ) { input throws(CommandError) in
        let assumption = try BatteryAssumption(input)
        let labels = BatteryMonitor.Labels(
            model: assumption.model, charger: input.text(.charger) ?? "", notes: input.text(.notes) ?? "")
        let monitor: BatteryMonitor
        do throws(TwinFault) {
            monitor = try BatteryMonitor(
                assumption.settings, labels: labels,
                interval: input.number(interval) ?? BatteryMonitor.usualInterval)
        } catch {
            throw .unreadable("\(error)")
        }
        let zone = input.zone(.zone)
        var pairing = ClientPairing()
        if let number = input.number(passkey) {
            guard let digits = UInt32(exactly: number) else {
                throw .usage("--passkey: expected up to six digits, without decimals")
            }
            pairing.passkey = digits
        }
        return CommandClient(
            heading: "\(assumption.text)\n\(Disclaimer.text)\n\n", client: monitor, task: Stimulus(BatteryMonitor.task),
            pairing: pairing
        ) { note, time in
            MonitorLine(note).map { "\(zone.day(of: time.seconds)) \(zone.clock(time.seconds))  \($0.text(zone))" }
        }
    }
}

/// An event of the monitor as a human-readable line.
struct MonitorLine {
    private let note: TwinNote

    /// Nil for an event that is of interest only to programs.
    init?(_ note: TwinNote) {
        let names = [
            "connected", "disconnected", "not_found", "level", "session_began", "session_ended", "monitor_failed",
            "not_notified", "pairing_failed",
        ]
        guard names.contains(note.name) else { return nil }
        self.note = note
    }

    func text(_ zone: TimeZoneTable) -> String {
        switch note.name {
        case "connected": "Connected to \(note.text("peer") ?? "the device")"
        case "disconnected": "Connection lost: \(note.text("reason") ?? "unknown")"
        case "not_found": "No device found; trying again"
        case "level": level
        case "session_began": "Session begins"
        case "session_ended": "Session ends: \(session)"
        case "pairing_failed":
            "Pairing failed: \(note.text("reason") ?? ""); a device with a passkey needs it in --passkey"
        case "monitor_failed": "The level cannot be read: \(note.text("reason") ?? "")"
        default: "The device does not notify its level: it is read only"
        }
    }

    private var level: String {
        let percent = "\(Int(note.number("level") ?? 0)) %"
        let padded = String(repeating: " ", count: max(0, 5 - percent.count)) + percent
        switch note.text("state").flatMap(BatteryState.init) {
        case .charging:
            guard let watts = note.number("power_w"), let eta = note.number("eta_s") else {
                return "\(padded)  Charging"
            }
            let power = watts.text(decimals: watts < 9.95 ? 1 : 0)
            return "\(padded)  Charging ~\(power) W (est.), full in \(max(1, Int(eta / 60))) min"
        case .full: return "\(padded)  Full"
        case .unplugged: return "\(padded)  Not charging"
        case .unknown, nil: return padded
        }
    }

    private var session: String {
        let span = spanText(note.number("duration_s") ?? 0)
        let rise = "\((note.number("delta_pct") ?? 0).text(decimals: 1)) % in \(span)"
        guard let average = note.number("avg_w"), let peak = note.number("peak_w") else { return rise }
        let charger = note.text("inferred_charger").map { $0.isEmpty ? "" : "; charger \($0) (inferred)" } ?? ""
        return "\(rise), average \(average.text(decimals: 1)) W, peak \(peak.text(decimals: 1)) W (est.)\(charger)"
    }
}

extension Timestamp {
    fileprivate var seconds: Int64 { Int64((Double(nanoseconds) / 1e9).rounded(.down)) }
}
