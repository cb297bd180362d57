package import Bytes

/// One end of a link that carries HCI packets.
///
/// Its methods never block: `TransportLoop` waits for all links at once and calls `advance` when there is work.
package protocol Transport: AnyObject {
    /// Display name, such as `tcp-server:127.0.0.1:6402`.
    var name: String { get }
    /// Descriptors to poll.
    var interests: [Interest] { get }
    /// Time of the next action without input; nil for none.
    var nextEvent: Timestamp? { get }

    /// Performs the actions pending at `now`; `ready` contains the descriptors ready for reading or writing.
    func advance(_ ready: [Readiness], to now: Timestamp) -> [TransportEvent]
    /// Sends a packet, beginning with its packet indicator. Without a peer, the packet is lost.
    func send(_ packet: [UInt8], at now: Timestamp) -> [TransportEvent]
    /// Closes the link permanently, after sending what is possible without blocking.
    func close()
}

/// An event on a link.
package enum TransportEvent: Hashable, Sendable {
    /// A peer is connected.
    case connected
    /// A received packet, beginning with its packet indicator; the comment describes injected faults. On a link of bytes,
    /// the bytes of one read.
    case packet([UInt8], comment: String?)
    /// A message: bytes outside packets, or an injected fault.
    case note(String)
    /// The peer has disconnected; a server waits for the next one.
    case disconnected(String)
    /// The link is closed permanently.
    case closed(String)
}

/// An error in opening a link, with advice.
package struct TransportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// SPEC of the link.
    package var transport: String
    package var text: String
    /// Empty if there is none.
    package var advice: String

    package init(_ transport: String, _ text: String, advice: String = "") {
        self.transport = transport
        self.text = text
        self.advice = advice
    }

    package var description: String { "\(transport): \(text)" + (advice.isEmpty ? "" : "; \(advice)") }
}
