package import Bytes
package import Conversation
package import PluginKit

/// Finds the cause of each failure of a capture: collects the history of each connection, and weighs the causes that
/// can explain a failure once the connection has ended.
package final class CauseAnalysis {
    private let plugins: PluginSet
    private var queue = SettlingQueue()
    private var reader: TrafficReader
    private let capture = CaptureHistory()
    /// What happens outside connections.
    private let outside: Session
    /// Open connections, by number.
    private var sessions: [Int: Session] = [:]
    /// The devices of the current batch, by index.
    private var devices: [Int32: Device] = [:]
    /// Broken rules of devices, by the number of the connection.
    private var brokenRules: [Int: [BrokenRule]] = [:]
    private var incidents: [Incident] = []
    /// Incidents that are kept; the further ones are only counted.
    private static let incidentLimit = 1000
    /// Broken rules that are kept of a connection.
    private static let brokenRuleLimit = 64
    /// Number of incidents that were not kept.
    package private(set) var omitted = 0

    package init(_ plugins: PluginSet) {
        self.plugins = plugins
        outside = Session(Connection(), capture)
        reader = TrafficReader(TrafficReader.Wants(commands: true, events: true, advertising: true))
        reader.frame.plugins = plugins
    }

    /// Adds a tracked batch; its events are handled once the outcome of each write before them is known.
    package func add(_ batch: borrowing TrackedBatch) {
        queue.add(batch.withOwnBytes())
        readSettled()
    }

    /// Adds a broken rule of a device, before the batch of its last frame.
    package func add(_ rule: BrokenRule) {
        guard let connection = rule.frames.last?.connection, connection > 0 else { return }
        if brokenRules[connection]?.count ?? 0 >= Self.brokenRuleLimit { return }
        brokenRules[connection, default: []].append(rule)
    }

    /// Ends the capture: all connections that are still open end with it.
    package func finish() {
        queue.finish()
        readSettled()
        reader.finish(self)
        end(outside, at: reader.times?.upperBound ?? .epoch)
    }

    /// Returns the incidents found since the last call, in the order of their failures.
    package func takeIncidents() -> [Incident] {
        defer { incidents.removeAll() }
        return incidents.sorted { ($0.frames.last ?? 0) < ($1.frames.last ?? 0) }
    }

    private func session(of connection: Connection) -> Session {
        if let session = sessions[connection.number] { return session }
        let session = Session(connection, capture)
        session.name(devices)
        // A connection whose end was not captured is over when its devices connect again.
        let pair = CaptureHistory.Pair(connection)
        if pair != nil {
            for earlier in sessions.values where CaptureHistory.Pair(earlier.connection) == pair {
                capture.record(earlier)
            }
        }
        sessions[connection.number] = session
        return session
    }

    private func readSettled() {
        while let batch = queue.next() {
            devices = batch.devices
            for session in sessions.values { session.name(devices) }
            capture.advertising.air.observe(batch)
            reader.read(batch, into: self)
        }
    }

    private func end(_ session: Session, at time: Timestamp) {
        session.finish(at: time)
        session.brokenRules = brokenRules.removeValue(forKey: session.connection.number) ?? []
        let isExplained = session.failures.contains { !$0.isPresumed }
        for failure in session.failures.sorted(by: { $0.frames[0] < $1.frames[0] })
        where !failure.isPresumed || !isExplained {
            guard incidents.count < Self.incidentLimit else {
                omitted += 1
                continue
            }
            incidents.append(CauseCatalog.explain(failure, in: session))
        }
    }
}

extension CauseAnalysis: EventConsumer {
    package func handle(_ event: Event, of frame: EventFrame, on connection: Connection) {
        guard connection.number > 0 else {
            // A command is an event outside connections, even if its parameters name one.
            var concerned: Session?
            if case .command = event.content { concerned = sessions[event.moment.connection] }
            return (concerned ?? outside).handle(event)
        }
        session(of: connection).handle(event)
    }

    package func end(_ connection: Connection, at time: Timestamp) {
        guard let session = sessions.removeValue(forKey: connection.number), !connection.isDismissed else { return }
        end(session, at: time)
        capture.record(session)
    }
}
