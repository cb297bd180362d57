import Bytes
import PluginKit

/// Judges the sequence numbers of each counter in a capture.
struct CountFollower: DeviceFollower {
    /// What an event is in the sequence of its device.
    static let sequence = Field("lifecount.sequence", "Sequence", .text)
    /// How many events before this one were not seen.
    static let missing = Field("lifecount.missing", "Missing Events", .decimal)
    /// Counters that are followed at one time; of more, the one that rested longest begins anew.
    static let limit = 256

    /// By device ID, with the frame that was judged last.
    private var judges: [UInt32: (judge: SequenceJudge, frame: Int)] = [:]

    mutating func follow(_ event: DeviceEvent) -> [Annotation] {
        guard event.operation == .notify, event.message == "count_event",
            let count = try? RecordDecoder().decode(CountEvent.self, from: event.value)
        else { return [] }
        var judge = judges[count.deviceID]?.judge ?? SequenceJudge()
        let verdict = judge.judge(count)
        if judges.count >= Self.limit, judges[count.deviceID] == nil,
            let resting = judges.min(by: { $0.value.frame < $1.value.frame })?.key
        {
            judges[resting] = nil
        }
        judges[count.deviceID] = (judge, event.frame)
        return verdict.annotations
    }
}

extension SequenceJudge.Verdict {
    fileprivate var annotations: [Annotation] {
        var annotations = [Annotation(CountFollower.sequence, .text(title), warning: warning)]
        if case .missing(let count, _) = self {
            annotations.append(Annotation(CountFollower.missing, .number(UInt64(count))))
        }
        return annotations
    }
}
