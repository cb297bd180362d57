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

    mutating func observe(_ event: Event) {
        guard let known = event.frame.server else { return }
        table = known
        plugin = event.frame.plugin
    }

    /// Records a request or a command of the client.
    mutating func use(_ request: SentRequest, _ event: Event) {
        if request.opcode.hasHandle { lastUse = event.moment }
    }

    /// Records a response that carries out a request.
    mutating func answer(_ request: SentRequest?, _ event: Event) {
        guard let asked = event.request, asked.opcode.isDiscovery(of: asked.type) else { return }
        discovered = (discovered?.first ?? event.moment, event.moment)
    }

    /// Whether the client had discovered attributes on this connection before a request.
    func isDiscovered(before request: FrameReference?) -> Bool {
        guard let discovered else { return false }
        return request.map { discovered.first < $0 } ?? true
    }

    /// Whether what followed a refusal shows that nothing failed: the client found what it searched for in another way,
    /// or went on without a service that was not there.
    func hasRecovered(from refusal: Refusal) -> Bool {
        guard refusal.error == .attributeNotFound, let type = refusal.searched else { return false }
        if table?.discovered.services.contains(where: { $0.type == type }) == true { return true }
        guard refusal.opcode == .findByTypeValueRequest, let lastUse else { return false }
        return lastUse > refusal.refused
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
