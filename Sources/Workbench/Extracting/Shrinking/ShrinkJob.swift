import Bytes
import Captures
import Conversation
import Synchronization

/// Finds a small part of a capture that still shows a fault: it leaves out connections, then procedures, then packets.
package struct ShrinkJob: Sendable {
    /// How the capture is decoded, to find its procedures.
    package var decoding = FrameDecoding()
    /// Candidates that are checked at the same time.
    package var width = 2

    package init() {}

    /// The result of shrinking.
    package struct Outcome: Sendable {
        /// The frames that still show the fault. Without any of them, it does not show, unless shrinking was ended.
        package var frames: FrameSet
        /// Candidates that were checked.
        package var candidates = 0
        /// Whether the user has ended shrinking.
        package var isInterrupted = false
    }

    /// Shrinks packets that show a fault. Throws `FaultNotShown` if they do not. `goesOn` gets the number of candidates
    /// so far, and returns whether to continue; the outcome is then the smallest part so far.
    package func run(
        _ packets: StoredPackets, _ fault: any ShownFault, goesOn: (Int) -> Bool = { _ in true }
    ) async throws -> Outcome {
        let counter = Counter()
        let whole = FrameSet(packets.numbers)
        guard try await shows(whole, of: packets, fault, counter) else { throw FaultNotShown() }
        var procedures = ProcedureTracker()
        let (_, tracker) = try await decoding.learn(from: packets.makeSource()) { batch in
            procedures.add(batch)
            return true
        }
        let outline = procedures.finish(tracker)
        var outcome = Outcome(frames: whole)
        if let start = try await firstPart(outline, packets, fault, counter) { outcome.frames = start }
        for level in Level.allCases {
            let base = packets.selecting(outcome.frames)
            let search = DeltaDebugging<[Int]>(width: max(1, width)) { units in
                try await shows(FrameSet(units.joined()), of: base, fault, counter)
            }
            let units = level.units(of: outcome.frames, outline)
            let needed = try await search.minimum(of: units) {
                outcome.isInterrupted = !goesOn(counter.value)
                return !outcome.isInterrupted
            }
            outcome.frames = FrameSet(needed.joined())
            if outcome.isInterrupted { break }
        }
        outcome.candidates = counter.value
        return outcome
    }

    /// The frames that show the fault with what their decoding needs, if that shows it too: those of one frame, else of
    /// all.
    private func firstPart(
        _ outline: FrameOutline, _ packets: StoredPackets, _ fault: any ShownFault, _ counter: Counter
    ) async throws -> FrameSet? {
        let frames = fault.frames.filter { outline.index(ofFrame: $0) != nil }
        guard let first = frames.first else { return nil }
        for shown in frames.count > 1 ? [[first], frames] : [frames] {
            var context = DecodingContext(outline, of: FrameSet(shown))
            for _ in 0..<3 {
                let part = context.frames
                if try await shows(part, of: packets, fault, counter) { return part }
                guard context.widen(for: shown) else { break }
            }
        }
        return nil
    }

    private func shows(
        _ frames: FrameSet, of packets: StoredPackets, _ fault: any ShownFault, _ counter: Counter
    ) async throws -> Bool {
        if frames.isEmpty { return false }
        counter.increment()
        return try await fault.isShown(by: packets.selecting(frames))
    }

    /// Counts candidates of several tasks.
    private final class Counter: Sendable {
        private let count = Atomic(0)

        var value: Int { count.load(ordering: .relaxed) }
        func increment() { count.add(1, ordering: .relaxed) }
    }

    /// What is left out as a whole.
    private enum Level: CaseIterable {
        case connections, procedures, packets

        /// Numbers of the frames of each unit, in order of their first frames.
        func units(of frames: FrameSet, _ outline: FrameOutline) -> [[Int]] {
            var places: [Int64: Int] = [:]
            var units: [[Int]] = []
            for number in frames.numbers {
                guard let index = outline.index(ofFrame: number) else { continue }
                let key = key(of: index, outline)
                if let place = places[key] {
                    units[place].append(number)
                } else {
                    places[key] = units.count
                    units.append([number])
                }
            }
            return units
        }

        /// Frames outside connections are divided by their senders.
        private func key(of index: Int, _ outline: FrameOutline) -> Int64 {
            let frame = outline.frames[index]
            return switch self {
            case .connections: frame.connection >= 0 ? Int64(frame.connection) : -2 - Int64(frame.sender) - 1
            case .procedures: Int64(frame.procedure)
            case .packets: Int64(index)
            }
        }
    }
}

/// The whole capture does not show the fault.
package struct FaultNotShown: Error {}
