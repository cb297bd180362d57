import Bluetooth
import Conversation
import PluginKit
import Profile

/// A connection of a device: its pending requests, its discovery and the values written by its client.
final class DeviceConnection {
    let link: ConnectionState
    /// A request that waits for its response.
    struct Pending {
        var request: AttributeRequest
        var moment: FrameReference
        /// For a write of a configuration: index of the characteristic, and the bits.
        var configuration: (characteristic: Int, bits: UInt16)?
    }

    /// The requests on one ATT bearer.
    struct Exchange {
        var pending: Pending?
        /// The characteristic of the last write, and its previous value: a notification shortly afterwards may still
        /// answer that value.
        var formerWritten: (characteristic: String, bytes: [UInt8]?)?
        /// Number of requests without a response; at most one for a correct client.
        private var unanswered = 0
        /// Whether requests overlap, so that the request answered by a response or a notification is unknown.
        private(set) var isOverlapped = false

        /// Counts a request. An overlapping request comes before the response to the previous one.
        mutating func noteRequest(overlaps: Bool) {
            unanswered = overlaps ? min(unanswered + 1, Self.unansweredLimit) : 1
            isOverlapped = unanswered > 1
        }

        /// Counts a response: after the last one, requests no longer overlap.
        mutating func noteResponse() {
            unanswered = max(0, unanswered - 1)
            if unanswered == 0 { isOverlapped = false }
        }

        /// Maximum number of unanswered requests.
        private static let unansweredLimit = 64
    }

    /// The requests on the bearer of the current event.
    var exchange = Exchange()
    /// The bearer of the current event, and the requests on other bearers, by number.
    private var bearer: UInt8 = 0
    private var others: [UInt8: Exchange] = [:]
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
    var mapBinding: Int32 = -1
    /// Whether a Service Changed with unknown range may have occurred: until the table is known to have changed, the
    /// attributes are uncertain.
    var mayHaveChanged = false

    init(_ link: ConnectionState) {
        self.link = link
    }

    /// Selects the bearer of the current event.
    func turn(to bearer: UInt8) {
        if bearer == self.bearer { return }
        others[self.bearer] = exchange
        exchange = others.removeValue(forKey: bearer) ?? Exchange()
        self.bearer = bearer
    }

    /// Discards the requests of a closed enhanced bearer: they get no response.
    func close(_ bearer: UInt8) {
        turn(to: 0)
        others[bearer] = nil
    }

    /// The values before the pending writes, on all bearers: a notification may come on another bearer than the write.
    var formerWrites: [(characteristic: String, bytes: [UInt8]?)] {
        let own = exchange.formerWritten.map { [$0] } ?? []
        return others.isEmpty ? own : own + others.keys.sorted().compactMap { others[$0]?.formerWritten }
    }

    /// Whether several writes to a characteristic are pending, so that the one that is answered is unknown.
    func isWriteAmbiguous(_ characteristic: String) -> Bool {
        exchange.isOverlapped
            || others.values.contains { $0.pending != nil && $0.formerWritten?.characteristic == characteristic }
    }

    /// Whether the client may be bonded from an earlier connection: then it may keep that connection's table (Vol 3,
    /// Part G, 2.5.2).
    var hasBond: Bool { link.state.mayBeEncrypted && !hasPaired }
}
