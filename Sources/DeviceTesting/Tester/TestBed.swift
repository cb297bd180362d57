package import Bytes
package import Captures
package import Host
package import PluginKit

/// The environment of a device test: the hosts of the lower tester, each on a controller; time; and the upper tester.
///
/// A case calls it in sequence, and nothing happens between two calls. One implementation advances virtual time, the
/// other waits for a real controller.
package protocol TestBed: AnyObject {
    /// The time on the tester's side.
    var now: Timestamp { get }
    /// Number of hosts of the lower tester; only the first is used unless a case needs two clients.
    var hostCount: Int { get }
    /// Whether time is virtual and passes without waiting.
    var isVirtual: Bool { get }
    func host(_ index: Int) -> Host
    func perform(_ request: Host.Request, host index: Int) throws
    /// Advances time until a host reports an event or `limit` is reached; empty at the limit. Earlier reports are
    /// returned first.
    func events(until limit: Timestamp) throws -> [HostReport]
    /// Has the upper tester perform an action on the device; throws `TestStop.notApplicable` where it is not possible.
    func perform(_ action: HandAction) throws
    /// Asks the device's user to answer a pairing prompt; nil for no answer.
    func answer(_ prompt: Pairing.Prompt, within limit: Duration) throws -> Pairing.Answer?
    /// Packets between the tester's hosts and their controllers since the start of the case.
    var packets: [RecordedPacket] { get }
    /// Starts a case: packets are counted from here.
    func begin() throws
}

/// An event of one of the tester's hosts.
package struct HostReport: Sendable {
    package var host: Int
    package var event: Host.Event
}

/// A packet between a host of the tester and its controller, packet indicator first.
package struct RecordedPacket: Sendable {
    package var bytes: [UInt8]
    package var isSent: Bool
    package var host: Int
    package var time: Timestamp

    fileprivate var direction: Direction { isSent ? .sent : .received }
}

extension [RecordedPacket] {
    /// The packets as a separate capture.
    package var batch: PacketBatch {
        var batch = PacketBatch()
        for (index, packet) in enumerated() {
            batch.append(h4: packet.bytes, direction: packet.direction, number: index + 1, time: packet.time)
            batch.packets[index].adapter = UInt16(packet.host)
        }
        return batch
    }
}

extension CaptureWriter {
    /// Writes packets with their host as the adapter, where the format has one. The comment is attached to the first
    /// packet.
    package func write(
        _ packets: some Sequence<RecordedPacket>, comment: String? = nil
    ) throws(CaptureError) {
        var comment = comment
        for packet in packets {
            try write(
                h4: packet.bytes, direction: packet.direction, adapter: UInt16(packet.host), time: packet.time,
                comment: comment)
            comment = nil
        }
    }
}

/// An action on the device: performed by a person, by a robot, or as a stimulus of a twin.
package struct HandAction: Hashable, Sendable {
    package var stimulus: Stimulus
    /// Description in a sentence.
    package var text: String
    /// Time limit.
    package var limit: Duration
    /// Whether it is a yes/no question.
    package private(set) var isQuestion: Bool

    package init(_ stimulus: Stimulus, text: String, limit: Duration = .seconds(60)) {
        self.stimulus = stimulus
        self.text = text
        self.limit = limit
        isQuestion = false
    }

    /// A question about what the client shows; the answer no is a failure.
    init(asking question: String) {
        self.init(Stimulus("ask"), text: question)
        isQuestion = true
    }
}

/// Why a case ends before its last step.
package enum TestStop: Error, Hashable, Sendable {
    /// The device violated a requirement.
    case failed(expected: String, observed: String)
    /// The case cannot decide whether the device behaves correctly.
    case inconclusive(String)
    /// The case does not apply to this device, or cannot run here.
    case notApplicable(String)
    /// The user interrupted the run.
    case interrupted
}
