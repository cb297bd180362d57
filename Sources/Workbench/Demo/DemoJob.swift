import Bytes
import Captures
import Conformance
import Emulation
package import Output
import PluginKit
import Transports

/// The demo, which takes seconds and needs no hardware: a puck and an app on the virtual radio play a morning's
/// scenario. Their traffic is recorded, decoded live, and checked.
package struct DemoJob {
    /// Path of the folder for the capture and the reports.
    private let folder: String
    private let paint: Paint
    /// Maximum columns of a line; nil for no limit.
    private let width: Int?
    private let library: PluginLibrary

    private static let plugin = "aquavate"
    private static let scenario = "demo"

    /// Creates the folder if it does not exist.
    package init(folder: String, paint: Paint = .none, width: Int? = nil) throws {
        self.folder = folder
        self.paint = paint
        self.width = width
        library = try .builtIn()
        try TextFile.makeFolder(folder)
    }

    /// Name of the store's file in the folder.
    package static let storeName = "counts.sqlite"

    private var capture: String { folder + "/morning.btsnoop" }
    private var junit: String { folder + "/check.xml" }
    private var report: String { folder + "/report.md" }

    package struct Outcome: Sendable {
        /// Expectations of the scenario that failed.
        package var failures: [String]
    }

    /// Plays the scenarios, checks the capture, and writes the reports; `write` receives text for people, piece by
    /// piece.
    ///
    /// - Parameter store: where the gateway keeps its events, which `report` prints; nil to leave the gateway out.
    package func run(
        store: (any RecordStore)? = nil, isInterrupted: () -> Bool, write: (String) throws -> Void,
        report: () throws -> Void = {}
    ) async throws -> Outcome {
        var failures = try play(isInterrupted: isInterrupted, write: write)
        if isInterrupted() { return Outcome(failures: failures) }
        try await check(write)
        if let store {
            try write(heading("A people counter at a door, and its gateway"))
            failures += try DemoGateway(store: store, paint: paint).run(isInterrupted: isInterrupted, write: write)
            try write(heading("Who came and went, from the store"))
            try report()
        }
        try write(ending(hasStore: store != nil))
        return Outcome(failures: failures)
    }

    // MARK: The morning

    private func play(isInterrupted: () -> Bool, write: (String) throws -> Void) throws -> [String] {
        guard let plugin = library[Self.plugin]?.plugin else { return ["there is no plugin \(Self.plugin)"] }
        var options = EmulateOptions(plugin: plugin, transport: .radio)
        options.scenario = try ScenarioLibrary(library).scenario(Self.scenario, of: plugin)
        options.speed = .virtual
        try write(heading("A puck, an app, and the virtual radio between them"))
        let recorder = try CaptureWriter(path: capture, target: CaptureTarget(.btsnoop, holding: .h4))
        let decoder = try LiveDecoder(decodeOptions)
        var job = try WorldJob(options, keyboard: nil)
        let outcome = try job.run(isInterrupted: isInterrupted) { output in
            switch output {
            case .said(let text, let time): try write(chapter(text, at: time))
            case .packet(let packet, let isSent, .client, let time):
                let direction: Direction = isSent ? .sent : .received
                try recorder.write(h4: packet, direction: direction, time: time)
                if let lines = decoder.decode(h4: packet, direction: direction, time: time) { try write(cut(lines)) }
            case .happened(let entry): if let line = line(for: entry) { try write(line) }
            case .ready, .packet, .reply, .warning, .help: break
            }
        }
        try recorder.flush()
        return outcome.failures.map(\.description)
    }

    /// Shows only the packets whose values matter to the scenario.
    private var decodeOptions: DecodeOptions {
        var options = DecodeOptions()
        options.plugins = library.plugins
        options.paint = paint
        options.filter = """
            btatt.opcode in {0x12, 0x1b} && (aquavate.current_state || aquavate.drink_chunk || aquavate.command \
            || aquavate.calibration_state || aquavate.sync_request || aquavate.bottle_config)
            """
        return options
    }

    /// Notes that repeat what the traffic shows.
    private static let hiddenNotes: Set<String> = [
        "subscribed", "discovered", "puck", "ready", "chunk", "calibration", "calibration_state", "time_set",
        "sync_started", "display",
    ]

    /// The printed line of a note from the device or the app; nil for other events and hidden notes.
    private func line(for entry: EmulationLogEntry) -> String? {
        guard case .note(let note) = entry.event, !Self.hiddenNotes.contains(note.name) else { return nil }
        let who = entry.source == .device ? "puck" : "app"
        return paint.painted("        \(who): \(note.line)\n", in: \.faint)
    }

    // MARK: The check

    private func check(_ write: (String) throws -> Void) async throws {
        try write(heading("Check against the rules of the specification and of the device"))
        var job = CheckJob()
        job.plugins = library.plugins
        let outcome = try await job.run(CaptureReader(path: capture)) { _ in true }
        let options = CheckOptions(day: CivilDate(daysSince1970: 0))
        let result = options.applied(to: outcome.report)
        try write(CheckSummary(result, paint: paint).text())
        if result.outcome(isStrict: false) == .broken {
            try write("\nOnly the rules that the injected fault violates fail.\n")
        }
        try TextFile.write(to: junit) { try JUnitReport(result).write($0) }
        try TextFile.write(to: report) { try MarkdownReport(result).write($0) }
    }

    private func ending(hasStore: Bool) -> String {
        var left = [
            "morning.btsnoop   all packets between the app's host and its controller; Wireshark reads it too",
            "check.xml         the verdicts as JUnit",
            "report.md         the verdicts in Markdown",
        ]
        if hasStore { left.append("\(Self.storeName)     the events of the counter") }
        let next = [
            "gattbench decode -V \(capture)",
            "gattbench emulate \(Self.plugin) --transport radio: --scenario normal-day --speed virtual",
            "gattbench test peripheral \(Self.plugin) --transport radio: --quirks fixed",
            "gattbench test client \(Self.plugin) --transport radio:",
            "gattbench --help",
        ]
        return heading("Left in \(folder)") + Self.indented(left) + heading("Try next") + Self.indented(next)
    }

    // MARK: Text

    private func heading(_ text: String) -> String { "\n" + paint.painted(text, in: \.name) + "\n\n" }

    /// A heading with the time of day.
    private func chapter(_ text: String, at time: Timestamp) -> String {
        var date = TextWriter(capacity: 32)
        date.writeISO8601(time, decimals: 0)
        let clock = String(decoding: date.bytes.dropFirst(11).prefix(8), as: UTF8.self)
        return "\n" + paint.painted("\(clock)  \(text)", in: \.name) + "\n"
    }

    /// Truncates lines to the width; escape sequences for colors take no columns.
    private func cut(_ lines: String) -> String {
        guard let width else { return lines }
        return lines.split(separator: "\n").map { line in
            var room = width - 1
            var isSign = false
            let kept = line.prefix { character in
                if character == "\u{1B}" { isSign = true }
                if !isSign { room -= 1 }
                if isSign, character == "m" { isSign = false }
                return room >= 0
            }
            return String(kept) + (kept.count == line.count ? "\n" : paint.painted("…", in: \.faint) + "\n")
        }.joined()
    }

    private static func indented(_ lines: [String]) -> String { lines.map { "  \($0)\n" }.joined() }
}
