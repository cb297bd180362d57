import Bytes
import PluginKit

/// The reference client for developers of puck apps. It follows section 11.7 and the client rules, and runs one
/// procedure after another.
struct PuckApp: DeviceClient {
    private var dialect: Dialect
    private var session: AppSession
    private var phase = Phase.away
    /// Tasks that wait, in order. The dialect that they are performed in is known once a puck is connected.
    private var tasks: [WaitingTask] = []
    /// The task whose procedure is under way.
    private var current: WaitingTask?
    /// Whether the user wants to stay connected.
    private var isStaying = false
    private var lifecycle: AppLifecycle
    /// The schedule of a client that keeps the puck synced; nil for one with single tasks.
    private var schedule: SyncSchedule?
    /// When the client next connects, pings the puck, or leaves in the background.
    private var timer: Timestamp?

    private typealias WaitingTask = (kind: AppTask, amount: Double)

    private enum Phase: Sendable {
        case away
        case connecting
        /// A connection request is left with the system.
        case requested
        /// With the current procedure; nil between procedures.
        case connected((any AppProcedure)?)
        /// The client has requested the disconnection.
        case leaving

        var isAway: Bool { if case .away = self { true } else { false } }
    }

    /// A puck sleeps after 30 s.
    private static let pingPeriod = Duration.seconds(25)
    /// Maximum number of waiting tasks; further ones are refused.
    private static let taskLimit = 100

    /// - Parameter seed: of the phase in which the phone's system looks for the puck.
    init(_ dialect: Dialect, seed: UInt64 = 1) throws(TwinFault) {
        self.dialect = dialect
        lifecycle = AppLifecycle(seed: seed)
        session = AppSession(try PuckWire())
    }

    mutating func select(dialect: String) {
        self.dialect = Dialect(rawValue: dialect) ?? self.dialect
    }

    var deadline: Timestamp? {
        guard case .connected(let procedure?) = phase else { return timer }
        return [procedure.deadline, timer].compactMap(\.self).min()
    }

    private var isConnected: Bool { if case .connected = phase { true } else { false } }

    private var isCalibrating: Bool {
        if case .connected(let procedure) = phase { procedure is AppCalibrationProcedure } else { false }
    }

    /// Distinct drinks received from this puck.
    var drinkCount: Int { session.drinks.count }

    mutating func handle(_ input: ClientInput, at now: Timestamp) -> [ClientAction] {
        switch input {
        case .task(let task): return take(task, at: now)
        case .connected(let capacity):
            let notes = isConnected ? [] : lifecycle.reportReconnection(restoring: "connection_request")
            beginAnew()
            session.begin(capacity: capacity)
            schedule?.connected()
            return notes + begin(Introduction(dialect: dialect), at: now)
        case .disconnected: return lose(at: now)
        case .time where timer.map { now >= $0 } ?? false:
            timer = nil
            return ring(at: now) + route(.time, at: now)
        case .read, .written, .notified, .committed, .time: return route(input, at: now)
        }
    }

    // MARK: - User tasks

    private mutating func take(_ task: Stimulus, at now: Timestamp) -> [ClientAction] {
        guard let (kind, amount) = task.ofApp else { return [] }
        switch kind {
        case .connect: isStaying = true
        // Every connection starts with a sync anyway.
        case .sync where !isConnected: break
        case .keepSynced:
            if schedule != nil { return [] }
            schedule = SyncSchedule()
        case .disconnect:
            isStaying = false
            tasks.removeAll()
            if case .connected(nil) = phase { return leave() }
            return []
        case .foreground, .launch: return activate(at: now)
        case .background: return enterBackground(at: now)
        case .terminate:
            tasks.removeAll()
            (schedule, timer) = (nil, nil)
            lifecycle.terminate()
            return phase.isAway ? [] : leave()
        case .systemTerminate: return evict(at: now)
        case .cancelCalibration where isCalibrating:
            // The state that the puck notifies ends the calibration procedure.
            return [AppCalibrationProcedure.cancel(dialect, session)]
        default:
            guard tasks.count < Self.taskLimit else {
                return [TwinNote.failure(of: kind.rawValue, "\(Self.taskLimit) tasks are waiting")]
            }
            tasks.append((kind, amount))
        }
        switch phase {
        case .away: return connect(at: now)
        // An app that is not running does its tasks once it is.
        case .connected(nil) where !lifecycle.isEvicted: return goOn(at: now)
        case .connecting, .requested, .connected, .leaving: return []
        }
    }

    // MARK: - Foreground and background

    /// Looks for the puck at once, unless connected.
    private mutating func activate(at now: Timestamp) -> [ClientAction] {
        let wasEvicted = lifecycle.isEvicted
        lifecycle.activate(at: now)
        switch phase {
        case .away: timer = now + AppLifecycle.activationDelay
        case .connected(nil) where wasEvicted: return restore(at: now)
        case .connected(nil): timer = now
        case .requested: return [.disconnect]
        case .connecting, .connected, .leaving: break
        }
        return []
    }

    private mutating func enterBackground(at now: Timestamp) -> [ClientAction] {
        lifecycle.enterBackground()
        switch phase {
        case .away: return connect(at: now)
        case .connecting, .requested: return [.disconnect]
        case .connected, .leaving: timer = now + AppLifecycle.backgroundDelay
        }
        return []
    }

