import Bluetooth
import Bytes

/// The treatment of each byte of a buffer: of a frame, or of what was put together from several.
struct BufferTreatment {
    /// A field that is replaced, or searched for addresses.
    struct Step {
        var treatment: FieldTreatment
        var range: Range<Int>
        var value: UInt64
        /// The field's bits in its integer; 0 for all.
        var mask: UInt64 = 0
        /// Whether the bytes are a number, and not text or bytes.
        var isNumber = false
    }

    private enum Verdict: UInt8 {
        /// No field has the byte.
        case none
        /// A field of bytes has it, whose meaning is not known.
        case open
        /// A profile states that it is padding, within a value whose bytes are open.
        case padding
        case kept, searched, replaced
    }

    private var verdicts: [Verdict]
    private(set) var steps: [Step] = []

    init(count: Int) {
        verdicts = Array(repeating: .none, count: count)
    }

    /// Adds a field. Of two fields with the same bytes, one that is replaced comes before one that stays.
    mutating func add(_ step: Step) {
        let range = step.range.clamped(to: verdicts.indices)
        guard !range.isEmpty, range == step.range else { return }
        let verdict: Verdict
        switch step.treatment {
        case .padding: verdict = .padding
        case .open: verdict = .open
        case .keep: verdict = .kept
        case .search: verdict = .searched
        default: verdict = .replaced
        }
        for place in range where verdicts[place].rawValue < verdict.rawValue { verdicts[place] = verdict }
        if verdict == .replaced || verdict == .searched { steps.append(step) }
    }

    /// Keeps bytes without a field, of which other bytes depend.
    mutating func keep(_ range: Range<Int>) {
        for place in range.clamped(to: verdicts.indices) where verdicts[place].rawValue < Verdict.kept.rawValue {
            verdicts[place] = .kept
        }
    }

    /// Leaves bytes to another treatment.
    mutating func exclude(_ range: Range<Int>) {
        for place in range.clamped(to: verdicts.indices) { verdicts[place] = .replaced }
    }

    /// Runs of bytes that are padding or have no field, within a range.
    func paddingRuns(in range: Range<Int>) -> [Range<Int>] {
        runs(in: range) { $0 == .none || $0 == .padding }
    }

    /// Runs of bytes that no field explains, within a range.
    func openRuns(in range: Range<Int>) -> [Range<Int>] {
        runs(in: range) { $0 == .open }
    }

    /// Runs of bytes that stay.
    func keptRuns(in range: Range<Int>) -> [Range<Int>] {
        runs(in: range) { $0 == .kept || $0 == .searched }
    }

    private func runs(in range: Range<Int>, _ isWanted: (Verdict) -> Bool) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        let range = range.clamped(to: verdicts.indices)
        var start: Int?
        for place in range {
            if isWanted(verdicts[place]) {
                start = start ?? place
            } else if let first = start {
                runs.append(first..<place)
                start = nil
            }
        }
        if let start { runs.append(start..<range.upperBound) }
        return runs
    }
}
