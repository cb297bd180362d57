import PluginKit
import Profile
import Store
import Workbench

/// The way of a store's rows to one destination.
///
/// The position in the store names the batch before it is sent, so that after a crash the same rows are sent again, and moves
/// on after it is confirmed.
struct Delivery<D: Destination> {
    private let options: PublishOptions
    private let destination: D
    private let store: SQLiteStore
    /// The last row before each batch that was confirmed lately, and when it was: where publishing begins again when a
    /// connection is lost.
    private var recent: [(start: Int64, time: ContinuousClock.Instant)] = []
    private var total = 0
    /// The present state that was published last, and when it was looked at.
    private var states: [String: [Record]] = [:]
    private var stateTime = ContinuousClock.now

    /// How often the store is asked whether there is something new.
    private static var pollTime: Duration { .milliseconds(250) }

    /// A batch on its way.
    private struct Outgoing {
        var start: Int64
        var last: Int64
        var content: PublishedBatch
        var message: D.Message
    }

    init(_ options: PublishOptions, _ destination: D) throws(StoreFault) {
        self.options = options
        self.destination = destination
        store = try SQLiteStore.open(path: options.store, schema: options.schema)
    }

    private var table: String { options.publication.table }

    /// Publishes until all is published, if the options say so, or until it is cancelled; throws `PublishFault` when no
    /// further attempt can help or may be made.
    mutating func run(_ tell: (PublishEvent) -> Void) async throws {
        var delay = RetryDelay()
        var attempts = 0
        do {
            while true {
                try Task.checkCancellation()
                do throws(DeliveryFailure) {
                    let wait = try await proceed(tell)
                    attempts = 0
                    delay.reset()
                    guard let wait else { break }
                    try? await Task.sleep(for: wait)
                } catch {
                    try Task.checkCancellation()
                    attempts += 1
                    let reason = destination.secrets.redacted(error.reason)
                    if error.isPermanent || attempts == options.attempts {
                        throw PublishFault("\(destination.name): \(reason)")
                    }
                    if error.isConnectionLost { try goBack() }
                    let wait = max(delay.next(), error.retryAfter ?? .zero)
                    tell(.failed(destination: destination.name, reason: reason, wait: wait))
                    try await Task.sleep(for: wait)
                }
            }
        } catch {
            await destination.close()
            throw error
        }
        await destination.close()
    }

    /// Sends the next batch, where there is one; returns how long to wait then, nil where all is published and that is the end.
    private mutating func proceed(_ tell: (PublishEvent) -> Void) async throws(DeliveryFailure) -> Duration? {
        guard let batch = try next() else {
            if options.endsWhenDone { return nil }
            try await publishState(tell)
            try await destination.rest()
            return Self.pollTime
        }
        try await send(batch.message, tell)
        do {
            try store.confirm(through: batch.last, of: destination.name, in: table)
        } catch {
            throw DeliveryFailure("\(error)")
        }
        let now = ContinuousClock.now
        recent = recent.filter { now - $0.time <= destination.doubtTime } + [(batch.start, now)]
        (states, stateTime) = (batch.content.states, now)
        let count = batch.content.rows.count
        total += count
        tell(.published(destination: destination.name, rows: count, total: total))
        return count < options.batchSize && !options.endsWhenDone ? destination.interval : .zero
    }

    /// Publishes the present state where it has changed without a row, as when a device is not heard any longer.
    private mutating func publishState(_ tell: (PublishEvent) -> Void) async throws(DeliveryFailure) {
        let now = ContinuousClock.now
        guard now - stateTime >= options.stateInterval else { return }
        stateTime = now
        let present = try presentStates()
        if present == states { return }
        let batch = PublishedBatch(rows: [], states: present, settings: options.settings)
        guard let message = destination.encode(batch, of: options.publication) else { return }
        try await send(message, tell)
        states = present
    }

    private func presentStates() throws(DeliveryFailure) -> [String: [Record]] {
        do {
            var states: [String: [Record]] = [:]
            for table in options.publication.stateTables { states[table] = try store.rows(of: table) }
            return states
        } catch {
            throw DeliveryFailure("\(error)")
        }
    }

    private func send(_ message: D.Message, _ tell: (PublishEvent) -> Void) async throws(DeliveryFailure) {
        for path in try await destination.send(message) {
            tell(.conflict(destination: destination.name, document: path))
        }
    }

    /// The rows that are on their way, or the next ones, which then are; nil where all are published.
    private func next() throws(DeliveryFailure) -> Outgoing? {
        do {
            var position = try store.position(of: destination.name, in: table)
            let limit = position.pending == nil ? options.batchSize : Int.max
            var rows = try store.rows(of: table, after: position.confirmed, through: position.pending, limit: limit)
            if rows.isEmpty, position.pending != nil {
                // They were deleted.
                rows = try store.rows(of: table, after: position.confirmed, limit: options.batchSize)
            }
            guard !rows.isEmpty else { return nil }
            var batch = PublishedBatch(rows: rows, states: try presentStates(), settings: options.settings)
            while true {
                guard let last = batch.rows.last?.integer("id") else { return nil }
                if let message = destination.encode(batch, of: options.publication) {
                    if position.pending != last {
                        position.pending = last
                        try store.setPosition(position, of: destination.name, in: table)
                    }
                    return Outgoing(start: position.confirmed, last: last, content: batch, message: message)
                }
                guard batch.rows.count > 1 else {
                    throw DeliveryFailure(
                        "row \(last) of \(table) is larger than a request may be", isPermanent: true)
                }
                batch.rows.removeLast(batch.rows.count / 2)
            }
        } catch let failure as DeliveryFailure {
            throw failure
        } catch {
            throw DeliveryFailure("\(error)")
        }
    }

    /// Puts the position back to what was confirmed before the time that is in doubt.
    private mutating func goBack() throws {
        let now = ContinuousClock.now
        let start = recent.filter { now - $0.time <= destination.doubtTime }.map(\.start).min()
        recent.removeAll()
        guard let start else { return }
        let position = try store.position(of: destination.name, in: table)
        if start < position.confirmed {
            try store.setPosition(PublishingPosition(confirmed: start), of: destination.name, in: table)
        }
    }
}
