import Synchronization
import Testing

@testable import Workbench

/// Delta debugging keeps the units that a condition needs.
struct DeltaDebuggingTests {
    /// Searches for the smallest part of `0..<count` that has all needed numbers.
    private func search(
        _ count: Int, needed: Set<Int>, width: Int = 2, goesOn: () -> Bool = { true }
    ) async throws -> (found: [Int], tests: Int) {
        let tests = Atomic(0)
        let search = DeltaDebugging<Int>(width: width) { units in
            tests.add(1, ordering: .relaxed)
            return needed.isSubset(of: units)
        }
        return (try await search.minimum(of: Array(0..<count), goesOn: goesOn), tests.load(ordering: .relaxed))
    }

    @Test(arguments: [[0], [999], [3, 77, 500], [0, 499, 500, 999], Array(490..<510)], [1, 2, 5])
    func whatIsNeededIsFound(_ needed: [Int], width: Int) async throws {
        let (found, tests) = try await search(1000, needed: Set(needed), width: width)
        #expect(found == needed)
        #expect(tests < 600)
    }

    @Test(arguments: [0, 1, 2, 3])
    func fewUnits(_ count: Int) async throws {
        #expect(try await search(count, needed: Set(0..<count)).found == Array(0..<count))
        if count > 1 { #expect(try await search(count, needed: [1]).found == [1]) }
    }

    @Test func theWidthDoesNotChangeTheResult() async throws {
        // Any three of these numbers show the fault.
        let numbers = Set([10, 200, 300, 450, 700])
        var results: [[Int]] = []
        for width in [1, 2, 3, 8] {
            let search = DeltaDebugging<Int>(width: width) { numbers.intersection($0).count >= 3 }
            results.append(try await search.minimum(of: Array(0..<1000)) { true })
        }
        #expect(results[0].count == 3)
        #expect(results.allSatisfy { $0 == results[0] })
    }

    @Test func aSearchThatIsEndedReturnsWhatShowsTheFault() async throws {
        var rounds = 0
        let (found, _) = try await search(1000, needed: [3, 900]) {
            rounds += 1
            return rounds < 10
        }
        #expect(Set([3, 900]).isSubset(of: found))
        #expect(found.count < 1000 && found.count > 2)
    }
}
