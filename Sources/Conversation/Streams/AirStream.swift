package import Bluetooth
package import Bytes

/// A stream of PDUs that is no connection: a periodic advertising train, its responses, a connected or a broadcast
/// isochronous stream (Vol 6, Part B, 4.4.2.12, 4.4.5 and 4.4.6). On the air it has an access address, in a host's capture
/// a connection handle.
package struct AirStream: Sendable {
    package enum Kind: UInt8, Sendable, CaseIterable {
        case train
        /// What devices send in the response slots of a train (PAwR).
        case responses
        case cis
        case bis
        /// The control channel of a broadcast isochronous group.
        case bigControl
        /// A handle with isochronous data whose beginning was not captured.
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
    package let key: Connection.Key
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
    /// From event to event; zero where it is not known.
    package var interval = TimeSpan.zero
    package var isEncrypted = false
    package var start = Timestamp(nanoseconds: 0)
    package var end = Timestamp(nanoseconds: 0)
    package var packets = 0
    /// Events of which nothing was heard, between others; in a host's capture SDUs that are missing in the sequence.
    package var missed = 0
    /// SDUs that the controller reports as lost.
    package var lost = 0

    init(_ kind: Kind, _ key: Connection.Key) {
        self.kind = kind
        self.key = key
    }

    /// "BIS 2"
    package var name: String {
        switch kind {
        case .bis where index > 0: "BIS \(index)"
        case .cis where group != nil: "CIS \(index)"
        default: kind.name
        }
    }
}

/// The place of a PDU in its stream.
package struct StreamPDU: Sendable {
    /// Index in `Tracker.streams`.
    package let stream: Int32
    package let kind: AirStream.Kind
    /// CIS_ID, or BIS_Number; 0 where it is not known.
    package let index: UInt8
    package let isEncrypted: Bool
    /// Which PDU of periodic advertising it is.
    package var context = LL.AdvertisingContext.periodic
    /// Of a train: whether the PDU is none that an AuxPtr leads to, as the recorder or its time says.
    package var isCertain = true
    /// The number of the periodic advertising event.
    package var event: UInt16?
    package var subevent: UInt8?
    /// Number of the response slot in its subevent.
    package var responseSlot: UInt8?
    /// Number of the payload of a broadcast isochronous stream.
    package var payload: UInt64?
}
