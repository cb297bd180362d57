import Bluetooth
import Bytes
import PluginKit

/// The differences between two connections, A and B.
package struct ConnectionComparison: Sendable {
    package let a: ConnectionOutline
    package let b: ConnectionOutline
    /// What is agreed between the sides, tables, procedures in their order, durations, the end.
    package private(set) var differences: [Difference] = []
    /// Differences beyond the limit.
    package private(set) var omitted = 0
    /// Procedures that were found on both sides.
    package private(set) var common = 0
    /// Procedures that one side lacks, perhaps because its capture lacks packets there.
    package private(set) var uncertain = 0
    /// Procedures that only one of two different views shows.
    package private(set) var inOneView = 0

    /// Differences listed of a pair of connections; others are counted.
    private static let limit = 10_000

    /// Whether the connections were captured from different places: at a host, and on the air.
    package var hasDifferentViews: Bool { a.view != b.view }

    package init(
        _ a: ConnectionOutline, of outlineA: CaptureOutline, _ b: ConnectionOutline, of outlineB: CaptureOutline,
        tolerance: Double
    ) {
        (self.a, self.b) = (a, b)
        compareChanges()
        comparePairings(tolerance)
        for difference in TableComparison.differences(a, b) { add(difference) }
        var procedures = ProcedureComparison(a, of: outlineA, b, of: outlineB)
        procedures.compare()
        for difference in procedures.differences { add(difference) }
        (common, uncertain, inOneView) = (procedures.matches.count, procedures.uncertain, procedures.inOneView)
        if !hasDifferentViews {
            var durations = DurationComparison(floor: Self.floor(a, b), tolerance: tolerance)
            for (one, other) in procedures.matches {
                durations.add(
                    a.procedures[one], b.procedures[other], procedures.identity(ofA: one), procedures.subject(ofA: one))
            }
            for difference in durations.differences { add(difference) }
        }
        compareEnds(tolerance)
    }

    private mutating func add(_ difference: Difference) {
        if differences.count < Self.limit { differences.append(difference) } else { omitted += 1 }
    }

    /// The smallest difference of durations that counts: the longer connection interval, as a response waits for the next
    /// connection event. Without one, the shortest interval (Vol 6, Part B, 4.5.1).
    private static func floor(_ a: ConnectionOutline, _ b: ConnectionOutline) -> TimeSpan {
        max(a.interval ?? shortestInterval, b.interval ?? shortestInterval)
    }

    private static let shortestInterval = TimeSpan(microseconds: 7500)
}

// MARK: - What the sides agree on

extension ConnectionComparison {
    /// Compares the changes of each kind of parameters, one after the other.
    private mutating func compareChanges() {
        for kind in ParameterChange.Kind.allCases {
            let (changesA, changesB) = (a.changes.filter { $0.kind == kind }, b.changes.filter { $0.kind == kind })
            if hasDifferentViews, changesA.isEmpty || changesB.isEmpty { continue }
            for place in 0..<max(changesA.count, changesB.count) {
                let one = changesA.indices.contains(place) ? changesA[place] : nil
                let other = changesB.indices.contains(place) ? changesB[place] : nil
                if one == nil, !isCertain(missingFrom: a, at: place) { continue }
                if other == nil, !isCertain(missingFrom: b, at: place) { continue }
                let fields = FieldDifference.between(one?.fields ?? [], other?.fields ?? [])
                if fields.isEmpty { continue }
                add(
                    Difference(
                        kind == .encryption ? .encryption : .parameters, kind.rawValue,
                        a: one.map { $0.frame...$0.frame },
                        b: other.map { $0.frame...$0.frame }, fields))
            }
        }
    }

    /// Whether a change or a pairing that a capture lacks did not take place: nothing of the connection is missing.
    private func isCertain(missingFrom side: ConnectionOutline, at place: Int) -> Bool {
        if hasDifferentViews { return false }
        return side.lastGap == 0 && (place > 0 || side.isBeginningCaptured)
    }

    private mutating func comparePairings(_ tolerance: Double) {
        for place in 0..<max(a.pairings.count, b.pairings.count) {
            let one = a.pairings.indices.contains(place) ? a.pairings[place] : nil
            let other = b.pairings.indices.contains(place) ? b.pairings[place] : nil
            guard let one, let other else {
                let lacking = one == nil ? a : b
                if lacking.hasUnreadTraffic || !isCertain(missingFrom: lacking, at: place) { continue }
                add(
                    Difference(
                        .pairing, "pairing", a: one?.frames, b: other?.frames,
                        [
                            FieldDifference("pairing", one.map { _ in "present" }, other.map { _ in "present" })
                        ]))
                continue
            }
            var fields = FieldDifference.between(one.fields, other.fields)
            // What one side has not captured, as keys that are distributed under encryption, is no difference.
            if hasDifferentViews || a.hasUnreadTraffic || b.hasUnreadTraffic {
                fields.removeAll { $0.a == nil || $0.b == nil }
            }
            if !fields.isEmpty { add(Difference(.pairing, "pairing", a: one.frames, b: other.frames, fields)) }
            guard !hasDifferentViews, let before = one.duration, let now = other.duration,
                DurationComparison.differ(before, now, floor: Self.floor(a, b), tolerance: tolerance)
            else { continue }
            add(
                Difference(
                    .duration, "pairing", a: one.frames, b: other.frames,
                    [FieldDifference("duration", DurationComparison.text(before), DurationComparison.text(now))]))
        }
    }

    private mutating func compareEnds(_ tolerance: Double) {
        if a.end == nil || b.end == nil, hasDifferentViews { return }
        let frames = (a.end.map { $0.frame...$0.frame }, b.end.map { $0.frame...$0.frame })
        if a.end?.text != b.end?.text {
            let open = "open at the end of the capture"
            add(
                Difference(
                    .end, "end of the connection", a: frames.0, b: frames.1,
                    [FieldDifference("reason", a.end?.text ?? open, b.end?.text ?? open)]))
        }
        guard let endA = a.end, let endB = b.end, !hasDifferentViews, a.isBeginningCaptured, b.isBeginningCaptured
        else { return }
        let one: TimeSpan = endA.time - a.opened.time
        let other: TimeSpan = endB.time - b.opened.time
        guard DurationComparison.differ(one, other, floor: Self.floor(a, b), tolerance: tolerance) else { return }
        add(
            Difference(
                .duration, "connection", a: frames.0, b: frames.1,
                [FieldDifference("duration", DurationComparison.text(one), DurationComparison.text(other))]))
    }
}
