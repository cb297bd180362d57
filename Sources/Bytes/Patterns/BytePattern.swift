/// A case-insensitive regular expression over bytes, which may match anywhere in a value.
///
/// Matching time is proportional to the length of the value times the size of the pattern: all alternatives are
/// followed in parallel, without backtracking. There are therefore no back-references and no look-around.
public struct BytePattern: Sendable {
    /// An unusable pattern, and the reason.
    public struct Fault: Error, Hashable {
        public let message: String
    }

    /// An instruction of the compiled pattern.
    enum Step: Sendable {
        /// Matches one byte of the set, then continues with the next step.
        case byte(ByteSet)
        /// Continues with either of two steps.
        case split(Int, Int)
        case jump(Int)
        case assert(Assertion)
        case accept
    }

    /// A condition on a position between bytes.
    enum Assertion: Sendable {
        case start, end, boundary, noBoundary
    }

    private let steps: [Step]

    /// Compiles a pattern: `.` `[a-z]` `[^…]` `\d` `\w` `\s` `\b` `\xHH` `^` `$` `(…)` `(?:…)` `|` `*` `+` `?` `{n,m}`.
    public init(_ pattern: [UInt8]) throws(Fault) {
        steps = try BytePatternCompiler.steps(of: pattern)
    }

    /// Whether the pattern matches anywhere in the bytes.
    public func matches(_ bytes: [UInt8]) -> Bool {
        if let isFound = followOnlyWay(bytes) { return isFound }
        var current = StepSet(count: steps.count)
        var next = StepSet(count: steps.count)
        for position in 0...bytes.count {
            add(0, to: &current, bytes, position)
            if current.isAccepting { return true }
            guard position < bytes.count else { break }
            next.removeAll()
            for step in current.members {
                if case .byte(let set) = steps[step], set.contains(bytes[position]) {
                    add(step + 1, to: &next, bytes, position + 1)
                }
            }
            if next.isAccepting { return true }
            swap(&current, &next)
        }
        return false
    }

    /// Whether a pattern anchored at the start matches. Nil for an unanchored pattern and for one with alternatives on
    /// the way. A fast path: the name patterns that identify devices have neither.
    private func followOnlyWay(_ bytes: [UInt8]) -> Bool? {
        guard case .assert(.start)? = steps.first else { return nil }
        var step = 1
        var position = 0
        while true {
            switch steps[step] {
            case .byte(let set):
                guard position < bytes.count, set.contains(bytes[position]) else { return false }
                position += 1
                step += 1
            case .assert(let assertion):
                guard assertion.holds(bytes, position) else { return false }
                step += 1
            case .jump(let target): step = target
            case .split: return nil
            case .accept: return true
            }
        }
    }

    /// Adds a step and all steps reachable from it without consuming a byte.
    private func add(_ first: Int, to set: inout StepSet, _ bytes: [UInt8], _ position: Int) {
        set.pending.append(first)
        while let step = set.pending.popLast() {
            guard set.insert(step) else { continue }
            switch steps[step] {
            case .byte: break
            case .accept: set.isAccepting = true
            case .jump(let target): set.pending.append(target)
            case .split(let one, let other):
                set.pending.append(other)
                set.pending.append(one)
            case .assert(let assertion):
                if assertion.holds(bytes, position) { set.pending.append(step + 1) }
            }
        }
    }
}

/// The steps that a match has reached.
private struct StepSet {
    private(set) var members: [Int] = []
    private var isMember: [Bool]
    var pending: [Int] = []
    var isAccepting = false

    init(count: Int) {
        isMember = [Bool](repeating: false, count: count)
    }

    /// Returns whether the step is new.
    mutating func insert(_ step: Int) -> Bool {
        if isMember[step] { return false }
        isMember[step] = true
        members.append(step)
        return true
    }

    mutating func removeAll() {
        for step in members { isMember[step] = false }
        members.removeAll(keepingCapacity: true)
        isAccepting = false
    }
}

extension BytePattern.Assertion {
    fileprivate func holds(_ bytes: [UInt8], _ position: Int) -> Bool {
        switch self {
        case .start: position == 0
        case .end: position == bytes.count || (position == bytes.count - 1 && bytes[position] == 0x0A)
        case .boundary: Self.isBoundary(bytes, position)
        case .noBoundary: !Self.isBoundary(bytes, position)
        }
    }

    private static func isBoundary(_ bytes: [UInt8], _ position: Int) -> Bool {
        let before = position > 0 && ByteSet.word.contains(bytes[position - 1])
        let after = position < bytes.count && ByteSet.word.contains(bytes[position])
        return before != after
    }
}
