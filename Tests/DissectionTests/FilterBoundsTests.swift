import Bytes
import PDUTestKit
import TestKit
import Testing

@testable import Dissection

/// Cost of filters. Both the filter's text and the captured bytes are untrusted, so neither may cause excessive work.
struct FilterBoundsTests {
    private static func fault(_ text: String) -> String? {
        do {
            _ = try DisplayFilter(text, catalog: Sample.catalog)
            return nil
        } catch {
            return error.message
        }
    }

    /// `(((x[0:,0:])[0:,0:])[0:,0:])`: each level doubles the bytes.
    private static func doubled(_ levels: Int) -> String {
        (0..<levels).reduce("test.value") { text, _ in "(\(text)[0:,0:])" } + " contains 01"
    }

    @Test func slicesOfSlicesEndAt64Pieces() throws {
        #expect(try Sample.passes(Self.doubled(6)))
        #expect(Self.fault(Self.doubled(7)) == "takes more than 64 pieces of a value")
        #expect(Self.fault(Self.doubled(60)) == "takes more than 64 pieces of a value")
        let pieces = Array(repeating: "0:", count: 65).joined(separator: ",")
        #expect(Self.fault("test.value[\(pieces)]") == "takes more than 64 pieces of a value")
    }

    /// Each mask adds a level to the tree, and each pair of parentheses starts another chain of masks.
    @Test(arguments: ["test.handle", "test.value[0]"])
    func masksEndAt200Levels(operand: String) throws {
        let masks = String(repeating: "&1", count: 198)
        #expect(Self.fault(operand + masks + " == 1") == nil)
        #expect(Self.fault(operand + masks + "&1&1&1") == "nested deeper than 200 levels")
        #expect(Self.fault(operand + String(repeating: "&1", count: 30_000)) == "nested deeper than 200 levels")
        let rows = (0..<150).reduce(operand) { text, _ in "(\(text)\(String(repeating: "&1", count: 100)))" }
        #expect(Self.fault(rows) == "nested deeper than 200 levels")
    }

    @Test func aFieldsNamesAreLookedUpOnce() throws {
        let lookUps = Counter()
        let field = Field(
            "many.values", "Many Values", .hex(4),
            names: ValueNames { value in
                lookUps.count += 1
                return value == 7 || value == 8 ? "Wanted" : nil
            })
        let text = "many.values in {" + Array(repeating: "Wanted", count: 9_000).joined(separator: ",") + "}"
        let filter = try DisplayFilter(text, catalog: FieldCatalog([field]))
        #expect(lookUps.count == 65_536)
        let recorder = FieldRecorder()
        recorder.add(field, value: 8, offset: 0, length: 2)
        #expect(Sample.passes(filter, recorder, [], [], []))
    }

    /// A frame in which both operands of a comparison occur thousands of times.
    @Test(arguments: [
        ("test.handle == test.start", false), ("test.handle != test.start", true), ("test.handle > test.start", false),
        ("test.handle < test.start", true), ("test.handle === test.start", false),
        ("test.value contains test.sdu", false), ("test.sdu contains test.value", false),
    ])
    func fieldsThatStandInAFrameThousandsOfTimesCompare(text: String, expected: Bool) throws {
        let recorder = FieldRecorder()
        let bytes = (0..<80_000).map { UInt8(truncatingIfNeeded: ($0 / 4) >> (7 * ($0 % 4))) & 0x7F }
        for index in 0..<20_000 {
            recorder.add(Sample.handle, value: UInt64(index), offset: 0, length: 2)
            recorder.add(Sample.start, value: UInt64(20_000 + index), offset: 0, length: 2)
            recorder.add(Sample.value, value: 0, offset: 4 * index, length: 3)
            recorder.buffer = .sdu
            recorder.add(Sample.sdu, value: 0, offset: 4 * index, length: 3)
            recorder.buffer = .frame
        }
        let filter = try DisplayFilter(text, catalog: Sample.catalog)
        #expect(Sample.passes(filter, recorder, bytes, [], bytes.map { $0 | 0x80 }) == expected)
    }

    @Test func aSetOfValuesComparesAsItsMembersDo() {
        let groups: [[FilterValue]] = [
            [], [.number(3)], [.number(3), .number(3)], [.number(1), .number(5), .number(3)],
            [.real(2.5), .real(.nan), .number(3)], [.real(.nan)], [.real(.infinity), .number(4)],
        ]
        let texts: [[FilterValue]] = [
            [.bytes([])], [.bytes([1]), .bytes([0, 9])], [.bytes([2, 1]), .bytes([2]), .bytes([2])],
        ]
        for (groups, order) in [(groups, FilterByteOrder.lengthFirst), (texts, .lengthFirst), (texts, .lexicographic)] {
            for others in groups {
                let set = FilterValueSet(others, order)
                for value in groups.flatMap(\.self) {
                    for comparison in [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual]
                        as [FilterComparison]
                    where !others.isEmpty {
                        let some = others.contains { comparison.holds(value, $0, order) }
                        let all = others.allSatisfy { comparison.holds(value, $0, order) }
                        #expect(set.passes(value, comparison, .any) == some, "\(value) \(comparison) any \(others)")
                        #expect(set.passes(value, comparison, .all) == all, "\(value) \(comparison) all \(others)")
                    }
                }
            }
        }
    }
}

/// Counts calls of a closure that must be `Sendable`; only one thread uses it.
private final class Counter: @unchecked Sendable {
    var count = 0
}
