import ATT
import Bytes
import PluginKit
import Profile

/// Judges the sequence numbers of each counter in a capture, once for each connection: a recording of both ends of a link
/// holds each event twice, and a counter tells an event to each of its clients.
struct CountFollower: DeviceFollower {
    /// What an event is in the sequence of its device.
    static let sequence = Field("lifecount.sequence", "Sequence", .text)
    /// How many events before this one were not seen.
    static let missing = Field("lifecount.missing", "Missing Events", .decimal)
    /// Connections of counters that are followed at one time; of more, the one that rested longest begins anew.
    static let limit = 256

    /// A connection of a counter.
    private struct Key: Hashable {
        var deviceID: Int
        var recordedAt: Int
        var connection: Int
    }

    /// With the frame that was judged last.
    private var judges: [Key: (judge: SequenceRuleTracker, frame: Int)] = [:]

    mutating func follow(_ event: DeviceEvent) -> [Annotation] {
        guard event.operation == .notify, event.message == CharacteristicName.countEvent.rawValue,
            let count = try? RecordDecoder().decode(CountEvent.self, from: event.value)
        else { return [] }
        let key = Key(deviceID: count.deviceId, recordedAt: event.recordedAt, connection: event.connection)
        var judge = judges[key]?.judge ?? latest(before: key) ?? SequenceRuleTracker()
        let verdict = judge.judge(count)
        if judges.count >= Self.limit, judges[key] == nil,
            let resting = judges.min(by: { $0.value.frame < $1.value.frame })?.key
        {
            judges[resting] = nil
        }
        judges[key] = (judge, event.frame)
        return verdict.annotations
    }

    /// How far the counter had come in the connection before, at the same end of the link: the sequence goes on.
    private func latest(before key: Key) -> SequenceRuleTracker? {
        judges.filter { $0.key.deviceID == key.deviceID && $0.key.recordedAt == key.recordedAt }
            .max { $0.value.frame < $1.value.frame }?.value.judge
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
