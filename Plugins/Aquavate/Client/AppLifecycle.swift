import Bytes
import PluginKit

/// The app's foreground state and its reconnection timers (plan 028 and section 11.4).
///
/// In the background, the system scans for the puck, briefly and at intervals. Finding a puck can take up to a minute.
struct AppLifecycle: Sendable {
    private enum State: Sendable { case foreground, background, terminated }

    private var state = State.foreground
    /// End of the scan burst.
    private var burstEnd: Timestamp?

    /// Delay from the activation of the app to its scan burst.
    static let activationDelay = Duration.milliseconds(500)
    /// Duration of the scan burst after an activation.
    private static let burst = Duration.seconds(5)
    /// Delay from a lost connection to the next attempt.
    private static let retryDelay = Duration.seconds(3)
    /// Delay from entering the background to the end of the connection.
    static let backgroundDelay = Duration.seconds(5)
    /// Period and duration of the system's scans.
    static let systemScanPeriod = Duration.seconds(30)
    private static let systemScan = Duration.seconds(2)
    /// Idle time after which a connection in the background ends.
    static let idleTime = Duration.seconds(60)

    var isActive: Bool { state == .foreground }

    mutating func activate(at now: Timestamp) {
        state = .foreground
        burstEnd = now + Self.activationDelay + Self.burst
    }

    mutating func enterBackground() {
        state = .background
        burstEnd = nil
    }

    mutating func terminate() {
        state = .terminated
        burstEnd = nil
    }

    /// The action that looks for the puck in the current state.
    func search(at now: Timestamp) -> ClientAction {
        if let burstEnd, burstEnd > now { return .search(burstEnd - now) }
        return isActive ? .connect : .search(Self.systemScan)
    }

    /// Delay until the next search after a connection, or an attempt, has ended; nil for no search.
    func reconnectionPause(wantsConnection: Bool, at now: Timestamp) -> Duration? {
        switch state {
        case .foreground:
            // A connection attempt of the system may have been under way when the burst began.
            if let burstEnd, burstEnd > now { return .zero }
            return wantsConnection ? Self.retryDelay : nil
        case .background: return Self.systemScanPeriod
        case .terminated: return nil
        }
    }
}
