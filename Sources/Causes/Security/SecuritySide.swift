import Bluetooth
import Captures
import Conversation
import PluginKit

/// A side of a connection, as texts name it.
enum SecuritySide: Hashable, Sendable {
    case central, peripheral
    /// The host whose log it is, and the device at the other end, where the log does not show which is the central.
    case host, peer
    case unknown

    /// The sender of an event's frame.
    init(_ event: Event) { self.init(event, event.direction) }

    /// The side that sends in a direction.
    init(_ event: Event, _ direction: Direction) {
        let central = event.connection.central
        switch direction {
        case .unknown: self = .unknown
        case _ where central != .unknown: self = direction == central ? .central : .peripheral
        case _ where event.frame.metadata.hci == nil: self = .unknown
        case .sent: self = .host
        case .received: self = .peer
        }
    }

    /// As the subject of a sentence: `the peripheral`.
    var name: String {
        switch self {
        case .central: "the central"
        case .peripheral: "the peripheral"
        case .host: "the captured host"
        case .peer: "the other device"
        case .unknown: "one side"
        }
    }

    var other: SecuritySide {
        switch self {
        case .central: .peripheral
        case .peripheral: .central
        case .host: .peer
        case .peer: .host
        case .unknown: .unknown
        }
    }
}

extension String {
    /// The text with its first letter in upper case.
    var asSentence: String { prefix(1).uppercased() + dropFirst() }
}
