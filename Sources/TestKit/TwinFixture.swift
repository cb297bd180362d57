package import Bytes
package import PluginKit

/// Runs a twin in virtual time: passes inputs and time to it and logs its actions. Clients read, subscribe and write as
/// over a connection, without packets.
package final class TwinFixture {
    package private(set) var twin: any DeviceTwin
    package private(set) var now: Timestamp
    /// Creation time of the fixture.
    package let start: Timestamp
    /// The twin's actions, in order.
    package private(set) var log: [Entry] = []
    /// Values that the twin's owner stores, by characteristic.
    package private(set) var values: [String: [UInt8]] = [:]
    /// The current advertising; nil while the twin does not advertise.
    package private(set) var advertising: TwinAdvertising?
    /// Connected clients with their subscriptions.
    package private(set) var clients: [TwinClient: Connection] = [:]
    /// Values delivered to clients, in order.
    package private(set) var deliveries: [Delivery] = []
    private var tickets: UInt64 = 0
    private var answers: [TwinTicket: TwinAnswer] = [:]

    package struct Entry: Sendable {
        /// Seconds since the fixture was created.
        package var seconds: Double
        package var action: TwinAction
    }

    /// A value notified or indicated to a client.
    package struct Delivery: Sendable {
        /// Seconds since the fixture was created.
        package var seconds: Double
        package var characteristic: String
        /// The value, truncated to the capacity of a notification.
        package var bytes: [UInt8]
        package var client: TwinClient
    }

    package struct Connection: Sendable {
        package var capacity = 20
        package var subscriptions: [String: TwinSubscription] = [:]
    }

    /// Maximum number of time inputs in one wait; stops a twin whose deadline does not advance.
    private static let stepLimit = 5_000_000

    /// Switches the twin on.
    package init(_ twin: some DeviceTwin, at start: Timestamp = Timestamp(seconds: 1_769_947_200, nanoseconds: 0)) {
        self.twin = twin
        self.start = start
        now = start
        input(.powerOn)
    }

    // MARK: - Time

    /// Advances time by a number of seconds.
    package func wait(_ seconds: Double) {
        let end = now + .milliseconds(Int64((seconds * 1000).rounded()))
        for _ in 0..<Self.stepLimit {
            guard let due = twin.deadline, due <= end else { break }
            now = max(now, due)
            input(.time)
        }
        now = end
        input(.time)
    }

    /// Advances time until a condition holds; returns false if it does not within the given seconds.
    package func wait(upTo seconds: Double, until holds: (TwinFixture) -> Bool) -> Bool {
        let end = now + .milliseconds(Int64((seconds * 1000).rounded()))
        for _ in 0..<Self.stepLimit {
            if holds(self) { return true }
            guard let due = twin.deadline, due <= end else { break }
            now = max(now, due)
            input(.time)
        }
        now = end
        input(.time)
        return holds(self)
    }

    /// Seconds since the fixture was created.
    package var seconds: Double { (now - start) / .seconds(1) }

    // MARK: - Inputs

    /// Passes an input to the twin, at the current time.
    package func input(_ input: TwinInput) {
        for action in twin.handle(input, at: now) { perform(action) }
    }

    /// Passes a stimulus to the device.
    package func happen(_ name: String, _ amount: Double? = nil) {
        input(.stimulus(Stimulus(name, amount)))
    }

    // MARK: - Clients

    /// Connects a client; `capacity` is the maximum length of a notified value.
    package func connect(_ client: TwinClient = TwinClient(1), capacity: Int = 244) {
        clients[client] = Connection(capacity: capacity)
        advertising = nil
        input(.connected(client))
        input(.capacity(capacity, client))
    }

    package func disconnect(_ client: TwinClient = TwinClient(1)) {
        guard clients.removeValue(forKey: client) != nil else { return }
        input(.disconnected(client))
    }

    package func subscribe(
        _ characteristics: String..., kind: TwinSubscription = .notifications, by client: TwinClient = TwinClient(1)
    ) {
        for characteristic in characteristics {
            clients[client]?.subscriptions[characteristic] = kind
            input(.subscribed(characteristic, kind, client))
        }
    }

    /// Reads a value for a client; nil if the read is rejected or has no response.
    package func read(_ characteristic: String, by client: TwinClient = TwinClient(1)) -> [UInt8]? {
        guard twin.answered.contains(characteristic) else { return values[characteristic] }
        let ticket = nextTicket()
        input(.read(characteristic, client, ticket))
        guard case .value(let bytes)? = answers[ticket] else { return nil }
        return bytes
    }

    /// Writes a value for a client without waiting for the response, which `answer` returns once it is available; nil
    /// for a characteristic that the twin's owner stores.
    @discardableResult
    package func write(
        _ characteristic: String, _ bytes: [UInt8], by client: TwinClient = TwinClient(1)
    ) -> TwinTicket? {
        guard twin.answered.contains(characteristic) else {
            values[characteristic] = bytes
            input(.written(characteristic, bytes, client))
            return nil
        }
        let ticket = nextTicket()
        input(.write(characteristic, bytes, client, ticket))
        return ticket
    }

    package func answer(_ ticket: TwinTicket?) -> TwinAnswer? { ticket.flatMap { answers[$0] } }

    private func nextTicket() -> TwinTicket {
        tickets += 1
        return TwinTicket(tickets)
    }

    // MARK: - Actions

    private func perform(_ action: TwinAction) {
        log.append(Entry(seconds: seconds, action: action))
        switch action {
        case .set(let characteristic, let bytes): values[characteristic] = bytes
        case .answer(let ticket, let answer): answers[ticket] = answer
        case .advertise(let advertising): self.advertising = advertising
        case .stopAdvertising: advertising = nil
        case .disconnect(let client): disconnect(client)
        case .fallSilent:
            advertising = nil
            for client in clients.keys.sorted(by: { $0.number < $1.number }) { disconnect(client) }
        case .notify(let characteristic, let bytes, let client):
            deliver(characteristic, bytes, .notifications, to: client)
        case .indicate(let characteristic, let bytes, let client):
            deliver(characteristic, bytes, .indications, to: client)
        case .secure, .store, .event: break
        }
    }

    /// Delivers a value to the subscribed clients, truncated to the capacity of a notification.
    private func deliver(
        _ characteristic: String, _ bytes: [UInt8], _ kind: TwinSubscription, to receiver: TwinClient?
    ) {
        for client in clients.keys.sorted(by: { $0.number < $1.number }) where receiver == nil || receiver == client {
            guard let connection = clients[client], connection.subscriptions[characteristic]?.contains(kind) == true
            else { continue }
            deliveries.append(
                Delivery(
                    seconds: seconds, characteristic: characteristic,
                    bytes: Array(bytes.prefix(connection.capacity)), client: client))
        }
    }

    /// The values delivered for a characteristic.
    package func reported(_ characteristic: String) -> [Delivery] {
        deliveries.filter { $0.characteristic == characteristic }
    }

    /// The twin's notes.
    package var notes: [TwinNote] {
        log.compactMap { if case .event(let note) = $0.action { note } else { nil } }
    }

    /// The notes with a name.
    package func notes(_ name: String) -> [TwinNote] { notes.filter { $0.name == name } }

    /// Clears the log and the deliveries.
    package func forget() {
        log = []
        deliveries = []
    }
}

extension TwinNote {
    /// The value of a fact by name; nil if the note does not have it.
    package subscript(_ name: String) -> Amount? { facts.first { $0.name == name }?.value }
}
