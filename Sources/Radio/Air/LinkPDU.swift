package import Bluetooth
import BluetoothCrypto
import Bytes

/// Identifies a connection between two controllers on the radio.
package struct LinkID: Hashable, Sendable {
    let number: UInt64
}

/// A data channel PDU in transit (Vol 6, Part B, 2.4).
package struct LinkPDU: Sendable {
    package enum Content: Sendable {
        /// First fragment of an L2CAP PDU, or a complete one.
        case start([UInt8])
        /// Continuation fragment of an L2CAP PDU.
        case continuation([UInt8])
        case control(any LL.ControlPDU)
    }

    package var content: Content
    /// Encryption session; nil if unencrypted. Only a receiver with the same session can read the PDU.
    package var session: EncryptionSession?

    /// Payload length, in bytes.
    var count: Int {
        switch content {
        case .start(let bytes), .continuation(let bytes): bytes.count
        case .control(let pdu): pdu.encoded.count + 1
        }
    }
}

/// Inputs of an encrypted link's session key: two ends with equal inputs can read each other's PDUs (Vol 6, Part B,
/// 5.1.3.1).
package struct EncryptionSession: Hashable, Sendable {
    var key: SecretKey
    var centralDiversifier: UInt64
    var peripheralDiversifier: UInt64
    var centralVector: UInt32
    var peripheralVector: UInt32
}

/// A change that both ends of a link apply at the same connection event (Vol 6, Part B, 5.1.1, 5.1.2 and 5.1.10).
package enum LinkChange: Sendable {
    case timing(LinkTiming)
    case channelMap(LL.ChannelMapInd)
    case phys(LL.PHYUpdateInd)
}

/// Air time of packets (Vol 6, Part B, 2.1 and 2.2).
enum AirTime {
    /// Time between a packet and its response, in nanoseconds.
    static let interFrameSpace = 150 * Span.microsecond

    /// Air time in nanoseconds of a data channel PDU with a payload of this length.
    static func nanoseconds(payload: Int, encrypted: Bool, on phy: HCI.PHY) -> Int64 {
        let bits = Int64(8 * (2 + payload + (encrypted && payload > 0 ? 4 : 0) + 3))
        let microseconds: Int64 =
            switch phy {
            // Preamble and access address: 1 + 4 bytes.
            case .le1M: 40 + bits
            // 2 + 4 bytes at twice the rate.
            case .le2M: 24 + bits / 2
            // S=8: preamble, access address, coding indicator, termination fields, then 8 symbols per bit.
            default: 80 + 256 + 16 + 24 + bits * 8 + 24
            }
        return microseconds * Span.microsecond
    }
}
