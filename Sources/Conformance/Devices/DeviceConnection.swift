import Bluetooth
import Conversation
import PluginKit
import Profile

/// A connection of a device: its pending requests, discovery, and what its client wrote.
final class DeviceConnection {
    let link: ConnectionState
    /// A request that waits for its response.
    struct Pending {
        var request: AttributeRequest
        var moment: FrameReference
        /// What is written, if it is a configuration: the characteristic's index and the bits.
        var configuration: (characteristic: Int, bits: UInt16)?
    }

    /// The requests on one ATT bearer.
    struct Exchange {
        var pending: Pending?
        /// The characteristic of the last write, and the value written to it before: a notification that comes soon may
        /// answer that one.
        var formerWritten: (characteristic: String, bytes: [UInt8]?)?
        /// Requests that have no response yet: a client that obeys has one at most.
        private var unanswered = 0
        /// Requests overlap, so that it is not known which of them a response or a notification answers.
        private(set) var isOverlapped = false

        /// Counts a request; one that overlaps comes before the response to the one before.
        mutating func noteRequest(overlaps: Bool) {
            unanswered = overlaps ? min(unanswered + 1, Self.unansweredLimit) : 1
            isOverlapped = unanswered > 1
        }

        /// Counts a response: when the last one has come, requests overlap no more.
        mutating func noteResponse() {
            unanswered = max(0, unanswered - 1)
            if unanswered == 0 { isOverlapped = false }
        }

        /// Requests that are counted at one time.
        private static let unansweredLimit = 64
    }

    /// The requests on the bearer of the event.
    var exchange = Exchange()
    /// The event's bearer, and the requests on others, by their numbers.
    private var bearer: UInt8 = 0
    private var others: [UInt8: Exchange] = [:]
    var discovery = DiscoveryRecord()
    /// The ATT bearer of the last Service Changed.
    var changeBearer: UInt8 = 0
    /// What the Database Hash that the client has read says of the table of an earlier connection.
    var hashVerdict = HashVerdict.notRead

    enum HashVerdict {
        case notRead
        /// The hash of the earlier connection was not captured.
        case unknown
        case same
        case changed
    }

    /// The client has paired in this connection.
    var hasPaired = false
    let context = DeviceContext()
    /// What each attribute is, as of a batch and by the table of a binding.
    var map: ServerMap?
    var mapBatch = 0
    var mapBinding: Int32 = -1
    /// Service Changed may have come of which the range is not known: until the table is known to be another one, it is not
    /// certain what the attributes are.
    var mayHaveChanged = false

    init(_ link: ConnectionState) {
        self.link = link
    }

    /// The event is on a bearer.
    func turn(to bearer: UInt8) {
        if bearer == self.bearer { return }
        others[self.bearer] = exchange
        exchange = others.removeValue(forKey: bearer) ?? Exchange()
        self.bearer = bearer
    }

    /// An enhanced bearer is closed: its requests get no response.
    func close(_ bearer: UInt8) {
        turn(to: 0)
        others[bearer] = nil
    }

    /// What was written before the pending writes, on all bearers: a notification may come on another one than the write.
    var formerWrites: [(characteristic: String, bytes: [UInt8]?)] {
        let own = exchange.formerWritten.map { [$0] } ?? []
        return others.isEmpty ? own : own + others.keys.sorted().compactMap { others[$0]?.formerWritten }
    }

    /// Whether it is not known which of several writes to a characteristic is answered.
    func isWriteAmbiguous(_ characteristic: String) -> Bool {
        exchange.isOverlapped
            || others.values.contains { $0.pending != nil && $0.formerWritten?.characteristic == characteristic }
    }

    /// Whether the client is bonded from before: then it may keep the table of an earlier connection (Vol 3, Part G, 2.5.2).
    var hasBond: Bool { link.state.mayBeEncrypted && !hasPaired }
}
