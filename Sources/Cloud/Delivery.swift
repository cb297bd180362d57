import PluginKit
import Profile
import Store
import Workbench

/// Delivers a store's rows to one destination.
///
/// The position in the store names the batch before it is sent, so that the same rows are sent again after a crash. It
/// advances after the batch is confirmed.
struct Delivery<D: Destination> {
    private let options: PublishOptions
    private let destination: D
    private let store: SQLiteStore
    /// The position before each recently confirmed batch, with the time of confirmation: publishing restarts there
    /// after a lost connection.
    private var recent: [(start: Int64, time: ContinuousClock.Instant)] = []
    private var total = 0
    /// The current state as last published, and the time of the last comparison.
    private var states: [String: [Record]] = [:]
    private var stateTime = ContinuousClock.now
    /// The current state for the batches of a backlog, with the last row and the time when it was read.
    private var backlog: (states: [String: [Record]], last: Int64, time: ContinuousClock.Instant)?

    /// Interval at which the store is polled for new rows.
    private static var pollTime: Duration { .milliseconds(250) }

    /// A batch in flight.
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

    /// Publishes until all is published, if the options say so, or until it is cancelled; throws `PublishFault` for a
    /// permanent failure, or when no attempts are left.
    mutating func run(_ notify: (PublishEvent) -> Void) async throws {
        var delay = RetryDelay()
        var attempts = 0
        do {
            while true {
                try Task.checkCancellation()
                do throws(DeliveryFailure) {
                    let wait = try await proceed(notify)
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
                    notify(.failed(destination: destination.name, reason: reason, wait: wait))
                    try await Task.sleep(for: wait)
                }
            }
        } catch {
            await destination.close()
            throw error
        }
        await destination.close()
    }

    /// Sends the next batch, if there is one; returns the time to wait after it, or nil if all is published and the
    /// options end there.
    private mutating func proceed(_ notify: (PublishEvent) -> Void) async throws(DeliveryFailure) -> Duration? {
        guard let batch = try next() else {
            if options.endsWhenDone { return nil }
            try await publishState(notify)
            try await destination.rest()
            return Self.pollTime
        }
        try await send(batch.message, notify)
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
        notify(.published(destination: destination.name, rows: count, total: total))
        return count < options.batchSize && !options.endsWhenDone ? destination.interval : .zero
    }

    /// Publishes the current state if it has changed without new rows, for example because a device is out of range.
    private mutating func publishState(_ notify: (PublishEvent) -> Void) async throws(DeliveryFailure) {
        let now = ContinuousClock.now
        guard !options.isEntriesOnly, now - stateTime >= options.stateInterval else { return }
        stateTime = now
        let present = try presentStates()
        if present == states { return }
        let batch = PublishedBatch(rows: [], states: present, settings: options.settings)
        guard let message = destination.encode(batch, of: options.publication) else { return }
        try await send(message, notify)
        states = present
    }

    /// The current state for a batch. The full batches of a backlog share one as long as no row is added, because a
    /// day's entries are counted for it.
    private mutating func batchStates(for rows: [Record]) throws(DeliveryFailure) -> [String: [Record]] {
        let last: Int64
        do {
            last = try store.lastID(of: table)
        } catch {
            throw DeliveryFailure("\(error)")
        }
        let now = ContinuousClock.now
        if let backlog, rows.count >= options.batchSize, backlog.last == last,
            now - backlog.time < options.stateInterval
        {
            return backlog.states
        }
        let states = try presentStates()
        backlog = (states, last, now)
        return states
    }

    private func presentStates() throws(DeliveryFailure) -> [String: [Record]] {
        do {
            var input = options.makeInput()
            for table in options.publication.stateTables { input.rows[table] = try store.rows(of: table) }
            input.forEachRow = { [store] query, body throws(CommandError) in
                do {
                    try store.forEachRow(of: query, body)
                } catch {
                    throw .unreadable("\(error)")
                }
            }
            return try options.publication.states(input)
        } catch CommandError.unreadable(let reason), CommandError.usage(let reason) {
            throw DeliveryFailure(reason)
        } catch {
            throw DeliveryFailure("\(error)")
        }
    }

    private func send(_ message: D.Message, _ notify: (PublishEvent) -> Void) async throws(DeliveryFailure) {
        for path in try await destination.send(message) {
            notify(.conflict(destination: destination.name, document: path))
        }
    }

    /// The rows in flight, or the next rows, which then become the rows in flight; nil if all are published.
    private mutating func next() throws(DeliveryFailure) -> Outgoing? {
        do {
            var position = try store.position(of: destination.name, in: table)
            let limit = position.pending == nil ? options.batchSize : Int.max
            var rows = try store.rows(of: table, after: position.confirmed, through: position.pending, limit: limit)
            if rows.isEmpty, position.pending != nil {
                // The rows were deleted.
                rows = try store.rows(of: table, after: position.confirmed, limit: options.batchSize)
            }
            guard !rows.isEmpty else { return nil }
            var batch = PublishedBatch(
                rows: rows, states: try batchStates(for: rows), settings: options.settings,
                isEntriesOnly: options.isEntriesOnly)
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

    /// Moves the position back to the last batch confirmed before the destination's doubt time.
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
