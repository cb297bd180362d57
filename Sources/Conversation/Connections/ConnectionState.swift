import Bytes
package import Captures
package import PluginKit

/// The state of a connection at the current event, shared by all rules that see it.
package final class ConnectionState {
    /// From 1; 0 for events outside connections.
    package var number: Int { state.number }
    /// The frame that opened it, or else the first captured frame.
    package let opened: FrameReference
    /// A small index, unique among the connections that are open at the same time.
    package internal(set) var slot = 0
    package internal(set) var state: Connection
    /// The direction in which the central sends; unknown where the capture does not show it.
    package internal(set) var central = Direction.unknown
    /// Indices of the devices that send `.sent` and `.received` frames; -1 where they are not known.
    package internal(set) var sender: Int32 = -1
    package internal(set) var receiver: Int32 = -1
    package internal(set) var settings = LinkParameters()
    /// Interval, latency and supervision timeout; nil where they were not captured, and on BR/EDR.
    package var parameters: ConnectionParameters? { settings.timing }
    /// The first gap of each kind.
    package internal(set) var gaps: [CaptureGap.Reason: FrameReference] = [:]
    package internal(set) var isClosed = false
    /// ATT_MTUs of the open enhanced ATT bearers, in bytes, by the bearers' numbers.
    package internal(set) var bearers: [UInt8: UInt16] = [:]

    package init(number: Int, opened: FrameReference) {
        state = Connection(number: number)
        self.opened = opened
    }

    /// Whether the connection is evaluated here; false for a connection of another shard.
    package internal(set) var isOwned = true
    /// Whether it turned out to be no connection: no rule is evaluated on it.
    package internal(set) var isDismissed = false
    /// Whether an event opened the connection handle; true on the air, where there is none.
    package internal(set) var isHandleOpened = true

    /// Number of the last frame at which something was missing; 0 for none.
    package internal(set) var lastGap = 0
    /// Number of the last frame with a request that was sent before the response to the previous one; 0 for none.
    package internal(set) var lastOverlap = 0

    /// Index of the device that is the central; nil where it is not known.
    package var client: Int? {
        let device: Int32 =
            switch central {
            case .sent: sender
            case .received: receiver
            default: -1
            }
        return device < 0 ? nil : Int(device)
    }

    /// The sender in a direction.
    func sender(of direction: Direction) -> FrameReference.Sender {
        if central == .unknown || direction == .unknown { return .unknown }
        return direction == central ? .central : .peripheral
    }

    /// The reason why missing traffic is inconclusive; nil if it is conclusive.
    package var incompleteness: String? {
        state.isBeginningCaptured ? loss : "the start of the connection was not captured"
    }

    /// The same for traffic after the connection's first captured frame.
    package var loss: String? {
        if state.isGapless { return nil }
        return gaps.min { ($0.value, $0.key.rawValue) < ($1.value, $1.key.rawValue) }
            .map { "\($0.key.rawValue) in frame \($0.value.frame)" }
    }
}
