package import Bytes

/// A link that carries HCI packets, seen from one of its ends.
///
/// Nothing in it waits: `TransportLoop` waits for all links at once, and lets each do what is due.
package protocol Transport: AnyObject {
    /// What it is, for people, e.g. `tcp-server:127.0.0.1:6402`.
    var name: String { get }
    /// What the system should watch for it.
    var interests: [Interest] { get }
    /// When something is due though nothing comes in; nil for never.
    var nextEvent: Timestamp? { get }

    /// Does what is due at `now`; `ready` are the descriptors that something can be done with.
    func advance(_ ready: [Readiness], to now: Timestamp) -> [TransportEvent]
    /// Sends a packet, packet indicator first. Where nobody is at the other end, or not any more, it is lost.
    func send(_ packet: [UInt8], at now: Timestamp) -> [TransportEvent]
    /// Closes for good; sends what can be sent without waiting.
    func close()
}

/// What happens on a link.
package enum TransportEvent: Hashable, Sendable {
    /// Somebody is at the other end.
    case connected
    /// A packet came in, packet indicator first; a comment says what was done to it on the way.
    case packet([UInt8], comment: String?)
    /// Something that is no packet: bytes that begin none, harm that was done.
    case note(String)
    /// Nobody is at the other end any more; of a server, until the next one comes.
    case disconnected(String)
    /// The link is of no use any more.
    case closed(String)
}

/// Why a link cannot be opened, and what to do about it.
package struct TransportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The SPEC.
    package var transport: String
    package var text: String
    /// Empty where there is nothing to do.
    package var advice: String

    package init(_ transport: String, _ text: String, advice: String = "") {
        self.transport = transport
        self.text = text
        self.advice = advice
    }

    package var description: String { "\(transport): \(text)" + (advice.isEmpty ? "" : "; \(advice)") }
}
