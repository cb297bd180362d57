/// Removes units of a whole while a condition holds, by delta debugging (Zeller and Hildebrandt, 2002): large parts first,
/// then smaller ones, until no single unit can be left out.
///
/// The result does not depend on how many candidates are tested at the same time: the first one that holds, in order,
/// is taken.
struct DeltaDebugging<Unit: Sendable>: Sendable {
    /// Candidates tested at the same time.
    let width: Int
    /// Whether the condition holds for units.
    let holds: @Sendable ([Unit]) async throws -> Bool

    /// Parts up to which each is tried alone: most faults lie in one part of few.
    private static var aloneLimit: Int { 8 }

    /// The units of `all` that are needed, in order; the condition holds for all of them. `goesOn` is called before
    /// candidates are tested; false ends the search with the smallest result so far.
    func minimum(of all: [Unit], goesOn: () -> Bool) async throws -> [Unit] {
        var parts = Self.halves([all])
        var isEnded = false
        while parts.count > 1, !isEnded {
            if parts.count <= Self.aloneLimit,
                let alone = try await first(parts.count, { parts[$0] }, goesOn, &isEnded)
            {
                parts = Self.halves([parts[alone]])
                continue
            }
            // Of two parts, each is what remains without the other.
            let isReduced = parts.count > 2 ? try await leaveOut(&parts, goesOn, &isEnded) : false
            let isFinest = parts.allSatisfy { $0.count <= 1 }
            if isFinest, !isReduced { break }
            if !isFinest { parts = Self.halves(parts) }
        }
        return parts.flatMap(\.self)
    }

    /// Leaves out each part that is not needed; returns whether there was one.
    private func leaveOut(
        _ parts: inout [[Unit]], _ goesOn: () -> Bool, _ isEnded: inout Bool
    ) async throws -> Bool {
        var isReduced = false
        var next = 0
        while next < parts.count, parts.count > 1, !isEnded {
            let tested = parts
            let start = next
            let count = min(width, tested.count - start)
            let found = try await first(
                count, { offset in tested.indices.filter { $0 != start + offset }.flatMap { tested[$0] } }, goesOn,
                &isEnded)
            next = start + (found ?? count)
            guard let found else { continue }
            parts.remove(at: start + found)
            isReduced = true
        }
        return isReduced
    }

    private static func halves(_ parts: [[Unit]]) -> [[Unit]] {
        parts.flatMap { part in
            part.count < 2 ? [part] : [Array(part[..<(part.count / 2)]), Array(part[(part.count / 2)...])]
        }
    }

    /// Index of the first of `count` candidates for which the condition holds; nil for none.
    private func first(
        _ count: Int, _ candidate: (Int) -> [Unit], _ goesOn: () -> Bool, _ isEnded: inout Bool
    ) async throws -> Int? {
        var start = 0
        while start < count {
            guard goesOn() else {
                isEnded = true
                return nil
            }
            let group = (start..<min(count, start + width)).map { ($0, candidate($0)) }
            let holding = try await withThrowingTaskGroup(of: Int?.self) { tasks in
                for (index, units) in group { tasks.addTask { try await holds(units) ? index : nil } }
                var holding: [Int] = []
                for try await index in tasks { if let index { holding.append(index) } }
                return holding
            }
            if let first = holding.min() { return first }
            start += width
        }
        return nil
    }
}
