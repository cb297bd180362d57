import Bluetooth
import Bytes
import PluginKit
import Profile

/// Checks the sequence numbers of each counter in a capture, separately for each connection: a recording of both ends
/// of a link contains each event twice, and a counter notifies each of its clients.
struct CountFollower: DeviceFollower {
    /// The place of an event in the sequence of its device.
    static let sequence = Field("lifecount.sequence", "Sequence", .text)
    /// Number of missing events before this one.
    static let missing = Field("lifecount.missing", "Missing Events", .decimal)
    /// Maximum number of counter connections followed at one time; beyond it, the one idle longest starts over.
    static let limit = 256

    /// A connection of a counter.
    private struct Key: Hashable {
        var deviceID: Int
        var recordedAt: Int
        var connection: Int
    }

    /// Sequence state of a connection and of those before it.
    private struct Numbers {
        private var tracker = SequenceRuleTracker()
        /// Sequence state since a first event of a boot, while that event may be the known one or an equal one of a
        /// later boot.
        private var ofLaterBoot: SequenceRuleTracker?
        /// Number of the last frame.
        var frame = 0

        /// Continues in another connection, before which the counter may have restarted.
        mutating func reconnect(with event: CountEvent) {
            if event.header.firstSinceBoot { ofLaterBoot = SequenceRuleTracker() }
        }

        mutating func classify(_ event: CountEvent) -> SequenceRuleTracker.Verdict {
            let former = tracker.lastNumber
            let verdict = tracker.classify(event)
            guard var restarted = ofLaterBoot else { return verdict }
            _ = restarted.classify(event)
            switch verdict {
            case .duplicate(isReplayed: true):
                ofLaterBoot = restarted
                return verdict
            case .duplicate(isReplayed: false), .contradiction, .reset(_, isConfirmed: false):
                (tracker, ofLaterBoot) = (restarted, nil)
                return .reset(from: former ?? 0, isConfirmed: true)
            case .first, .inOrder, .missing, .recovered, .reset(_, isConfirmed: true):
                ofLaterBoot = nil
                return verdict
            }
        }
    }

    private var connections: [Key: Numbers] = [:]

    mutating func follow(_ event: DeviceEvent) -> [Annotation] {
        guard event.operation == .notify, event.message == CharacteristicName.countEvent.rawValue,
            let count = try? RecordDecoder().decode(CountEvent.self, from: event.value)
        else { return [] }
        let key = Key(deviceID: count.deviceId, recordedAt: event.recordedAt, connection: event.connection)
        let isNew = connections[key] == nil
        var numbers = connections[key] ?? latest(before: key) ?? Numbers()
        if isNew { numbers.reconnect(with: count) }
        let verdict = numbers.classify(count)
        if isNew, connections.count >= Self.limit,
            let idle = connections.min(by: { $0.value.frame < $1.value.frame })?.key
        {
            connections[idle] = nil
        }
        numbers.frame = event.frame
        connections[key] = numbers
        return verdict.annotations
    }

    /// The sequence state of the previous connection at the same end of the link: the sequence continues.
    private func latest(before key: Key) -> Numbers? {
        connections.filter { $0.key.deviceID == key.deviceID && $0.key.recordedAt == key.recordedAt }
            .max { $0.value.frame < $1.value.frame }?.value
    }
}

extension SequenceRuleTracker.Verdict {
    fileprivate var annotations: [Annotation] {
        var annotations = [Annotation(CountFollower.sequence, .text(title), warning: warning)]
        if case .missing(let count, _) = self {
            annotations.append(Annotation(CountFollower.missing, .number(UInt64(count))))
        }
        return annotations
    }
}
