package import Bytes
package import PluginKit

/// Runs a client against a twin in virtual time: performs its requests in sequence, and delivers the twin's values to
/// it.
package final class ClientFixture {
    package let bench: TwinFixture
    package private(set) var client: any DeviceClient
    /// The client's notes, with the seconds since the twin fixture was created.
    package private(set) var notes: [(seconds: Double, note: TwinNote)] = []
    /// The client's actions, in order.
    package private(set) var actions: [ClientAction] = []
    /// The exchanges between client and twin, in order.
    package private(set) var exchanges: [(time: Timestamp, exchange: Exchange)] = []
    package private(set) var isConnected = false
    private var isLooking = false
    private var requests = FIFO<ClientAction>()
    /// The write whose response is pending.
    private var open: (characteristic: String, ticket: TwinTicket)?
    /// Number of elements of `bench.deliveries` passed to the client.
    private var known = 0
    /// Maximum length of a notified value.
    private let capacity: Int

    /// An exchange between a client and a twin.
    package enum Exchange: Sendable {
        case connected
        case disconnected(byClient: Bool)
        case request(ClientAction)
        /// The outcome of a request.
        case response(ClientInput)
        case reported(String, [UInt8])
    }

    /// Duration of a request in seconds.
    private static let requestTime = 0.03

    package init(_ client: some DeviceClient, at bench: TwinFixture, capacity: Int = 244) {
        self.client = client
        self.bench = bench
        self.capacity = capacity
    }

    /// Gives the client a task.
    package func task(_ name: String, _ amount: Double? = nil) {
        emit(.task(Stimulus(name, amount)))
        proceed()
    }

    /// Advances time by a number of seconds.
    package func wait(_ seconds: Double) {
        let end = bench.now + .milliseconds(Int64((seconds * 1000).rounded()))
        while bench.now < end {
            let due = [bench.twin.deadline, client.deadline].compactMap(\.self).min().map { max($0, bench.now) } ?? end
            bench.wait(max(min(due, end) - bench.now, .milliseconds(1)) / .seconds(1))
            proceed()
            if let deadline = client.deadline, deadline <= bench.now { emit(.time) }
        }
    }

    /// Drops the client's requests: its host has discovered changed attributes within the connection.
    package func rediscover() {
        requests.removeAll()
        open = nil
        emit(.connected(capacity: capacity))
        proceed()
    }

    /// The notes with a name.
    package func notes(_ name: String) -> [TwinNote] { notes.map(\.note).filter { $0.name == name } }

    private func emit(_ input: ClientInput) {
        for action in client.handle(input, at: bench.now) {
            actions.append(action)
            switch action {
            case .connect, .search, .requestConnection: isLooking = true
            case .event(let note): notes.append((bench.seconds, note))
            // There is no store: a commit succeeds at once.
            case .commit(let changes): emit(.committed(.success(changes.reduce(0) { $0 + $1.added })))
            default: requests.append(action)
            }
        }
    }

    /// Performs all work that is possible now.
    private func proceed() {
        repeat {
            noticeConnection()
            noticeDeliveries()
            finishWrite()
        } while makeRequest()
    }

    private func noticeConnection() {
        if isLooking, bench.advertising != nil {
            isLooking = false
            isConnected = true
            bench.connect(capacity: capacity)
            note(.connected)
            emit(.connected(capacity: capacity))
        } else if isConnected, bench.clients.isEmpty {
            noticeDeliveries()
            isConnected = false
            requests.removeAll()
            open = nil
            note(.disconnected(byClient: false))
            emit(.disconnected)
        }
    }

    private func noticeDeliveries() {
        while known < bench.deliveries.count {
            let delivery = bench.deliveries[known]
            known += 1
            note(.reported(delivery.characteristic, delivery.bytes))
            emit(.notified(delivery.characteristic, delivery.bytes))
        }
    }

    private func finishWrite() {
        guard let (characteristic, ticket) = open, let answer = bench.answer(ticket) else { return }
        open = nil
        if case .refused(let code) = answer {
            respond(.written(characteristic, .refused(code)))
        } else {
            respond(.written(characteristic, nil))
        }
    }

    /// Performs the next request; returns whether there was one.
    private func makeRequest() -> Bool {
        guard isConnected, open == nil, let request = requests.popFirst() else { return false }
        bench.wait(Self.requestTime)
        // Values delivered meanwhile come before the request.
        noticeDeliveries()
        if request != .disconnect { note(.request(request)) }
        switch request {
        case .read(let name):
            let value = bench.read(name)
            noticeDeliveries()
            respond(.read(name, value.map { .success($0) } ?? .failure(.absent)))
        case .write(let name, let bytes):
            if let ticket = bench.write(name, bytes) {
                open = (name, ticket)
            } else {
                respond(.written(name, nil))
            }
        case .writeCommand(let name, let bytes): bench.write(name, bytes)
        case .subscribe(let name, let isWanted):
            bench.subscribe(name, kind: isWanted ? .notifications : [])
            respond(.written(name, nil))
        case .disconnect: disconnect()
        case .connect, .search, .requestConnection, .commit, .event: break
        }
        return true
    }

    private func disconnect() {
        bench.disconnect()
        isConnected = false
        requests.removeAll()
        note(.disconnected(byClient: true))
        emit(.disconnected)
    }

    private func respond(_ input: ClientInput) {
        note(.response(input))
        emit(input)
    }

    private func note(_ exchange: Exchange) { exchanges.append((bench.now, exchange)) }
}
