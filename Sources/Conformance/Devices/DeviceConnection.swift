import ATT
import BluetoothTypes
import Conversation
import PluginKit
import Profile

/// A connection of a device: its pending request, discovery, and what its client wrote.
final class DeviceConnection {
    let link: ConnectionState
    /// A request that waits for its response.
    struct Pending {
        var request: AttributeRequest
        var moment: FrameReference
        /// What is written, if it is a configuration: the characteristic's index and the bits.
        var configuration: (characteristic: Int, bits: UInt16)?
    }

    var pending: Pending?
    var discovery = DiscoveryRecord()
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
    /// What was written to the characteristic of the pending write before it, in case the device refuses that.
    var formerWritten: (characteristic: String, bytes: [UInt8]?)?
    /// Requests that have no response yet: a client that obeys has one at most.
    private var unanswered = 0
    /// Requests overlap, so that it is not known which of them a response or a notification answers.
    private(set) var isOverlapped = false
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

    /// Counts a request; one that overlaps comes before the response to the one before.
    func noteRequest(overlaps: Bool) {
        unanswered = overlaps ? min(unanswered + 1, Self.unansweredLimit) : 1
        isOverlapped = unanswered > 1
    }

    /// Counts a response: when the last one has come, requests overlap no more.
    func noteResponse() {
        unanswered = max(0, unanswered - 1)
        if unanswered == 0 { isOverlapped = false }
    }

    /// Requests that are counted at one time.
    private static let unansweredLimit = 64

    /// Whether the client is bonded from before: then it may keep the table of an earlier connection (Vol 3, Part G, 2.5.2).
    var hasBond: Bool { link.state.mayBeEncrypted && !hasPaired }
}
