package import Bluetooth
import Bytes

extension Host {
    /// A connection as it was made.
    package struct Connection: Hashable, Sendable {
        /// This device's.
        package var role: HCI.Role
        /// The address that the peer uses.
        package var peer: DeviceAddress
        /// The peer's identity, where a bond has it.
        package var identity: DeviceAddress?
        package var timing: Timing

        /// How often the two devices meet.
        package struct Timing: Hashable, Sendable {
            /// In 1.25 ms.
            package var interval: UInt16
            /// Connection events that the peripheral may skip.
            package var latency: UInt16
            /// In 10 ms.
            package var supervisionTimeout: UInt16

            package init(interval: UInt16, latency: UInt16, supervisionTimeout: UInt16) {
                self.interval = interval
                self.latency = latency
                self.supervisionTimeout = supervisionTimeout
            }
        }
    }
}

/// All that the host keeps of one connection.
struct Link: Sendable {
    var connection: Host.Connection
    var assembler = FrameAssembler()
    var client: AttributeClient
    var signaling: SignalingChannel
    var pairing: Pairing
    var security = LinkSecurity()
    /// Whether encryption was started with a bond's key, and not with one that pairing has just made.
    var isResuming = false

    /// When something of it has waited too long.
    var deadline: Timestamp? {
        [client.deadline, signaling.deadline, pairing.deadline].compactMap { $0 }.min()
    }
}
