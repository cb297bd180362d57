import PluginKit
import Profile

/// Connection of a location to a gateway ("Live status pill" of the requirements, 8A).
enum CountConnection: String, Sendable {
    /// A gateway receives from a counter.
    case connected
    /// A gateway runs, and looks for a counter.
    case scanning
    case offline

    /// The connection of a location, or of all together (nil), at a time in milliseconds since 1970.
    init(of location: Int64?, at now: Int64, _ input: CommandInput) {
        let gateways = RunningGateways(input)
        let counters = (input.rows[CounterTables.counters] ?? []).filter {
            location == nil || $0.integer("location_id") == location
        }
        if counters.contains(where: { gateways.receive(from: $0, at: now) }) {
            self = .connected
        } else {
            self = gateways.search(for: counters) ? .scanning : .offline
        }
    }

    /// The state for people.
    var title: String {
        switch self {
        case .connected: "Live"
        case .scanning: "searching"
        case .offline: "offline"
        }
    }

    var color: StateColor {
        switch self {
        case .connected: .green
        case .scanning: .yellow
        case .offline: .red
        }
    }
}

/// The gateways of the store, by their sessions.
struct RunningGateways: Sendable {
    /// Whether the last gateway of a counter runs, by the counter's address; missing if that is not known.
    private var isRunning: [String: Bool] = [:]
    /// Whether a gateway runs that has found no counter yet.
    private var searchesFirst = false

    init(_ input: CommandInput) {
        for session in input.rows["sessions"] ?? [] where session.text("plugin") == LifeCount.name.lowercased() {
            let state = session.integer("is_running").map { $0 == 1 }
            if let device = session.text("device") {
                isRunning[device] = state
            } else if state == true {
                searchesFirst = true
            }
        }
    }

    /// Whether a gateway receives from a counter. A gateway that was killed has not stored its end: it is known by its
    /// process, or by silence. `now` is in milliseconds since 1970.
    func receive(from counter: Record, at now: Int64) -> Bool {
        let silence = age(ofMilliseconds: counter.integer("last_seen_ms") ?? 0, at: now)
        return counter.integer("is_active") == 1 && silence <= CountReport.patience && state(of: counter) != false
    }

    /// Whether a gateway runs for one of these counters, or for whichever it finds.
    func search(for counters: [Record]) -> Bool { searchesFirst || counters.contains { state(of: $0) == true } }

    private func state(of counter: Record) -> Bool? { counter.text("device").flatMap { isRunning[$0] } }
}

/// Colour of a state on a terminal. Each state has its word, too.
enum StateColor: Int, Sendable {
    case red = 31
    case green = 32
    case yellow = 33

    func painted(_ text: String, if isColored: Bool) -> String {
        isColored ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
    }
}
