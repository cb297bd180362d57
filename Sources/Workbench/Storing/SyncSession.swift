import Bluetooth
package import Bytes
import Emulation
package import PluginKit
import Profile

/// Syncs a plugin's client to a store: tracks its sessions with devices, its tasks, and the tasks that remain after a
/// lost connection.
package final class SyncSession {
    private let store: any RecordStore
    private let plugin: String
    private let transport: String
    /// The stimulus that makes a twin connectable.
    let wakeUp: String?
    /// State of the client's sessions, by session number.
    private var kept: [Int: Kept] = [:]
    /// Tasks not completed yet.
    private var remaining: [Stimulus]
    private var attempts = 0
    private var progress = ClientProgress()
    private var hasConnected: Bool { progress.hasConnected }
    /// The failure to write to the store; nothing is stored after it.
    package private(set) var fault: StoreFault?

    /// State of a session with a device.
    private struct Kept {
        /// The store's number of the session.
        var row: Int64
        /// The device's address; nil before it is connected.
        var device: String?
        /// Start of the current connection; nil without one.
        var connectionStart: Timestamp?
        var newRows = 0
        /// Commits waiting to be combined.
        var waiting: [[StoreChange]] = []
    }

    /// The devices connected to, each with its number of new rows.
    package var devices: [(address: String, newRows: Int)] {
        kept.sorted { $0.key < $1.key }.compactMap { _, kept in kept.device.map { ($0, kept.newRows) } }
    }

    /// Maximum number of times the tasks are started.
    private static let attemptLimit = 5
    /// Since the tasks were started: connections, and failed searches after the last connection.
    private var connections = 0
    private var searches = 0
    /// Failed searches tolerated after a connection; none are tolerated before the first one.
    private static let searchLimit = 3

    /// Whether the client runs until it is stopped.
    package let isContinuous: Bool
    /// Reminders to the user; nil for none.
    package var reminders: GatewayReminders?
    /// Changes committed for each device at the end.
    private let release: [StoreChange]

    package init(
        _ store: any RecordStore, plugin: String, transport: String, tasks: [Stimulus], wakeUp: String? = nil,
        isContinuous: Bool = false, release: [StoreChange] = []
    ) {
        self.isContinuous = isContinuous
        self.release = release
        self.store = store
        self.plugin = plugin
        self.transport = transport
        self.wakeUp = wakeUp
        remaining = tasks
    }

    var hasBegun: Bool { attempts > 0 }

    /// The client's next tasks once it is idle; nil to end.
    func nextTasks() -> [Stimulus]? {
        guard !isOver, !remaining.isEmpty, attempts < Self.attemptLimit, attempts == 0 || hasConnected else {
            return nil
        }
        attempts += 1
        return remaining
    }

    /// Whether no tasks are left.
    var isDone: Bool { remaining.isEmpty || isOver }

    /// Whether to end in any case: the client itself searches for a device as long as it has tasks.
    var isOver: Bool {
        if fault != nil || isContinuous { return fault != nil }
        return searches > (hasConnected ? Self.searchLimit : 0) || connections > Self.attemptLimit
    }

    /// Handles an event of one of the client's sessions; returns the input for the client.
    ///
    /// - Parameter isGathering: whether commits of a continuous client wait for `commitWaiting`.
    func take(
        _ event: EmulationEvent, _ client: ConnectedClient?, _ number: Int, isGathering: Bool = false,
        at now: Timestamp
    ) -> ConnectedClient.Input? {
        // A session that searches for a further device has nothing to store yet.
        if number > 0, client?.sessions[number].serverAddress == nil { return nil }
        do throws(StoreFault) {
            let row = try row(number, at: now)
            switch event {
            case .note(let note): try take(note, client, number, row, at: now)
            case .commit(let changes):
                if let fault { return .committed(.failure(fault), session: number) }
                if isGathering, isContinuous {
                    kept[number]?.waiting.append(changes)
                    return nil
                }
                return .committed(.success(try commit(changes, number, row, at: now)), session: number)
            default: break
            }
        } catch {
            fault = fault ?? error
            if case .commit = event { return .committed(.failure(error), session: number) }
        }
        return nil
    }

    /// Makes the waiting commits, those of a session in one transaction; returns the inputs for the client.
    func commitWaiting(at now: Timestamp) -> [ConnectedClient.Input] {
        kept.keys.sorted().flatMap { number -> [ConnectedClient.Input] in
            guard let kept = kept[number], !kept.waiting.isEmpty else { return [] }
            self.kept[number]?.waiting = []
            let outcome: Result<Int, StoreFault>
            do throws(StoreFault) {
                if let fault { throw fault }
                outcome = .success(try commit(kept.waiting.flatMap(\.self), number, kept.row, at: now))
            } catch {
                fault = fault ?? error
                outcome = .failure(error)
            }
            // The first result reports the new rows of all.
            let others = outcome.map { _ in 0 }
            return kept.waiting.indices.map { .committed($0 == 0 ? outcome : others, session: number) }
        }
    }

    private func commit(
        _ changes: [StoreChange], _ number: Int, _ row: Int64, at now: Timestamp
    ) throws(StoreFault) -> Int {
        let new = try store.commit(changes, session: row, at: now)
        kept[number]?.newRows += new
        return new
    }

    /// The store's number of a session, which is begun by its first event.
    private func row(_ number: Int, at now: Timestamp) throws(StoreFault) -> Int64 {
        if let row = kept[number]?.row { return row }
        let row = try store.beginSession(
            StoredSession(plugin: plugin, transport: transport, start: now, process: ProcessIdentity.own?.text))
        kept[number] = Kept(row: row)
        return row
    }

    private func take(
        _ note: TwinNote, _ client: ConnectedClient?, _ number: Int, _ row: Int64, at now: Timestamp
    ) throws(StoreFault) {
        progress.record(note)
        switch note.name {
        case "connected":
            guard case .text(let address)? = note.facts.first?.value else { break }
            searches = 0
            if hasBegun { connections += 1 }
            // Tasks that failed in an earlier connection are retried in this one.
            progress.removeFailures()
            kept[number]?.device = address
            kept[number]?.connectionStart = now
            try store.identify(session: row, address: address, name: client?.sessions[number].serverName, at: now)
        case "discovered":
            remaining += client?.sessions[number].addedTasks ?? []
            guard let peer = client?.sessions[number], let table = peer.serverTable else { break }
            let file = GATT.TableFile(devices: [.init(address: peer.serverAddress, table: table)])
            try store.keep(table: Value(file.json).json, session: row, at: now)
        case "disconnected": try endConnection(number, row, at: now)
        case "not_found": if hasBegun { searches += 1 }
        case let name where name.hasSuffix("_failed"): if !note.allowsRetry { end(String(name.dropLast(7))) }
        case let name: end(name.hasSuffix("_done") ? String(name.dropLast(5)) : name)
        }
    }

    /// Removes a task that was completed or cannot be.
    private func end(_ task: String) {
        remaining.removeAll { $0.name == task || $0.name.hasSuffix("_" + task) }
    }

    /// Stores the current connection of a session, if any, as ended.
    private func endConnection(_ number: Int, _ row: Int64, at now: Timestamp) throws(StoreFault) {
        guard let start = kept[number]?.connectionStart else { return }
        kept[number]?.connectionStart = nil
        try store.addConnection(session: row, start: start, end: now)
    }

    /// Ends the sessions; returns why tasks are left undone, nil if all are complete.
    package func end(at now: Timestamp) throws(StoreFault) -> String? {
        let problem = problem
        for (number, kept) in kept where fault == nil {
            try endConnection(number, kept.row, at: now)
            if kept.device != nil, !release.isEmpty { _ = try store.commit(release, session: kept.row, at: now) }
            try store.endSession(kept.row, outcome: problem ?? "complete", at: now)
        }
        if let fault { throw fault }
        return problem
    }

    private var problem: String? {
        if isContinuous { return hasConnected ? nil : "no device of \(plugin) was found" }
        if let (errand, reason) = progress.failure { return "\(errand): \(reason)" }
        guard let task = remaining.first else { return nil }
        return hasConnected
            ? "\(task.name): not done after \(max(connections, attempts)) connections"
            : "no device of \(plugin) was found"
    }

    /// Whether a device was connected.
    package var wasConnected: Bool { hasConnected }
}
