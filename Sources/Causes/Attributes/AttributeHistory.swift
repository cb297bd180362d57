import Bluetooth
import Bytes
import Captures
import Conversation
import PluginKit

/// Requests, subscriptions and values of a connection, for the causes of their failures.
package final class AttributeHistory {
    /// Requests that were not answered, or not in turn.
    private(set) var transactions = Transactions()
    /// Requests that were refused.
    private(set) var refusals = Refusals()
    /// How the server of each direction was used.
    private(set) var servers: [Direction: ServerUse] = [:]
    /// The end of the connection, if one side ended it.
    private var closed: FrameReference?
    /// Whether the devices used other channels of L2CAP: then the client may have wanted no notifications.
    private(set) var usesChannels = false
    private var plugins = PluginSet.none
    /// The time of the last step of pairing or encryption.
    private var secured = Timestamp.earliest

    func handle(_ event: Event, on session: Session) {
        switch event.content {
        case .att(let att): if event.direction != .unknown { handle(att, event) }
        case .bearerClosed(let bearer): transactions.close(bearer, at: event.moment.time)
        case .smp, .encryption: secured = event.moment.time
        case .channel: usesChannels = true
        case .closed(let closing):
            if case .reason = closing.cause, !closing.isLoss { closed = event.moment }
        default: break
        }
    }

    private func handle(_ att: ATTTraffic, _ event: Event) {
        let direction = att.server(event)
        var server = servers.removeValue(forKey: direction) ?? ServerUse()
        defer { servers[direction] = server }
        server.observe(event, att)
        if plugins.plugins.isEmpty { plugins = event.frame.plugins }
        switch att.kind {
        case .request:
            let request = SentRequest(event, att)
            transactions.begin(request, event, indicates: false)
            server.use(request, event)
        case .command:
            let request = SentRequest(event, att)
            refusals.command(request, to: direction)
            server.use(request, event)
        case .response:
            let request = transactions.end(event, indicates: false)
            if att.opcode == .errorResponse {
                refusals.refuse(event, request, followsDiscovery: server.isDiscovered(before: request?.sent))
                server.refuse(event)
            } else {
                refusals.accept(event, request)
                server.answer(request, event)
            }
        case .indication:
            transactions.begin(SentRequest(event, att), event, indicates: true)
            server.update(event, att)
        case .confirmation:
            _ = transactions.end(event, indicates: true)
            server.confirm()
        case .notification: server.update(event, att)
        // Which side is to answer an unknown PDU, and whether at all, is not known.
        case nil: break
        }
    }

    func finish(_ session: Session, at time: Timestamp) {
        refusals.finish(session, servers)
        for direction in [Direction.sent, .received] {
            let refused = refusals.failed.values.lazy.filter { $0.server == direction }.map(\.handle)
            servers[direction]?.finish(
                session, of: direction, at: time, closed: closed, refused: Set(refused), plugins: plugins)
        }
        transactions.finish(session, at: time, closed: closed, secured: secured)
    }
}
