package import Bytes
package import PluginKit

/// A twin on a bench, in virtual time: it is given inputs and time, its actions are kept with their times, and clients read
/// its values, subscribe and write as over a connection, without the packets.
package final class TwinFixture {
    package private(set) var twin: any DeviceTwin
    package private(set) var now: Timestamp
    /// When the bench was made.
    package let start: Timestamp
    /// All that the twin did, in its order.
    package private(set) var log: [Entry] = []
    /// The values that the owner of the twin keeps, by characteristic.
    package private(set) var values: [String: [UInt8]] = [:]
    /// What the twin advertises at this moment; nil while it does not.
    package private(set) var advertising: TwinAdvertising?
    /// The clients that are connected, by their numbers, with all that they have asked to be told.
    package private(set) var clients: [TwinClient: Connection] = [:]
    /// What clients were told, in its order.
    package private(set) var deliveries: [Delivery] = []
    private var tickets: UInt64 = 0
    private var answers: [TwinTicket: TwinAnswer] = [:]

    /// An action with its time.
    package struct Entry: Sendable {
        /// Seconds since the bench was made.
        package var seconds: Double
        package var action: TwinAction
    }

    /// A value that a client was told.
    package struct Delivery: Sendable {
        /// Since the bench was made.
        package var seconds: Double
        package var characteristic: String
        /// As it came: cut to what a notification carries.
        package var bytes: [UInt8]
        package var client: TwinClient
    }

    package struct Connection: Sendable {
        package var capacity = 20
        package var subscriptions: [String: TwinSubscription] = [:]
    }

    /// Inputs that time brings at one go; a twin whose deadline does not move is stopped there.
    private static let stepLimit = 5_000_000

    /// A twin that has power.
    package init(_ twin: some DeviceTwin, at start: Timestamp = Timestamp(seconds: 1_769_947_200, nanoseconds: 0)) {
        self.twin = twin
        self.start = start
        now = start
        input(.powerOn)
    }

    // MARK: - Time

    /// Lets so many seconds pass.
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

    /// Lets time pass until something holds; whether it does before so many seconds are over.
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

    /// Seconds since the bench was made.
    package var seconds: Double { (now - start) / .seconds(1) }

    // MARK: - Inputs

    /// Gives the twin an input, at this moment.
    package func input(_ input: TwinInput) {
        for action in twin.handle(input, at: now) { perform(action) }
    }

    /// Something happens to the device.
    package func happen(_ name: String, _ amount: Double? = nil) {
        input(.stimulus(Stimulus(name, amount)))
    }

    // MARK: - Clients

    /// A client connects; a notification to it can carry so many bytes.
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

    /// What a client reads; nil if it was refused or has no answer.
    package func read(_ characteristic: String, by client: TwinClient = TwinClient(1)) -> [UInt8]? {
        guard twin.answered.contains(characteristic) else { return values[characteristic] }
        let ticket = nextTicket()
        input(.read(characteristic, client, ticket))
        guard case .value(let bytes)? = answers[ticket] else { return nil }
        return bytes
    }

    /// A client writes, and does not wait for the answer, which `answer` has when it came; nil for a characteristic that the
    /// owner of the twin keeps.
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
        case .secure, .store, .tell: break
        }
    }

    /// Gives a value to those who have asked for it, cut to what a notification carries.
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

    /// What was told of a characteristic.
    package func told(_ characteristic: String) -> [Delivery] {
        deliveries.filter { $0.characteristic == characteristic }
    }

    /// What the twin said of itself.
    package var notes: [TwinNote] {
        log.compactMap { if case .tell(let note) = $0.action { note } else { nil } }
    }

    /// The notes of a name.
    package func notes(_ name: String) -> [TwinNote] { notes.filter { $0.name == name } }

    /// Forgets what the twin did so far.
    package func forget() {
        log = []
        deliveries = []
    }
}

extension TwinNote {
    /// A fact as text.
    package subscript(_ name: String) -> Amount? { facts.first { $0.name == name }?.value }
}
