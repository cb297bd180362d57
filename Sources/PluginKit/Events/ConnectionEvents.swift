public import Bytes

/// Timing parameters of a connection (Vol 6, Part B, 4.5.1 and 4.5.2).
public struct ConnectionParameters: Hashable, Sendable {
    /// Connection interval in units of 1.25 ms, 6 to 3200.
    public var interval: UInt16
    /// Number of connection events that the peripheral may skip, 0 to 499.
    public var latency: UInt16
    /// Supervision timeout in units of 10 ms, 10 to 3200.
    public var timeout: UInt16

    public init(interval: UInt16, latency: UInt16, timeout: UInt16) {
        self.interval = interval
        self.latency = latency
        self.timeout = timeout
    }
}

/// The end of a connection.
public struct ConnectionClosing: Hashable, Sendable {
    public enum Cause: Hashable, Sendable {
        /// One side ended the connection, or it was lost: the controller's reason (Vol 1, Part F).
        case reason(UInt8)
        /// No end was reported: the controller was reset, or reused the connection handle for another connection.
        case unknown
    }

    public var cause: Cause
    /// The time before the end during which the sides may not have received each other's packets: the supervision
    /// timeout for a lost connection (Vol 6, Part B, 4.5.2).
    public var silence = TimeSpan.zero

    public init(_ cause: Cause) {
        self.cause = cause
    }

    /// Connection Timeout: nothing was received from the other side for the supervision timeout.
    public var isLoss: Bool { cause == .reason(0x08) }
    /// Whether the remote side, as seen from the captured host, ended the connection (Vol 1, Part F, 2.19).
    public var isByRemote: Bool { [0x13, 0x14, 0x15].contains { cause == .reason($0) } }
    /// Whether the captured host ended the connection (Vol 1, Part F, 2.22).
    public var isByLocalHost: Bool { cause == .reason(0x16) }
}

/// A part of a connection that is missing or unreadable.
public struct CaptureGap: Hashable, Sendable {
    public enum Reason: String, Hashable, Sendable {
        case cutPacket = "a packet was truncated"
        case droppedPackets = "the recorder dropped packets"
        case lostFragment = "part of a PDU is missing"
        case enhancedBearer = "an enhanced ATT bearer whose beginning was not captured is not decoded"
        case missedPDU = "a PDU was not received"
        case badCRC = "a PDU has a bad CRC"
        case encrypted = "traffic is encrypted"
        case undecidedEncryption = "traffic may be encrypted"
        case unknownDirection = "the sender of a PDU is unknown"
        case unaskedResponse = "the request of a response was not captured"
        case unanswered = "a request was not answered before the next one"
        case changedTable = "the server's attribute table changed"
        case unseenEnd = "the end of the connection was not captured"
        case clockJump = "the timestamps went backwards"
    }

    public var reason: Reason

    public init(_ reason: Reason) {
        self.reason = reason
    }
}

/// A pairing step, or a request for security (Vol 3, Part H, 2.3 and 3.6.7).
public struct SecurityStep: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// The peripheral requests security.
        case securityRequest
        case pairingRequest
        case pairingResponse
        case failed(reason: UInt8)
        /// Any other pairing command, by its code.
        case other(UInt8)
    }

    public var kind: Kind
    public var isFromDevice: Bool

    public init(_ kind: Kind, isFromDevice: Bool) {
        self.kind = kind
        self.isFromDevice = isFromDevice
    }
}
