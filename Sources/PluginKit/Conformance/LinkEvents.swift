/// How a connection began.
package struct ConnectionOpening: Hashable, Sendable {
    /// False where the capture begins amid the connection.
    package var isBeginningCaptured: Bool
    /// Nil where they were not told.
    package var parameters: ConnectionParameters?
    /// The number of the client among the devices of the capture; nil where its address was not told.
    package var client: Int?

    package init(isBeginningCaptured: Bool, parameters: ConnectionParameters? = nil, client: Int? = nil) {
        self.isBeginningCaptured = isBeginningCaptured
        self.parameters = parameters
        self.client = client
    }
}

/// Times of a connection (Vol 6, Part B, 4.5.1 and 4.5.2).
package struct ConnectionParameters: Hashable, Sendable {
    /// In 1.25 ms, 6 to 3200.
    package var interval: UInt16
    /// Connection events that the peripheral may leave out, 0 to 499.
    package var latency: UInt16
    /// Supervision timeout in 10 ms, 10 to 3200.
    package var timeout: UInt16

    package init(interval: UInt16, latency: UInt16, timeout: UInt16) {
        self.interval = interval
        self.latency = latency
        self.timeout = timeout
    }
}

/// How a connection ended.
package struct ConnectionClosing: Hashable, Sendable {
    package enum Cause: Hashable, Sendable {
        /// Somebody ended it, or it was lost: the controller's reason (Vol 1, Part F).
        case reason(UInt8)
        /// A reset of the controller, or another connection took its handle: nobody told an end.
        case unknown
    }

    package var cause: Cause

    package init(_ cause: Cause) {
        self.cause = cause
    }

    /// Connection Timeout: nothing was heard of the other side for the supervision timeout.
    package var isLoss: Bool { cause == .reason(0x08) }
    /// The other side ended it, as seen from where the capture was made (Vol 1, Part F, 2.19).
    package var isByRemote: Bool { [0x13, 0x14, 0x15].contains { cause == .reason($0) } }
    /// The host of the capture ended it (Vol 1, Part F, 2.22).
    package var isByLocalHost: Bool { cause == .reason(0x16) }
}

/// What is missing of a connection, or cannot be read.
package struct CaptureGap: Hashable, Sendable {
    package enum Reason: String, Hashable, Sendable {
        case cutPacket = "a packet was truncated"
        case droppedPackets = "the recorder dropped packets"
        case lostFragment = "part of a PDU is missing"
        case missedPDU = "a PDU was not received"
        case badCRC = "a PDU has a bad CRC"
        case encrypted = "traffic is encrypted"
        case undecidedEncryption = "traffic may be encrypted"
        case unknownDirection = "the sender of a PDU is unknown"
        case unaskedResponse = "the request of a response was not captured"
        case unanswered = "a request was not answered before the next one"
        case clockJump = "the timestamps went backwards"
    }

    package var reason: Reason

    package init(_ reason: Reason) {
        self.reason = reason
    }
}

/// A step of pairing, or the wish for it (Vol 3, Part H, 2.3 and 3.6.7).
package struct SecurityStep: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// The peripheral asks for security.
        case securityRequest
        case pairingRequest
        case pairingResponse
        case failed(reason: UInt8)
        /// Any other command of pairing, by its code.
        case other(UInt8)
    }

    package var kind: Kind
    package var isFromDevice: Bool

    package init(_ kind: Kind, isFromDevice: Bool) {
        self.kind = kind
        self.isFromDevice = isFromDevice
    }
}
