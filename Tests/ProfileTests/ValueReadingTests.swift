import Bytes
import TestKit
import Testing

@testable import Profile

/// Numbers of fields, read together from one value after the other.
struct ValueReadingTests {
    @Test func fieldsAreReadInTheOrderOfTheirList() throws {
        let layout = try #require(compile(aquavateTypes).types["current_state"])
        let reading = ValueReading(layout)
        let fields = FieldList("unsynced", "flags.calibrated", "flags.stable", "weight", "nothing")
        for (value, unsynced, isStable, weight) in [
            ("C0277E69 7301 7301 E204 53 07 0300", 3, true, 371), ("00000000 FFFF 0000 0000 00 02 0000", 0, false, -1),
        ] {
            reading.reset(to: ValueBytes(hex(value)))
            var numbers = reading.numbers(of: fields)
            #expect(numbers.integer() == unsynced)
            #expect(numbers.flag() == true)
            #expect(numbers.flag() == isStable)
            #expect(numbers.integer() == weight)
            #expect(numbers.integer() == nil, "there is no such field")
            #expect(numbers.integer() == nil, "the list has ended")
        }
    }

    @Test func fieldsOfAListAreReadFromEachElement() throws {
        let layout = try #require(compile(aquavateTypes).types["drink_data"])
        let reading = ValueReading(layout)
        let fields = FieldList("records.amount", "records.record_id", "records.flags.deleted", of: "records")
        let first = hex("67000000 143F7F69 DF00 9C01 01 05")
        let second = hex("68000000 503F7F69 E2FF 7E01 00 00")
        reading.reset(to: ValueBytes(hex("0100 0200 02 00") + first + second))
        let read = reading.elements(of: fields) { numbers in
            [numbers.integer(), numbers.integer(), numbers.integer()]
        }
        #expect(read == [[223, 103, 1], [-30, 104, 0]])
        reading.reset(to: ValueBytes(hex("0100 0200 02 00") + first))
        #expect(reading.elements(of: fields) { $0.integer() } == nil, "a record is missing")
    }

    /// The numbers of a value in one pass are those that the type's program gives, whatever the bytes are.
    @Test(arguments: [aquavateTypes, kitchenSink])
    func numbersAreThoseOfTheProgram(types: [TypeDefinition]) throws {
        var random = SplitMix64(seed: 16)
        var compared = 0
        for (name, layout) in try compile(types).types.sorted(by: { $0.key < $1.key }) {
            guard let steps = NumberSteps(layout.program) else { continue }
            var (sink, expected) = (NumberSink(layout.program), NumberSink(layout.program))
            for _ in 0..<500 {
                let highest: UInt8 = Bool.random(using: &random) ? 0xFF : 0x13
                let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                    UInt8.random(in: 0...highest, using: &random)
                }
                let rest = steps.read(bytes.span.rawBytes, into: &sink, of: layout.program)
                expected.reset()
                var reader = ByteReader(bytes.span)
                var diagnostics = DiagnosticList(isWanted: false)
                let isRead = (try? layout.program.read(&reader, into: &expected, diagnostics: &diagnostics)) != nil
                #expect(rest == (isRead ? reader.remaining : nil), "\(name) of \(bytes)")
                #expect(sink.operands.map(\.bits) == expected.operands.map(\.bits), "\(name) of \(bytes)")
                #expect(sink.operands.map(\.kind) == expected.operands.map(\.kind), "\(name) of \(bytes)")
                #expect(sink.isThere == expected.isThere, "\(name) of \(bytes)")
                compared += 1
            }
        }
        #expect(compared > 0)
    }
}
