import Bluetooth
import Bytes
import Captures
import Conformance
import Conversation
import PluginKit

/// How the client of a connection discovered and used the attributes of a server.
struct ServerUse {
    /// The table as last seen, and the plugin that describes the server (-1 for none).
    private(set) var table: AttributeTableStore.Version?
    private(set) var plugin = -1
    /// The first and the last response to a discovery.
    private(set) var discovered: (first: FrameReference, last: FrameReference)?
    /// The last request or command about one attribute.
    private(set) var lastUse: FrameReference?

    private(set) var tableUse = TableUse()
    private(set) var subscriptions = SubscriptionUse()
    private(set) var lengths = ValueLengths()
    /// Failures without an error, by the frame that they begin with.
    private(set) var missing: [Int: Missing] = [:]

    /// Why values did not come.
    enum Missing {
        case neverConfigured(SubscriptionUse.Wanted)
        case lost(SubscriptionUse.Earlier)
    }

    mutating func observe(_ event: Event, _ att: ATTTraffic) {
        subscriptions.observe(event, att)
        guard let known = event.frame.server else { return }
        table = known
        plugin = event.frame.plugin
    }

    /// Records a request or a command of the client.
    mutating func use(_ request: SentRequest, _ event: Event) {
        if request.opcode.hasHandle { lastUse = event.moment }
        let hasDiscovered = discovered != nil
        tableUse.use(request, event, hasDiscovered: hasDiscovered)
        subscriptions.use(request, event, hasDiscovered: hasDiscovered)
        lengths.use(request, event)
    }

    /// Records a response that carries out a request.
    mutating func answer(_ request: SentRequest?, _ event: Event) {
        tableUse.answer(event)
        lengths.answer(request, event)
        guard let asked = event.request, asked.opcode.isDiscovery(of: asked.type) else { return }
        discovered = (discovered?.first ?? event.moment, event.moment)
    }

    /// Records an Error Response.
    mutating func refuse(_ event: Event) {
        if let error = event.att(ATT.ErrorResponse.self) { lengths.end(event, error.errorCode) }
    }

    /// Records a notification or an indication.
    mutating func update(_ event: Event, _ att: ATTTraffic) {
        tableUse.indicate(event)
        if event.characteristic?.type != .serviceChanged { subscriptions.update(event, att.handle) }
        lengths.update(event, att)
    }

    mutating func confirm() { tableUse.confirm() }

    /// Whether the client had discovered attributes on this connection before a request.
    func isDiscovered(before request: FrameReference?) -> Bool {
        guard let discovered else { return false }
        return request.map { discovered.first < $0 } ?? true
    }

    /// Whether what followed a refusal shows that nothing failed: the client found what it searched for in another way,
    /// went on without a service that was not there, or learned the table that it had been unaware of.
    func hasRecovered(from refusal: Refusal) -> Bool {
        if refusal.error == .databaseOutOfSync {
            return [discovered?.last, tableUse.hashRead].contains { $0.map { $0 > refusal.refused } ?? false }
        }
        if let request = refusal.request, subscriptions.isRepaired(request) { return true }
        guard refusal.error == .attributeNotFound, let type = refusal.searched else { return false }
        if table?.discovered.services.contains(where: { $0.type == type }) == true { return true }
        guard refusal.opcode == .findByTypeValueRequest, let lastUse else { return false }
        return lastUse > refusal.refused
    }
}

// MARK: - At the end of a connection

extension ServerUse {
    /// Adds the failures without an error. `refused` are the handles of requests that were refused, and `closed` is the
    /// end of the connection if a side ended it.
    mutating func finish(
        _ session: Session, of direction: Direction, at time: Timestamp, closed: FrameReference?,
        refused: Set<Handle>, plugins: PluginSet
    ) {
        let earlier = session.capture.earlier(than: session)?.server.servers[direction]
        tableUse.finish(table, earlier: earlier)
        if let use = tableUse.stale, !refused.contains(use.handle) {
            session.add(Failure(.procedureFailed, [use.sent], .attribute(use.handle)))
        } else if let ignored = tableUse.ignored, !refused.contains(where: { ignored.range.contains($0.rawValue) }) {
            session.add(
                Failure(.procedureFailed, [ignored.change, ignored.use.sent], .attribute(ignored.use.handle)))
        }
        for wrong in subscriptions.acceptedMisdirections {
            session.add(Failure(.subscriptionFailed, [wrong.request.sent], .attribute(wrong.request.handle)))
        }
        lengths.finish(session)
        finishSubscriptions(session, earlier, at: time, closed: closed, plugins)
    }

    private mutating func finishSubscriptions(
        _ session: Session, _ earlier: ServerHistory.Server?, at time: Timestamp, closed: FrameReference?,
        _ plugins: PluginSet
    ) {
        let connection = session.connection
        guard connection.isBeginningCaptured, !connection.isPartlyUnreadable else { return }
        if let lost = subscriptions.lost(earlier, since: connection.opened.time, until: time) {
            let end = closed ?? subscriptions.last ?? connection.opened
            missing[end.frame] = .lost(lost)
            session.add(Failure(.subscriptionFailed, [connection.opened, end]))
        } else if !connection.mayBeBonded,
            let wanted = subscriptions.wanted(self, until: time, isClosed: closed != nil, plugins),
            wanted.isOfProfile || !session.attributes.usesChannels,
            let first = wanted.request?.sent ?? discovered?.last, let end = closed ?? subscriptions.last
        {
            missing[end.frame] = .neverConfigured(wanted)
            session.add(
                Failure(
                    .subscriptionFailed, [first, end], .attribute(wanted.characteristic.value),
                    isPresumed: !wanted.isOfProfile))
        }
    }
}

extension Connection {
    /// Whether whole stretches of the traffic cannot be read, so that nothing is known of what did not happen in them.
    fileprivate var isPartlyUnreadable: Bool {
        [.encrypted, .undecidedEncryption, .enhancedBearer, .unknownDirection].contains { gaps[$0] != nil }
    }
}

extension ATT.Opcode {
    /// Whether a request for this attribute type is one of discovery (Vol 3, Part G, 4.3).
    fileprivate func isDiscovery(of type: UUID?) -> Bool {
        switch self {
        case .findInformationRequest, .findByTypeValueRequest, .readByGroupTypeRequest: true
        case .readByTypeRequest: type == .characteristic || type == .include
        default: false
        }
    }
}
