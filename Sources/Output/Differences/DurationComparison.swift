import Bluetooth
import Bytes

/// Compares the durations of procedures, from the request to the response, and sums them up by procedure.
struct DurationComparison {
    /// The smallest difference that counts.
    let floor: TimeSpan
    /// The part of a duration by which another one may differ.
    let tolerance: Double
    /// Identities of procedures in the order of their first pairs.
    private var identities: [Int] = []
    private var sums: [Int: Sum] = [:]

    private struct Sum {
        let subject: String
        var compared = 0
        var differing = 0
        /// The pair that differs most.
        var a = TimeSpan.zero
        var b = TimeSpan.zero
        var frames: (a: ClosedRange<Int>, b: ClosedRange<Int>)?

        var most: TimeSpan { a > b ? a - b : b - a }
    }

    init(floor: TimeSpan, tolerance: Double) {
        (self.floor, self.tolerance) = (floor, tolerance)
    }

    /// Adds two corresponding procedures; `identity` tells kinds of procedures apart.
    mutating func add(
        _ a: ProcedureOutline, _ b: ProcedureOutline, _ identity: Int, _ subject: @autoclosure () -> String
    ) {
        guard let one = a.duration, let other = b.duration, a.outcome == b.outcome else { return }
        if sums[identity] == nil { identities.append(identity) }
        var sum = sums[identity] ?? Sum(subject: subject())
        sum.compared += 1
        if Self.differ(one, other, floor: floor, tolerance: tolerance) {
            sum.differing += 1
            let difference = one > other ? one - other : other - one
            if sum.frames == nil || difference > sum.most {
                (sum.a, sum.b) = (one, other)
                sum.frames = (a.first...max(a.first, a.last), b.first...max(b.first, b.last))
            }
        }
        sums[identity] = sum
    }

    /// One difference for each kind of procedure, with the pair that differs most.
    var differences: [Difference] {
        identities.compactMap { identity in
            guard let sum = sums[identity], let frames = sum.frames else { return nil }
            return Difference(
                .duration, sum.subject, a: frames.a, b: frames.b,
                [FieldDifference("duration", Self.text(sum.a), Self.text(sum.b))], count: sum.differing,
                compared: sum.compared)
        }
    }

    /// Whether durations differ by more than the floor and by more than the tolerance of the first one.
    static func differ(_ one: TimeSpan, _ other: TimeSpan, floor: TimeSpan, tolerance: Double) -> Bool {
        let difference = one > other ? one - other : other - one
        return difference > floor && difference.seconds > tolerance * abs(one.seconds)
    }

    static func text(_ span: TimeSpan) -> String {
        span < TimeSpan(seconds: 1) ? TimeText.milliseconds(span) : TimeText.span(span)
    }
}