    /// Ends the app as the system does with one in the background. The system keeps its connection, whose next
    /// notification relaunches the app, or a connection request.
    private mutating func evict(at now: Timestamp) -> [ClientAction] {
        lifecycle.evict()
        tasks.removeAll()
        (current, schedule, timer) = (nil, nil, nil)
        switch phase {
        case .away: return connect(at: now)
        case .connecting, .requested: return [.disconnect]
        case .connected: phase = .connected(nil)
        case .leaving: break
        }
        return []
    }

    /// Begins anew on the connection that the system has kept for the app.
    private mutating func restore(at now: Timestamp) -> [ClientAction] {
        let notes = lifecycle.reportReconnection(restoring: "connection")
        session.begin(capacity: session.capacity)
        return notes + begin(Introduction(dialect: dialect), at: now)
    }

    // MARK: - The connection

    /// After a change of the puck's attributes within the connection, the task that was under way comes first again.
    private mutating func beginAnew() {
        if let current { tasks.insert(current, at: 0) }
        current = nil
        if isConnected, lifecycle.isActive { timer = nil }
    }

    private mutating func connect(at now: Timestamp) -> [ClientAction] {
        phase = lifecycle.isInBackground ? .requested : .connecting
        timer = nil
        return [schedule == nil ? lifecycle.search(at: now) : .search(SyncSchedule.searchTime)]
    }

    private mutating func leave() -> [ClientAction] {
        phase = .leaving
        timer = nil
        return [.disconnect]
    }

    /// Handles the loss of the connection: the puck went to sleep, or the client disconnected.
    private mutating func lose(at now: Timestamp) -> [ClientAction] {
        var actions: [ClientAction] = []
        if case .connected(let procedure?) = phase {
            actions.append(TwinNote.failure(of: procedure.name, "the connection was lost"))
        }
        let wasConnecting = if case .connecting = phase { true } else { false }
        (phase, current) = (.away, nil)
        if lifecycle.isInBackground { return actions + connect(at: now) }
        let pause =
            schedule?.pause(afterConnection: !wasConnecting)
            ?? lifecycle.reconnectionPause(wantsConnection: isStaying || !tasks.isEmpty, at: now)
        timer = pause.map { now + $0 }
        return actions
    }

    /// Handles the timer: connects, keeps the puck awake, or leaves in the background.
    private mutating func ring(at now: Timestamp) -> [ClientAction] {
        switch phase {
        case .away: return connect(at: now)
        case .connecting, .requested, .leaving: return []
        case .connected(let procedure) where schedule != nil && !isStaying: return procedure == nil ? leave() : []
        case .connected where !lifecycle.isActive:
            tasks.removeAll()
            return leave()
        case .connected:
            timer = now + Self.pingPeriod
            return dialect == .shipped ? [session.command(.ping)] : []
        }
    }

    // MARK: - Procedures

    private mutating func begin(_ procedure: some AppProcedure, at now: Timestamp) -> [ClientAction] {
        var procedure = procedure
        let step = procedure.begin(at: now, &session)
        return follow(step, of: procedure, at: now)
    }

    private mutating func route(_ input: ClientInput, at now: Timestamp) -> [ClientAction] {
        guard case .connected(let procedure) = phase else { return [] }
        if lifecycle.isEvicted {
            guard case .notified = input else { return [] }
            return restore(at: now)
        }
        session.learnOffset(from: input, at: now)
        if var procedure {
            let step = procedure.take(input, at: now, &session)
            return follow(step, of: procedure, at: now)
        }
        // Fetch drinks that came in the meantime.
        if input.value(updateOf: .drinkHistory) != nil { return begin(PRDSyncProcedure(), at: now) }
        guard dialect == .shipped, let bytes = input.value(updateOf: .currentState),
            let state = session.wire.value(of: bytes, as: .currentState, CurrentState.self),
            state.unsynced > session.ghosts
        else { return [] }
        return begin(SyncProcedure(), at: now)
    }

    private mutating func follow(_ step: ProcedureStep, of procedure: any AppProcedure, at now: Timestamp)
        -> [ClientAction]
    {
        switch step {
        case .goOn(let actions):
            phase = .connected(procedure)
            return actions
        case .done(let actions):
            (phase, current) = (.connected(nil), nil)
            schedule?.record(actions, at: now)
            if procedure.endsConnection { return actions + leave() }
            if procedure is Introduction { return actions + introduced(at: now) }
            return actions + goOn(at: now)
        }
    }

    /// Fetches the records waiting on the puck first.
    private mutating func introduced(at now: Timestamp) -> [ClientAction] {
        dialect == .shipped ? begin(SyncProcedure(), at: now) : begin(PRDSyncProcedure(), at: now)
    }

    private mutating func goOn(at now: Timestamp) -> [ClientAction] {
        if !tasks.isEmpty {
            let task = tasks.removeFirst()
            guard let procedure = task.kind.procedure(task.amount, dialect) else {
                return [.event(.unsupported(task.kind.rawValue, dialect: dialect.rawValue))] + goOn(at: now)
            }
            current = task
            return begin(procedure, at: now)
        }
        if let procedure = schedule?.nextProcedure(dialect, at: now) {
            return begin(procedure, at: now)
        }
        if !lifecycle.isActive {
            // The system has connected: the app does its work and leaves when nothing more comes.
            timer = timer ?? now + AppLifecycle.idleTime
            return []
        }
        if schedule != nil, !isStaying {
            timer = now + SyncSchedule.stay
            return []
        }
        guard isStaying else { return leave() }
        timer = now + Self.pingPeriod
        return []
    }
}
