import Bytes
package import PluginKit

/// The LifeCount people counter.
package enum LifeCount: BuiltInPlugin {
    package static let name = "LifeCount"
    package static var profile: String { Embedded.profile }
    package static var behaviour: (any PluginBehaviour)? { CounterBehaviour() }
}

/// Keeps the books of every counter's sequence numbers.
struct CounterBehaviour: PluginBehaviour {
    /// What an event is in the sequence of its device.
    static let sequence = Field("lifecount.sequence", "Sequence", .text)
    /// Events between the last one and this one that were not seen.
    static let missing = Field("lifecount.missing", "Missing Events", .decimal)

    var followed: Set<String> { ["count_event"] }
    var annotationFields: [Field] { [Self.sequence, Self.missing] }

    func makeFollower() -> (any DeviceFollower)? { CounterFollower() }
}

/// Follows the Count Events of all counters in a capture.
private struct CounterFollower: DeviceFollower {
    private var judges: [UInt32: SequenceJudge] = [:]

    /// Counters whose numbers are followed; a flood of made-up ones ends here.
    private static let limit = 4096

    mutating func follow(_ event: DeviceEvent) -> [Annotation] {
        guard let count = try? RecordDecoder().decode(CountEvent.self, from: event.value),
            judges[count.deviceID] != nil || judges.count < Self.limit
        else { return [] }
        let verdict = judges[count.deviceID, default: SequenceJudge()].judge(count)
        var annotations = [
            Annotation(CounterBehaviour.sequence, .text(verdict.name), warning: verdict.isSuspect ? verdict.note : nil)
        ]
        if case .missing(let count, _) = verdict {
            annotations.append(Annotation(CounterBehaviour.missing, .number(UInt64(count))))
        }
        return annotations
    }
}

extension SequenceJudge.Verdict {
    /// In a word, as filters name it.
    fileprivate var name: String {
        switch self {
        case .first: "first"
        case .inOrder: "in order"
        case .missing: "gap"
        case .reset(_, isConfirmed: true): "reset"
        case .reset(_, isConfirmed: false): "reset (unconfirmed)"
        case .duplicate: "duplicate"
        case .recovered: "recovered"
        case .contradiction: "contradiction"
        }
    }

    /// Whether something is not as it should be.
    fileprivate var isSuspect: Bool {
        switch self {
        case .first, .inOrder, .recovered, .reset(_, isConfirmed: true), .duplicate(isReplayed: true): false
        case .missing, .reset, .duplicate, .contradiction: true
        }
    }
}
