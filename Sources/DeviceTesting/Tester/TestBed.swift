package import Bytes
package import Captures
package import Host
package import PluginKit

/// Where a device is tested: the hosts of the lower tester, each on a controller, the passing of time, and whoever handles
/// the device.
///
/// A case calls it from top to bottom, as a person would go through it: nothing happens between two calls. One bed lets
/// virtual time pass, the other waits for a real controller.
package protocol TestBed: AnyObject {
    /// The time on the tester's side.
    var now: Timestamp { get }
    /// Hosts that the lower tester has; the first one is used unless a case needs two clients.
    var hostCount: Int { get }
    /// Whether time passes without waiting.
    var isVirtual: Bool { get }
    func host(_ index: Int) -> Host
    func perform(_ request: Host.Request, host index: Int) throws
    /// Lets time pass until a host reports something, but not beyond `limit`; empty when the limit is reached. What was
    /// reported before is handed out first.
    func events(until limit: Timestamp) throws -> [HostReport]
    /// Lets the upper tester do something to the device; throws `TestStop.notApplicable` where nobody can.
    func perform(_ action: HandAction) throws
    /// Asks whoever sees the device for what pairing needs; nil where nobody answers.
    func answer(_ prompt: Pairing.Prompt, within limit: Duration) throws -> Pairing.Answer?
    /// Packets between the tester's hosts and their controllers since the case began.
    var packets: [RecordedPacket] { get }
    /// A case begins: packets are counted from here.
    func begin() throws
}

/// Something that one of the tester's hosts reports.
package struct HostReport: Sendable {
    package var host: Int
    package var event: Host.Event
}

/// A packet between a host of the tester and its controller, its packet indicator first.
package struct RecordedPacket: Sendable {
    package var bytes: [UInt8]
    package var isSent: Bool
    package var host: Int
    package var time: Timestamp

    fileprivate var direction: Direction { isSent ? .sent : .received }
}

extension [RecordedPacket] {
    /// The packets as a capture of their own.
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
    /// Writes packets; their host is the adapter, where the format has one. The comment is the first one's.
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

/// Something that is done to the device by hand: by a person, a robot, or the stimulus of a twin.
package struct HandAction: Hashable, Sendable {
    package var stimulus: Stimulus
    /// What it is, in a sentence.
    package var text: String
    /// How long it may take.
    package var limit: Duration
    /// Whether it asks for a yes or a no.
    package private(set) var isQuestion: Bool

    package init(_ stimulus: Stimulus, text: String, limit: Duration = .seconds(60)) {
        self.stimulus = stimulus
        self.text = text
        self.limit = limit
        isQuestion = false
    }

    /// A question about what the client shows; no is a failure.
    init(asking question: String) {
        self.init(Stimulus("ask"), text: question)
        isQuestion = true
    }
}

/// Why a case ends before its last step.
package enum TestStop: Error, Hashable, Sendable {
    /// The device did something that it must not do, or did not do what it must.
    case failed(expected: String, observed: String)
    /// It cannot be told whether the device behaves well.
    case inconclusive(String)
    /// The case is not about this device, or cannot be run here.
    case notApplicable(String)
    /// The user has ended the run.
    case interrupted
}
