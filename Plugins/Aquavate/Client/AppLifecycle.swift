import Bytes
import PluginKit

/// The app's state in the phone's system and its reconnection timers (plan 028 and section 11.4).
///
/// In the foreground the app looks for the puck itself. In the background it leaves a connection request with the
/// system, and does not scan.
struct AppLifecycle: Sendable {
    private enum State: Sendable {
        case foreground, background
        /// The user has ended the app.
        case terminated
        /// The system has ended the app in the background, and keeps its connection or its connection request.
        case evicted
    }

    private var state = State.foreground
    /// Start of the scan burst.
    private var burstStart: Timestamp?
    /// Draws the phase of the system's looks.
    private var random: SplitMix64

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    /// Delay from the activation of the app to its scan burst.
    static let activationDelay = Duration.milliseconds(500)
    /// Duration of the scan burst after an activation.
    private static let burst = Duration.seconds(5)
    /// Delay from a lost connection to the next attempt.
    private static let retryDelay = Duration.seconds(3)
    /// Delay from entering the background to the end of the connection.
    static let backgroundDelay = Duration.seconds(5)
    /// Idle time after which a connection in the background ends.
    static let idleTime = Duration.seconds(60)

    /// Duration of a look of the system: a puck advertises every 1 to 1.01 s.
    private static let look = Duration.milliseconds(1100)
    /// Period and number of looks for an app in the background. Five looks span 38.9 s at least: longer than the 36 s
    /// for which a puck without unsynced drinks advertises after it was moved. They end 51.1 s after the first
    /// advertisement at the latest, within the 60 s of the plan.
    private static let backgroundLooks = (period: Duration.seconds(10), count: 5)
    /// Period and number of looks for an app that is not running: 58.9 to 91.1 s, of the plan's 30 to 120 s.
    private static let evictedLooks = (period: Duration.seconds(30), count: 3)

    var isActive: Bool { state == .foreground }
    /// Whether the system reconnects.
    var isInBackground: Bool { state == .background || state == .evicted }
    var isEvicted: Bool { state == .evicted }

    mutating func activate(at now: Timestamp) {
        state = .foreground
        burstStart = now + Self.activationDelay
    }

    mutating func enterBackground() {
        state = .background
        burstStart = nil
    }

    mutating func terminate() {
        state = .terminated
        burstStart = nil
    }

    mutating func evict() {
        state = .evicted
        burstStart = nil
    }

    /// Reports a connection that the system has made, or kept, for an app in the background: it relaunches an app that
    /// it has ended, and gives it its state back. Nothing in any other state.
    mutating func reportReconnection(restoring part: String) -> [ClientAction] {
        guard isInBackground else { return [] }
        let relaunch = isEvicted ? [ClientAction.event(TwinNote("relaunched", ["restored": .text(part)]))] : []
        state = .background
        return relaunch + [.event(TwinNote("reconnected", ["in": .text("background")]))]
    }

    /// The action that looks for the puck in the current state.
    mutating func search(at now: Timestamp) -> ClientAction {
        switch state {
        case .background: request(Self.backgroundLooks)
        case .evicted: request(Self.evictedLooks)
        case .foreground, .terminated:
            if let burstEnd = burstStart.map({ $0 + Self.burst }), burstEnd > now {
                .search(burstEnd - now)
            } else {
                .connect
            }
        }
    }

    /// The system's looks are not aligned with the request.
    private mutating func request(_ looks: (period: Duration, count: Int)) -> ClientAction {
        let phase = Double.random(in: 0..<1, using: &random)
        return .requestConnection(
            SystemSearch(period: looks.period, window: Self.look, looks: looks.count, delay: looks.period * phase))
    }

    /// Delay until the app's next search after a connection, or an attempt, has ended; nil for no search.
    func reconnectionPause(wantsConnection: Bool, at now: Timestamp) -> Duration? {
        switch state {
        case .foreground:
            // A connection attempt of the system may have been under way when the burst began.
            if let burstStart, burstStart + Self.burst > now { return max(burstStart - now, .zero) }
            return wantsConnection ? Self.retryDelay : nil
        case .background, .evicted, .terminated: return nil
        }
    }
}
