import Bytes
import PluginKit

/// Whether the app is in the foreground, and how it comes back to the puck: the timers of plan 028 and of section 11.4.
///
/// In the background it is the system that looks for the puck, now and then and for a moment; it finds a puck after up to a
/// minute.
struct AppLifecycle: Sendable {
    private enum State: Sendable { case foreground, background, terminated }

    private var state = State.foreground
    /// Until when the scan burst goes on.
    private var burstEnd: Timestamp?

    /// From the activation of the app to its scan burst.
    static let activationDelay = Duration.milliseconds(500)
    /// How long the app looks for the puck when it was activated.
    private static let burst = Duration.seconds(5)
    /// From a lost connection to the next attempt.
    private static let retryDelay = Duration.seconds(3)
    /// From the background to the end of the connection.
    static let backgroundDelay = Duration.seconds(5)
    /// How often the system looks for the puck, and for how long.
    static let systemScanPeriod = Duration.seconds(30)
    private static let systemScan = Duration.seconds(2)
    /// How long a connection in the background lasts without anything to do.
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

    /// How the puck is looked for now.
    func search(at now: Timestamp) -> ClientAction {
        if let burstEnd, burstEnd > now { return .search(burstEnd - now) }
        return isActive ? .connect : .search(Self.systemScan)
    }

    /// When the puck is looked for again after a connection, or an attempt, has ended; nil for not at all.
    func reconnectionPause(wantsConnection: Bool, at now: Timestamp) -> Duration? {
        switch state {
        case .foreground:
            // An attempt of the system may have been under way when the burst began.
            if let burstEnd, burstEnd > now { return .zero }
            return wantsConnection ? Self.retryDelay : nil
        case .background: return Self.systemScanPeriod
        case .terminated: return nil
        }
    }
}
