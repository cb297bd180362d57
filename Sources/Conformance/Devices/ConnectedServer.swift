import Bluetooth
import Conversation
import PluginKit
import Profile

/// The server of a device on one connection, in the terms of its profile: pending requests, discovery, written values,
/// and the rules of scope `connection`.
final class ConnectedServer {
    let connection: Connection
    var engine: RuleEngine
    /// The last request on an ATT bearer.
    struct Request {
        var request: AttributeRequest
        var moment: FrameReference
        /// For a write of a configuration: index of the characteristic, and the bits.
        var configuration: (characteristic: Int, bits: UInt16)?
        /// For a write, the characteristic and its previous value: a notification shortly afterwards may still answer that
        /// value.
        var former: (characteristic: String, bytes: [UInt8]?)?
        var isAnswered = false
    }

    /// The last request on each ATT bearer, by the bearer's number.
    var requests = SortedMap<UInt8, Request>()
    var discovery = DiscoveryRecord()
    /// The ATT bearer of the last Service Changed.
    var changeBearer: UInt8 = 0
    /// Comparison of the Database Hash that the client read with that of an earlier connection's table.
    var hashVerdict = HashVerdict.notRead

    enum HashVerdict {
        case notRead
        /// The hash of the earlier connection was not captured.
        case unknown
        case same
        case changed
    }

    let context = DeviceContext()
    let subscriptions = Subscriptions()
    /// The role of each attribute, as of a batch and a version of the attribute table.
    var roles: AttributeRoles?
    var rolesBatch = 0
    var rolesVersion = TableVersion.unknown
    /// Whether a Service Changed with unknown range may have occurred: until the table is known to have changed, the
    /// attributes are uncertain.
    var mayHaveChanged = false

    init(_ connection: Connection, _ rules: RuleGroup) {
        self.connection = connection
        engine = RuleEngine(rules)
    }

    /// Discards the request of a closed enhanced bearer: it gets no response.
    func close(_ bearer: UInt8) { requests[bearer] = nil }

    /// The values before the last writes, on all bearers: a notification may come on another bearer than the write.
    var formerWrites: [(characteristic: String, bytes: [UInt8]?)] { requests.values.compactMap(\.former) }

    /// Whether a write to a characteristic is pending on another bearer, so that the last of the two is unknown.
    func isWritePending(_ characteristic: String, besides bearer: UInt8) -> Bool {
        requests.contains { $0 != bearer && !$1.isAnswered && $1.former?.characteristic == characteristic }
    }
}
