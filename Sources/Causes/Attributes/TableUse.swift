import Bluetooth
import Bytes
import Captures
import Conformance
import Conversation
import PluginKit

/// How a client used the handles of a server's table: before it discovered them, and after Service Changed.
struct TableUse {
    /// The first use of each handle before the table was discovered on this connection.
    private var early: [Handle: SentRequest] = [:]
    /// The last Service Changed, which takes effect with its confirmation.
    private var change: (range: ChangedRange, at: FrameReference, isConfirmed: Bool)?
    /// The first request for a handle that may have changed, without discovery of its range before or after.
    private(set) var ignored: (change: FrameReference, range: ChangedRange, use: SentRequest)?
    /// The last read of the Database Hash.
    private(set) var hashRead: FrameReference?
    /// The first use that the tables of an earlier connection and of this one explain differently.
    private(set) var stale: SentRequest?

    private static let earlyLimit = 128

    mutating func use(_ request: SentRequest, _ event: Event, hasDiscovered: Bool) {
        if let asked = RequestedRange(event) {
            guard let range = change?.range, range.overlaps(asked) else { return }
            (change, ignored) = (nil, nil)
            return
        }
        guard request.opcode.hasHandle else { return }
        if !hasDiscovered, early.count < Self.earlyLimit, early[request.handle] == nil {
            early[request.handle] = request
        }
        if let (range, at, isConfirmed) = change, isConfirmed, ignored == nil, range.contains(request.handle.rawValue) {
            ignored = (at, range, request)
        }
    }

    mutating func indicate(_ event: Event) {
        guard let range = ChangedRange(event) else { return }
        change = (range, event.moment, false)
        // What the client used before was the table before the change.
        early.removeAll()
    }

    mutating func confirm() { change?.isConfirmed = true }

    mutating func answer(_ event: Event) {
        if event.request?.type == .databaseHash { hashRead = event.moment }
    }

    /// Compares the tables that are known at the end of the connection.
    mutating func finish(_ table: AttributeTableStore.Version?, earlier: ServerHistory.Server?) {
        guard let table, let earlier else { return }
        stale = early.values.sorted { $0.sent < $1.sent }.first { use in
            guard let before = earlier.table.attribute(at: use.handle), before.kind != .unknown,
                let now = table.discovered.attribute(at: use.handle), now.kind != .unknown
            else { return false }
            return Self.differ(before.type, now.type)
                || Self.differ(before.characteristic?.type, now.characteristic?.type)
        }
    }

    private static func differ(_ one: UUID?, _ other: UUID?) -> Bool { one != nil && other != nil && one != other }

    /// Whether a request used a handle that Service Changed has invalidated.
    func isIgnored(_ refusal: Refusal) -> Bool {
        guard let ignored, let request = refusal.request else { return false }
        return request.sent >= ignored.use.sent && ignored.range.contains(refusal.handle.rawValue)
    }
}

/// What earlier connections of two devices showed of their servers.
package struct ServerHistory {
    /// A server, as of the last connection that showed it.
    struct Server {
        /// Number of the connection that showed the table.
        var connection = 0
        var table = GATT.Table()
        var databaseHash: [UInt8]?
        /// The characteristics that the client had subscribed to, by the handles of their configurations.
        var subscriptions: [Handle: SubscriptionUse.Earlier] = [:]
    }

    private(set) var servers: [Direction: Server] = [:]

    mutating func record(_ session: Session) {
        for (direction, use) in session.attributes.servers {
            var server = servers[direction] ?? Server()
            if let table = use.table, !table.discovered.isEmpty {
                server.table = table.earlierConfidence == .remembered ? table.table : table.discovered
                server.connection = session.connection.number
            }
            if let hash = use.table?.databaseHash { server.databaseHash = hash }
            let subscriptions = use.subscriptions.subscriptions(on: session.connection.number)
            if !subscriptions.isEmpty || use.subscriptions.hasConfigured { server.subscriptions = subscriptions }
            servers[direction] = server
        }
    }
}
