package import Bluetooth
import Bytes

extension Host {
    /// Properties of a connection.
    package struct Connection: Hashable, Sendable {
        /// Role of this device.
        package var role: HCI.Role
        /// The address that the peer uses.
        package var peer: DeviceAddress
        /// The peer's identity address, if a bond has it.
        package var identity: DeviceAddress?
        package var timing: Timing

        /// Connection timing parameters.
        package struct Timing: Hashable, Sendable {
            /// In units of 1.25 ms.
            package var interval: UInt16
            /// Number of connection events that the peripheral may skip.
            package var latency: UInt16
            /// In units of 10 ms.
            package var supervisionTimeout: UInt16

            package init(interval: UInt16, latency: UInt16, supervisionTimeout: UInt16) {
                self.interval = interval
                self.latency = latency
                self.supervisionTimeout = supervisionTimeout
            }
        }
    }
}

/// State of one connection.
struct Link: Sendable {
    var connection: Host.Connection
    var assembler = FrameAssembler()
    var client: AttributeClient
    var signaling: SignalingChannel
    var pairing: Pairing
    var security = LinkSecurity()
    /// Whether encryption was started with a bond's key rather than one from a pairing in progress.
    var isResuming = false

    /// Earliest deadline of the connection's components.
    var deadline: Timestamp? {
        [client.deadline, signaling.deadline, pairing.deadline].compactMap { $0 }.min()
    }
}
