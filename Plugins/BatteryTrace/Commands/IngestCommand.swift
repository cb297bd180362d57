import Bytes
import PluginKit
import Profile

extension PluginCommand {
    private static let url = CommandParameter.argument("url", help: "The URL that the phone opened.")
    private static let dryRun = CommandParameter.flag("dry-run", help: "Check only; keep nothing.")

    /// `battery ingest`.
    static let ingest = PluginCommand(
        name: "ingest",
        abstract: "Check a URL with a battery's health, and keep what it says as a snapshot.",
        discussion: """
            The URL is batterytrace://ingest? and parameters joined by &: cycles (0 to 10000), health (0.94, 94%25 or \
            94; 110 % at most), first_use and mfg (YYYY-MM-DD, Sep%2021%2C%202024, 21%20September%202024 or \
            21.09.2024). A parameter without a value is absent; cycles or health must have one. A wrong URL is refused \
            whole, with every fault named, and the exit code is 1. batterytrace://ingest-ready, by which the Shortcut \
            says that it has run, is understood and keeps nothing.
            """,
        examples: [
            "ingest 'batterytrace://ingest?cycles=123&health=0.94&first_use=2024-09-21&mfg=2024-08-30'",
            "ingest --dry-run 'batterytrace://ingest?cycles=123&health=94%25&first_use=&mfg='",
        ],
        parameters: [url, dryRun, .json], tables: [BatteryTables.snapshots]
    ) { input throws(CommandError) in
        if IngestURL.isReadySignal(input.text(url) ?? "") {
            let json = JSONValue.members(["stored": .boolean(false), "ready": .boolean(true)]).text
            let sentence = "The Shortcut has run. This URL carries no values, so nothing is kept.\n"
            return CommandOutput(input.isSet(.json) ? json : sentence)
        }
        let battery: BatteryHealth
        do throws(IngestURL.Refusal) {
            battery = try IngestURL.read(input.text(url) ?? "", now: input.now)
        } catch {
            return refusal(findings(inIngestURL: input.text(url) ?? "", now: input.now), input)
        }
        var log = SnapshotLog(input.snapshots)
        switch log.ingest(battery, at: input.now) {
        case .repeated(let earlier):
            return CommandOutput(
                text("Known already as snapshot \(earlier.id), which came at \(earlier.date).", earlier, false, input))
        case .stored(let snapshot):
            let notes = warnings(log.snapshots, of: [snapshot.id])
            if input.isSet(dryRun) {
                let sentence = "Valid; it would be snapshot \(snapshot.id). Nothing is kept (dry run)."
                return CommandOutput(text(sentence, snapshot, false, input), notes: notes)
            }
            return CommandOutput(
                text("Kept as snapshot \(snapshot.id).", snapshot, true, input), notes: notes,
                storeChanges: [.add([snapshot.row], to: BatteryTables.snapshots)])
        }
    }

    /// Rule violations of new snapshots, and a warning if the battery of the last one ages faster than before.
    static func warnings(_ snapshots: [BatterySnapshot], of new: Set<Int>) -> [String] {
        let found = findings(inSnapshots: snapshots).filter { finding in
            new.contains { finding.subject == "snapshot \($0)" }
        }
        let warnings = found.map { "warning: \($0.rule): expected \($0.expected); found \($0.observed)" }
        guard let device = devices(of: snapshots).last, let acceleration = Acceleration(device),
            acceleration.isAbnormal
        else { return warnings }
        return warnings + ["battery care: \(acceleration.text)"]
    }

    private static let shortcutName = CommandParameter.option(
        "name", .text, placeholder: "name", help: "The Shortcut's name; Battery Cycles by default.")

    /// `battery shortcut`.
    static let shortcut = PluginCommand(
        name: "shortcut",
        abstract: "Print the URL that runs the phone's Shortcut.",
        discussion: """
            Opened on the phone, it runs the Shortcut, which calls batterytrace://ingest-ready when it has run. The \
            Shortcut's last action opens the URL that `battery ingest` takes.
            """,
        examples: ["shortcut", "shortcut --name 'My Battery'"], parameters: [shortcutName]
    ) { input throws(CommandError) in
        CommandOutput(IngestURL.shortcutCall(input.text(shortcutName) ?? "Battery Cycles") + "\n")
    }

    private static func refusal(_ findings: [RuleFinding], _ input: CommandInput) -> CommandOutput {
        guard !input.isSet(.json) else {
            let faults = findings.map { finding in
                JSONValue.members([
                    "rule": .string(finding.rule), "part": .string(finding.subject),
                    "expected": .string(finding.expected), "observed": .string(finding.observed),
                ])
            }
            return CommandOutput(
                JSONValue.members(["stored": .boolean(false), "faults": .array(faults)]).text, outcome: .findings)
        }
        let lines = findings.map { "  \($0.subject): expected \($0.expected); found \($0.observed)" }
        return CommandOutput(
            "Refused, nothing is kept (BT-005):\n" + lines.joined(separator: "\n") + "\n", outcome: .findings)
    }

    private static func text(
        _ sentence: String, _ snapshot: BatterySnapshot, _ isStored: Bool, _ input: CommandInput
    ) -> String {
        let battery = snapshot.battery
        guard !input.isSet(.json) else {
            return JSONValue.members([
                "stored": .boolean(isStored), "id": .integer(snapshot.id), "date": .string("\(snapshot.date)"),
                "cycles": battery.cycles.map { .integer($0) }, "health": battery.health.map { .number($0) },
                "first_use": battery.firstUse.map { .string("\($0)") },
                "mfg_date": battery.mfgDate.map { .string("\($0)") },
            ]).text
        }
        let values = [
            battery.cycles.map { "\($0) cycles" }, battery.health.map { "health \(($0 * 100).text(decimals: 2)) %" },
            battery.firstUse.map { "first used \($0)" }, battery.mfgDate.map { "made \($0)" },
        ]
        return "\(sentence)\n  \(values.compactMap { $0 }.joined(separator: ", "))\n"
    }
}
