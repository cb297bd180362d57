import Bytes
import Captures
import Conversation
package import PluginKit

/// What the capture showed of one connection, for the causes of its failures; or of everything outside connections.
///
/// Each history observes the events of the session and keeps what the causes of its family need, in bounded memory.
package final class Session {
    /// The connection; one with number 0 for what happens outside connections.
    package let connection: Connection
    /// What happened outside this session.
    package let capture: CaptureHistory
    package let link = LinkHistory()
    package let security = SecurityHistory()
    package let attributes = AttributeHistory()
    /// Rules of devices that were broken on this connection, in order.
    package internal(set) var brokenRules: [BrokenRule] = []
    /// Name or address of the peripheral, or of the remote device where the roles are not known.
    private(set) var device: String?
    /// Whether the history of the capture has what the session shows of its devices.
    var isRecorded = false
    /// Failures whose causes are still to be found.
    var failures: [Failure] = []

    /// Failures for which causes are sought on one connection; further ones follow from them as a rule.
    private static let failureLimit = 64

    init(_ connection: Connection, _ capture: CaptureHistory) {
        self.connection = connection
        self.capture = capture
    }

    func handle(_ event: Event) {
        capture.handle(event, on: self)
        link.handle(event, on: self)
        security.handle(event, on: self)
        attributes.handle(event, on: self)
    }

    /// Settles what is still open; `time` is the last time at which the sides could communicate.
    func finish(at time: Timestamp) {
        security.finish(self, at: time)
        attributes.finish(self, at: time)
        // The end of a connection may follow from a failure that those have found.
        link.finish(self, at: time)
    }

    /// Looks up the name of the device among those of a batch, by index.
    func name(_ devices: [Int32: Device]) {
        let index = connection.central == .received ? connection.sender : connection.receiver
        if let found = devices[index] { device = found.title }
    }

    /// Adds a failure; its cause is found when the session has ended, so that what came after it counts as well.
    func add(_ failure: Failure) {
        if failures.count < Self.failureLimit { failures.append(failure) }
    }
}

/// A rule of a device's profile that was broken.
package struct BrokenRule: Sendable {
    /// Id of the rule: `AQ-051`.
    package var rule: String
    package var title: String
    /// The frames of the finding; the last one breaks the rule.
    package var frames: [FrameReference]

    package init(rule: String, title: String, frames: [FrameReference]) {
        self.rule = rule
        self.title = title
        self.frames = frames
    }
}
