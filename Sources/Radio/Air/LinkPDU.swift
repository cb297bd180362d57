package import Bluetooth
import BluetoothCrypto
import Bytes

/// A connection between two controllers: what names it on the radio.
package struct LinkID: Hashable, Sendable {
    let number: UInt64
}

/// A data channel PDU on its way (Vol 6, Part B, 2.4).
package struct LinkPDU: Sendable {
    /// What it carries.
    package enum Content: Sendable {
        /// The beginning of an L2CAP PDU, or all of it.
        case start([UInt8])
        /// What follows of an L2CAP PDU.
        case continuation([UInt8])
        case control(any LL.ControlPDU)
    }

    package var content: Content
    /// What it is encrypted with; nil where it is not. Only who has the same reads it.
    package var session: EncryptionSession?

    /// Bytes of payload.
    var count: Int {
        switch content {
        case .start(let bytes), .continuation(let bytes): bytes.count
        case .control(let pdu): pdu.encoded.count + 1
        }
    }
}

/// What the session key of an encrypted link is made of: equal ends understand each other (Vol 6, Part B, 5.1.3.1).
package struct EncryptionSession: Hashable, Sendable {
    var key: SecretKey
    var centralDiversifier: UInt64
    var peripheralDiversifier: UInt64
    var centralVector: UInt32
    var peripheralVector: UInt32
}

/// What changes for both ends of a link at the same connection event (Vol 6, Part B, 5.1.1, 5.1.2 and 5.1.10).
package enum LinkChange: Sendable {
    case timing(LinkTiming)
    case channelMap(LL.ChannelMapInd)
    case phys(LL.PHYUpdateInd)
}

/// How long packets take (Vol 6, Part B, 2.1 and 2.2).
enum AirTime {
    /// From the end of a packet to the beginning of its answer.
    static let interFrameSpace = 150 * Span.microsecond

    /// Air time in nanoseconds of a data channel PDU with a payload of this length.
    static func nanoseconds(payload: Int, encrypted: Bool, on phy: HCI.PHY) -> Int64 {
        let bits = Int64(8 * (2 + payload + (encrypted && payload > 0 ? 4 : 0) + 3))
        let microseconds: Int64 =
            switch phy {
            // Preamble and access address: 1 + 4 bytes.
            case .le1M: 40 + bits
            // 2 + 4 bytes at twice the speed.
            case .le2M: 24 + bits / 2
            // S=8: preamble, access address, coding indicator, terminations, then 8 symbols a bit.
            default: 80 + 256 + 16 + 24 + bits * 8 + 24
            }
        return microseconds * Span.microsecond
    }
}
