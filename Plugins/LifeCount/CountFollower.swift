import ATT
import Bytes
import PluginKit
import Profile

/// Checks the sequence numbers of each counter in a capture, once for each connection: a recording of both ends of a link
/// holds each event twice, and a counter notifies each of its clients.
struct CountFollower: DeviceFollower {
    /// The place of an event in the sequence of its device.
    static let sequence = Field("lifecount.sequence", "Sequence", .text)
    /// Number of missing events before this one.
    static let missing = Field("lifecount.missing", "Missing Events", .decimal)
    /// Connections of counters that are followed at one time; of more, the one idle longest starts over.
    static let limit = 256

    /// A connection of a counter.
    private struct Key: Hashable {
        var deviceID: Int
        var recordedAt: Int
        var connection: Int
    }

    /// With the last frame of each.
    private var trackers: [Key: (tracker: SequenceRuleTracker, frame: Int)] = [:]

    mutating func follow(_ event: DeviceEvent) -> [Annotation] {
        guard event.operation == .notify, event.message == CharacteristicName.countEvent.rawValue,
            let count = try? RecordDecoder().decode(CountEvent.self, from: event.value)
        else { return [] }
        let key = Key(deviceID: count.deviceId, recordedAt: event.recordedAt, connection: event.connection)
        var tracker = trackers[key]?.tracker ?? latest(before: key) ?? SequenceRuleTracker()
        let verdict = tracker.classify(count)
        if trackers.count >= Self.limit, trackers[key] == nil,
            let idle = trackers.min(by: { $0.value.frame < $1.value.frame })?.key
        {
            trackers[idle] = nil
        }
        trackers[key] = (tracker, event.frame)
        return verdict.annotations
    }

    /// The tracker of the connection before at the same end of the link: the sequence continues.
    private func latest(before key: Key) -> SequenceRuleTracker? {
        trackers.filter { $0.key.deviceID == key.deviceID && $0.key.recordedAt == key.recordedAt }
            .max { $0.value.frame < $1.value.frame }?.value.tracker
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
