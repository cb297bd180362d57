import Bytes
package import Captures
package import PluginKit

/// The state of a connection at the current event, shared by all rules that see it.
package final class ConnectionState {
    /// From 1; 0 for what belongs to no connection.
    package let number: Int
    /// Where it began, or where the capture first shows it.
    package let opened: FrameReference
    /// A number below those of all connections that are open at the same time, and of no other one of them.
    package internal(set) var slot = 0
    package internal(set) var state = LinkState()
    /// The way in which the central sends; unknown where the capture does not tell.
    package internal(set) var central = Direction.unknown
    /// Indices of the devices that send what is `.sent` and what is `.received`; -1 where they are not known.
    package internal(set) var sender: Int32 = -1
    package internal(set) var receiver: Int32 = -1
    /// The parameters in force at the current event.
    package internal(set) var settings = LinkParameters()
    /// Interval, latency and supervision timeout; nil where they were not captured, and on BR/EDR.
    package var parameters: ConnectionParameters? { settings.timing }
    /// The first gap of each kind.
    package internal(set) var gaps: [CaptureGap.Reason: FrameReference] = [:]
    package internal(set) var isClosed = false
    /// What each side offered in its last Exchange MTU Request, in bytes, by the direction of the request.
    package internal(set) var offeredMTUs: [Direction: UInt16] = [:]
    /// ATT_MTUs of the enhanced ATT bearers that are open, in bytes, by the bearers' numbers.
    package internal(set) var bearers: [UInt8: UInt16] = [:]

    package init(number: Int, opened: FrameReference) {
        self.number = number
        self.opened = opened
    }

    /// Whether the connection is evaluated here; false for one of another shard.
    package internal(set) var isOwned = true
    /// Whether it turned out to be no connection: no rule is evaluated on it.
    package internal(set) var isDismissed = false
    /// Whether an event opened the handle of the connection; true on the air, where a connection has none.
    package internal(set) var isHandleOpened = true

    /// Number of the last frame at which something was missing; 0 for none.
    package internal(set) var lastGap = 0
    /// Number of the last frame with a request that did not wait for the response to the one before; 0 for none.
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

    /// Who sends in a direction.
    func sender(of direction: Direction) -> FrameReference.Sender {
        if central == .unknown || direction == .unknown { return .unknown }
        return direction == central ? .central : .peripheral
    }

    /// Why what did not come cannot be taken for not done; nil where it can.
    package var incompleteness: String? {
        state.isBeginningCaptured ? loss : "the start of the connection was not captured"
    }

    /// The same of what came after the beginning, or after the capture's.
    package var loss: String? {
        if state.isGapless { return nil }
        return gaps.min { ($0.value, $0.key.rawValue) < ($1.value, $1.key.rawValue) }
            .map { "\($0.key.rawValue) in frame \($0.value.frame)" }
    }
}
