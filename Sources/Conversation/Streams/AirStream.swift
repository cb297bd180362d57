package import Bluetooth
package import Bytes

/// A stream of PDUs outside connections: a periodic advertising train, its responses, a connected or a broadcast
/// isochronous stream (Vol 6, Part B, 4.4.2.12, 4.4.5 and 4.4.6). It is identified by an access address on the air, and
/// by a connection handle in a host's capture.
package struct AirStream: Sendable {
    package enum Kind: UInt8, Sendable, CaseIterable {
        case train
        /// PDUs in the response slots of a train (PAwR).
        case responses
        case cis
        case bis
        /// The control channel of a broadcast isochronous group.
        case bigControl
        /// A handle with isochronous data whose setup was not captured.
        case isochronous

        package var name: String {
            switch self {
            case .train: "periodic advertising"
            case .responses: "periodic advertising responses"
            case .cis: "CIS"
            case .bis: "BIS"
            case .bigControl: "BIG control"
            case .isochronous: "isochronous data"
            }
        }
    }

    package let kind: Kind
    package let key: ConnectionRecord.Key
    /// Index of the advertiser, the broadcaster, the central or the local host; -1 where it is not known.
    package var sender: Int32 = -1
    /// Index of the device at the other end of a CIS.
    package var receiver: Int32 = -1
    /// Index of the connection that a CIS belongs to; -1 where it is not known.
    package var connection: Int32 = -1
    /// CIG_ID or BIG_Handle; nil where it is not known.
    package var group: UInt8?
    /// CIS_ID, or BIS_Number; 0 where it is not known.
    package var index: UInt8 = 0
    /// Time between events; zero where it is not known.
    package var interval = TimeSpan.zero
    package var isEncrypted = false
    package var start = Timestamp(nanoseconds: 0)
    package var end = Timestamp(nanoseconds: 0)
    package var packets = 0
    /// Events between others from which no PDU was captured; in a host's capture, SDUs missing in the sequence.
    package var missed = 0
    /// SDUs that the controller reports as lost.
    package var lost = 0

    init(_ kind: Kind, _ key: ConnectionRecord.Key) {
        self.kind = kind
        self.key = key
    }

    /// The name with its number: `BIS 2`.
    package var name: String {
        switch kind {
        case .bis where index > 0: "BIS \(index)"
        case .cis where group != nil: "CIS \(index)"
        default: kind.name
        }
    }
}

/// The position of a PDU in its stream.
package struct StreamPDU: Sendable {
    /// Index in `Tracker.streams`.
    package let stream: Int32
    package let kind: AirStream.Kind
    /// CIS_ID, or BIS_Number; 0 where it is not known.
    package let index: UInt8
    package let isEncrypted: Bool
    /// The kind of periodic advertising PDU.
    package var context = LL.AdvertisingContext.periodic
    /// For a train: whether `context` is certain, from the recorder or the PDU's time. Otherwise the PDU may be an
    /// AUX_CHAIN_IND.
    package var isCertain = true
    /// Number of the event, in 16 bits; nil where it is not known.
    package var event: UInt16?
    package var subevent: UInt8?
    /// Number of the response slot in its subevent.
    package var responseSlot: UInt8?
    /// Number of the payload of a broadcast isochronous stream.
    package var payload: UInt64?
}
