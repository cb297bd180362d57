import Emulation
package import Output
import PluginKit
import Profile
import Transports

/// The second part of the demo: a people counter at a door, and the gateway that writes its events to a store.
package struct DemoGateway {
    private let store: any RecordStore
    private let paint: Paint

    private static let plugin = "lifecount"
    private static let scenario = "busy-hour"
    /// Events shown of each step.
    private static let shownEvents = 3
    private static let hiddenFacts: Set = ["device_id", "timestamp_s", "location_id", "device_time", "seconds"]

    package init(store: any RecordStore, paint: Paint = .none) {
        self.store = store
        self.paint = paint
    }

    /// Plays the scenario; `write` receives text for people, piece by piece. Returns the expectations that failed.
    package func run(isInterrupted: () -> Bool, write: (String) throws -> Void) throws -> [String] {
        let library = try PluginLibrary.builtIn()
        guard let plugin = library[Self.plugin]?.plugin,
            let tables = BuiltInPlugins.tables(of: Self.plugin)
        else { return ["there is no plugin \(Self.plugin)"] }
        var options = EmulateOptions(plugin: plugin, transport: .radio)
        options.scenario = try ScenarioLibrary(library).scenario(Self.scenario, of: plugin)
        options.speed = .virtual
        // The scenario connects.
        options.tasks = []
        let session = SyncSession(
            store, plugin: Self.plugin, transport: "\(options.transport)", tasks: [], isContinuous: tables.isContinuous)
        var job = try WorldJob(options, keyboard: nil, sync: session)
        var shown = 0
        var isFirst = true
        let outcome = try job.run(isInterrupted: isInterrupted) { output in
            switch output {
            case .said(let text, _):
                try write((isFirst ? "" : "\n") + paint.painted(text, in: \.name) + "\n")
                (shown, isFirst) = (0, false)
            case .happened(let entry) where entry.source == .client:
                guard case .note(var note) = entry.event, note.name != "state" else { break }
                note.facts.removeAll { Self.hiddenFacts.contains($0.name) }
                shown += 1
                let line = shown > Self.shownEvents ? "…" : note.line
                if shown <= Self.shownEvents + 1 { try write(paint.painted("        gateway: \(line)\n", in: \.faint)) }
            default: break
            }
        }
        let problem = try session.end(at: job.now)
        return outcome.failures.map(\.description) + [problem].compactMap(\.self)
    }
}

extension TwinNote {
    /// `drink stored (id 1, amount 120)`.
    var line: String {
        let facts = facts.map { "\($0.name) \($0.value.text)" }.joined(separator: ", ")
        return name.asWords + (facts.isEmpty ? "" : " (\(facts))")
    }
}

extension TwinNote.Amount {
    fileprivate var text: String {
        switch self {
        case .number(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): text
        case .flag(let flag): "\(flag)"
        }
    }
}
