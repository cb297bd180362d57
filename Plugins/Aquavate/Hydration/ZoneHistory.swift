import Bytes
import PluginKit

/// The user's time zone over time: the one in which each drink was drunk is in force from that drink until the next one
/// with another zone; the first also before.
struct ZoneHistory: Hashable, Sendable {
    struct Change: Hashable, Sendable {
        /// Seconds since 1970.
        var time: Int64
        var zone: TimeZoneTable
    }

    /// At least one, oldest first; neighbours have different clocks.
    private var changes: [Change]
    /// The local time of all zones together: a change of the zone is a transition. Its name is that of the last zone.
    private(set) var table: TimeZoneTable

    /// One zone for all times.
    init(_ zone: TimeZoneTable) {
        changes = [Change(time: .min, zone: zone)]
        table = zone
    }

    /// The zones of drinks.
    ///
    /// - Parameters:
    ///   - local: the zone from `now` on, and of drinks without one.
    ///   - find: looks up a zone by name; nil for an unknown one.
    init(_ drinks: [Drink], local: TimeZoneTable, now: Int64, find: (String) -> TimeZoneTable?) {
        var known: [String: TimeZoneTable] = [:]
        var times: [Change] = []
        for drink in drinks.filter({ $0.time > 0 && $0.time < now }).sorted(by: { $0.time < $1.time }) {
            var zone = local
            if let name = drink.zone {
                zone = known[name] ?? find(name) ?? local
                known[name] = zone
            }
            times.append(Change(time: drink.time, zone: zone))
        }
        times.append(Change(time: now, zone: local))
        self.init(times[0].zone)
        for next in times.dropFirst() { append(next) }
    }

    private mutating func append(_ next: Change) {
        guard let last = changes.last, !last.zone.hasSameClock(as: next.zone) else { return }
        table.transitions.removeAll { $0.time >= next.time }
        table.transitions.append(.init(time: next.time, offset: next.zone.offset(at: next.time)))
        table.transitions += next.zone.transitions.filter { $0.time > next.time }
        table.name = next.zone.name
        changes.append(next)
    }

    /// Name of the zone in force at a time.
    func name(at time: Int64) -> String { (changes.last { $0.time <= time } ?? changes[0]).zone.name }

    /// The zones in force between two times, oldest first.
    func changes(from start: Int64, to end: Int64) -> [Change] {
        let first = changes.lastIndex { $0.time <= start } ?? 0
        return changes[first...].filter { $0.time < end }
    }

    /// The end of a day: where a flight to the west repeats its last hours, the end of the repetition.
    func end(of day: CivilDate) -> Int64 {
        let midnight = (day.daysSince1970 + 1) * 86_400
        let end = table.time(ofLocal: midnight)
        let later = changes.dropFirst().last {
            $0.time >= end && $0.time < end + 2 * 86_400 && table.local($0.time) < midnight
        }
        return later.map { midnight - table.offset(at: $0.time) } ?? end
    }
}

extension TimeZoneTable {
    /// Whether two zones show the same local time at all times; one zone may have several names.
    fileprivate func hasSameClock(as other: Self) -> Bool {
        initialOffset == other.initialOffset && transitions == other.transitions
    }
}
