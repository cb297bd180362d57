import Bytes
import PluginKit

/// When a client that keeps a puck synced connects to it (section 10.3 and plan 028).
///
/// The client waits for advertisements: a puck advertises while it is awake, which after a drink is 4 min. A connection
/// alone does not keep the puck awake, so the client stays for the drink that the puck woke up for. A sync restarts the
/// sleep timers; afterwards the client leaves the puck alone for longer than these: 30 s, or 3 min if the puck is carried
/// about.
struct SyncSchedule: Sendable {
    /// Records of the last sync of this connection; nil before the first one.
    private var fetched: Int?
    /// Connections without a sync since the last one with a sync.
    private var failures = 0
    /// When activity was last fetched; nil before the first time.
    private var activityTime: Timestamp?
    /// Whether activity was requested in this connection.
    private var hasAskedForActivity = false

    /// Duration of a search; the next one follows.
    static let searchTime = Duration.seconds(3600)
    /// Pauses after a sync that fetched drinks, and after one that fetched none.
    static let pauseAfterDrinks = Duration.seconds(60)
    static let pauseAfterNothing = Duration.seconds(200)
    /// Time connected after a sync, shorter than the puck's sleep timer.
    static let stay = Duration.seconds(25)
    /// Pause after a search, and after the first connection without a sync; each further one doubles it, up to
    /// `doublings` times.
    private static let retryDelay = Duration.seconds(3)
    private static let doublings = 6
    private static let activityPeriod = Duration.seconds(3600)

    mutating func connected() {
        (fetched, hasAskedForActivity) = (nil, false)
    }

    /// Records the outcome of procedures in the client's actions.
    mutating func record(_ actions: [ClientAction], at now: Timestamp) {
        for case .event(let note) in actions {
            switch note.name {
            case "sync_done":
                guard case .number(let records)? = note.facts.first?.value else { break }
                fetched = max(fetched ?? 0, records)
            case "activity": activityTime = now
            default: break
            }
        }
    }

    /// The procedure that follows a sync; nil for none.
    mutating func nextProcedure(_ dialect: Dialect, at now: Timestamp) -> (any AppProcedure)? {
        guard fetched != nil, !hasAskedForActivity,
            activityTime.map({ now - $0 >= Self.activityPeriod }) ?? true
        else { return nil }
        hasAskedForActivity = true
        return AppTask.fetchActivity.procedure(0, dialect)
    }

    /// Pause until the next search, after a search or a connection attempt has ended, or a connection.
    mutating func pause(afterConnection wasConnected: Bool) -> Duration {
        guard wasConnected else { return Self.retryDelay }
        guard let fetched else {
            failures += 1
            return Self.retryDelay * (1 << min(failures - 1, Self.doublings))
        }
        failures = 0
        return fetched > 0 ? Self.pauseAfterDrinks : Self.pauseAfterNothing
    }
}
