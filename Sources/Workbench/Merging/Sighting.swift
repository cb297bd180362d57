import Bytes
import Captures

/// A capture's side of the link: a host's log, or a sniffer's packets from the air.
enum CaptureSide: Sendable {
    case host, air
}

/// An L2CAP PDU, the start of a connection or a change of advertising data, as one capture shows it: what is compared with
/// another capture.
struct Sighting: Sendable {
    enum Kind: Sendable {
        case pdu
        /// LE Connection Complete, or a CONNECT_IND.
        case connection
        /// Advertising data that differs from what its sender advertised before.
        case advertising
    }

    var kind = Kind.pdu
    /// Hash of the bytes, without the direction; two views of a PDU have the same.
    var fingerprint: UInt64
    /// Whether the bytes are enough to recognize the PDU by.
    var isDistinct = true
    /// Time of the frame that begins the PDU, on the capture's clock.
    var time: Timestamp
    /// Number of the frame that ends it.
    var frame: Int
    /// Index of its connection in the tracker of the capture.
    var connection: Int32
    /// From the host's side, or the central's.
    var direction: Direction
    /// On the air: whether the other side has acknowledged it.
    var isAcknowledged = false
    /// On the air: how often it was heard.
    var transmissions: UInt8 = 1
    /// Of a host: time until the controller reported its packets as completed.
    var completion: TimeSpan?
}
