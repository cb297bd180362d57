public import Bytes
package import Captures

/// What a capture shows of a connection, as of the current event.
///
/// There is one instance for each connection, which the conversation updates: a rule that needs an earlier state keeps
/// the parts that it needs.
public final class Connection {
    /// From 1; 0 for events without a connection, such as advertisements.
    public let number: Int
    /// The frame that opened it, or else the first captured frame.
    public let opened: FrameReference
    /// Whether the beginning of the connection was captured.
    public package(set) var isBeginningCaptured = true
    /// Whether nothing after the beginning is known to be missing.
    public package(set) var isGapless = true
    public package(set) var isClosed = false
    /// Interval, latency and supervision timeout; nil where they were not captured, and on BR/EDR.
    public package(set) var parameters: ConnectionParameters?
    public package(set) var isEncrypted = false
    /// Whether a host has started encryption and no event has confirmed it yet.
    public package(set) var isStartingEncryption = false
    /// Whether a Pairing Request was captured.
    public package(set) var hasPaired = false
    /// ATT_MTU of the bearer of the event, in bytes.
    public package(set) var mtu = 23
    /// Whether both sides have stated their MTU.
    public package(set) var isMTUExchanged = false
    /// Client Rx MTU, in bytes; nil before the exchange.
    public package(set) var clientMTU: Int?
    /// ATT_MTUs of the open enhanced ATT bearers, in bytes, by the bearers' numbers.
    package var bearers: [UInt8: UInt16] = [:]

    /// The direction in which the central sends; unknown where the capture does not show it.
    package var central = Direction.unknown
    /// Indices of the devices that send `.sent` and `.received` frames; -1 where they are not known.
    package var sender: Int32 = -1
    package var receiver: Int32 = -1

    /// The first gap of each kind.
    package private(set) var gaps: [CaptureGap.Reason: FrameReference] = [:]
    /// Number of the last frame at which something was missing; 0 for none.
    package var lastGap = 0
    /// Number of the last frame with a request that was sent before the response to the previous one; 0 for none.
    package var lastOverlap = 0
    /// Whether an event opened the connection handle; true on the air, where there is none.
    package var isHandleOpened = true
    /// Whether the connection is evaluated here; false for a connection of another shard.
    package var isOwned = true
    /// Whether it turned out to be no connection: no rule is evaluated on it.
    package var isDismissed = false

    public init(number: Int = 0, opened: FrameReference = FrameReference(frame: 0, time: .epoch)) {
        self.number = number
        self.opened = opened
    }

    /// Whether the PDU may have been sent encrypted: on USB, events and data have separate endpoints, and either may arrive
    /// first (Vol 4, Part B, 2.1).
    public var mayBeEncrypted: Bool { isEncrypted || isStartingEncryption }

    /// Whether the devices may be bonded from an earlier connection: then the client may keep that connection's table
    /// (Vol 3, Part G, 2.5.2).
    public var mayBeBonded: Bool { mayBeEncrypted && !hasPaired }

    /// Whether an event that was not captured did not occur: nothing of the connection is missing.
    public var isComplete: Bool { isBeginningCaptured && isGapless }

    /// Records the first gap of a kind. Returns false for a further one.
    package func record(_ reason: CaptureGap.Reason, at moment: FrameReference) -> Bool {
        guard gaps[reason] == nil else { return false }
        gaps[reason] = moment
        isGapless = false
        return true
    }

    /// The reason why missing traffic is inconclusive; nil if it is conclusive.
    package var incompleteness: String? {
        isBeginningCaptured ? loss : "the start of the connection was not captured"
    }

    /// The same for traffic after the connection's first captured frame.
    package var loss: String? {
        if isGapless { return nil }
        return gaps.min { ($0.value, $0.key.rawValue) < ($1.value, $1.key.rawValue) }
            .map { "\($0.key.rawValue) in frame \($0.value.frame)" }
    }

    /// Index of the central among the devices of the capture; nil if its address was not captured.
    public var client: Int? {
        let device: Int32 =
            switch central {
            case .sent: sender
            case .received: receiver
            default: -1
            }
        return device < 0 ? nil : Int(device)
    }

    /// The sender in a direction.
    package func sender(of direction: Direction) -> FrameReference.Sender {
        if central == .unknown || direction == .unknown { return .unknown }
        return direction == central ? .central : .peripheral
    }
}
