import Bluetooth
package import Bytes
import Emulation
package import PluginKit
import Profile

/// A plugin's client whose records are kept in a store: its sessions with its devices, its tasks, and those that are left to
/// do after a lost connection.
package final class SyncSession {
    private let store: any RecordStore
    private let plugin: String
    private let transport: String
    /// What makes a twin reachable.
    let wakeUp: String?
    /// What is kept in each of the client's sessions, by its number.
    private var kept: [Int: Kept] = [:]
    /// Tasks that are not done.
    private var remaining: [Stimulus]
    private var attempts = 0
    private var progress = ClientProgress()
    private var hasConnected: Bool { progress.hasConnected }
    /// Why the store could not be written; nothing goes on after that.
    package private(set) var fault: StoreFault?

    /// What is kept in a session with a device.
    private struct Kept {
        /// The session's row.
        var row: Int64
        /// The address of the device; nil before it is connected.
        var device: String?
        var newRows = 0
        /// Commits that wait to be made together.
        var waiting: [[StoreChange]] = []
    }

    /// The devices that were reached, with the rows of each that are new in the store.
    package var devices: [(address: String, newRows: Int)] {
        kept.sorted { $0.key < $1.key }.compactMap { _, kept in kept.device.map { ($0, kept.newRows) } }
    }

    /// How often tasks are begun in all.
    private static let attemptLimit = 5
    /// Since the tasks were begun: connections, and searches in vain after the last one.
    private var connections = 0
    private var searches = 0
    /// Searches in vain that may follow a connection; before the first there may be none.
    private static let searchLimit = 3

    /// Whether it goes on until it is stopped.
    package let isContinuous: Bool
    /// What is changed for the device at the end.
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

    /// What the client is to do next, when it has nothing to do; nil to end.
    func nextTasks() -> [Stimulus]? {
        guard !isOver, !remaining.isEmpty, attempts < Self.attemptLimit, attempts == 0 || hasConnected else {
            return nil
        }
        attempts += 1
        return remaining
    }

    /// Whether nothing is left to do.
    var isDone: Bool { remaining.isEmpty || isOver }

    /// Whether to end whatever the client wants: it looks for a device as long as it has something to do.
    var isOver: Bool {
        if fault != nil || isContinuous { return fault != nil }
        return searches > (hasConnected ? Self.searchLimit : 0) || connections > Self.attemptLimit
    }

    /// Takes an event of one of the client's sessions; returns what to tell it.
    ///
    /// - Parameter isGathering: whether commits of a client that goes on until it is stopped wait for `commitWaiting`.
    func take(
        _ event: EmulationEvent, _ client: ConnectedClient?, _ number: Int, isGathering: Bool = false,
        at now: Timestamp
    ) -> ConnectedClient.Input? {
        // Whoever looks for a further device has none to keep anything of.
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

    /// Makes the commits that wait, those of a session in one transaction; returns what to tell the client.
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
            // The first one is told the new rows of all.
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

    /// The row of a session, which its first event begins.
    private func row(_ number: Int, at now: Timestamp) throws(StoreFault) -> Int64 {
        if let row = kept[number]?.row { return row }
        let row = try store.beginSession(StoredSession(plugin: plugin, transport: transport, start: now))
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
            // What failed in an earlier connection is tried again in this one.
            progress.removeFailures()
            kept[number]?.device = address
            try store.identify(session: row, address: address, name: client?.sessions[number].serverName, at: now)
        case "discovered":
            guard let peer = client?.sessions[number], let table = peer.serverTable else { break }
            let file = GATT.TableFile(devices: [.init(address: peer.serverAddress, table: table)])
            try store.keep(table: Value(file.json).json, session: row, at: now)
        case "not_found": if hasBegun { searches += 1 }
        case let name where name.hasSuffix("_failed"): break
        case let name:
            let errand = name.hasSuffix("_done") ? String(name.dropLast(5)) : name
            remaining.removeAll { $0.name == errand || $0.name.hasSuffix("_" + errand) }
        }
    }

    /// Ends the sessions; returns what is left undone and why, nil where nothing is.
    package func end(at now: Timestamp) throws(StoreFault) -> String? {
        let problem = problem
        for kept in kept.values where fault == nil {
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

    /// Whether a device was reached.
    package var wasConnected: Bool { hasConnected }
}
