import Bluetooth
import Conversation
import PluginKit
import Profile

/// A connection of a device: its pending requests, its discovery and the values written by its client.
final class DeviceConnection {
    let link: ConnectionState
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

    /// Whether the client paired on this connection.
    var hasPaired = false
    let context = DeviceContext()
    /// The role of each attribute, as of a batch and a version of the attribute table.
    var map: ServerMap?
    var mapBatch = 0
    var mapVersion: Int32 = -1
    /// Whether a Service Changed with unknown range may have occurred: until the table is known to have changed, the
    /// attributes are uncertain.
    var mayHaveChanged = false

    init(_ link: ConnectionState) {
        self.link = link
    }

    /// Discards the request of a closed enhanced bearer: it gets no response.
    func close(_ bearer: UInt8) { requests[bearer] = nil }

    /// The values before the last writes, on all bearers: a notification may come on another bearer than the write.
    var formerWrites: [(characteristic: String, bytes: [UInt8]?)] { requests.values.compactMap(\.former) }

    /// Whether a write to a characteristic is pending on another bearer, so that the last of the two is unknown.
    func isWritePending(_ characteristic: String, besides bearer: UInt8) -> Bool {
        requests.contains { $0 != bearer && !$1.isAnswered && $1.former?.characteristic == characteristic }
    }

    /// Whether the client may be bonded from an earlier connection: then it may keep that connection's table (Vol 3,
    /// Part G, 2.5.2).
    var hasBond: Bool { link.state.mayBeEncrypted && !hasPaired }
}
