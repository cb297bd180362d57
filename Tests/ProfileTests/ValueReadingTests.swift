import Bytes
import PDUTestKit
import TestKit
import Testing

@testable import Profile

/// Numeric fields, decoded together from successive values.
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

    /// A compiled condition over plain numbers gives the same result as its interpreted program, for arbitrary bytes.
    @Test(arguments: [
        "battery <= 100", "u8(11) & 0xC0 == 0", "!(flags.cal_measuring && flags.cal_result)",
        "level == min(830, max(0, weight))",
        "flags.low_battery && battery < 25 || !flags.low_battery && battery >= 25", "u32(0) != 0 || u16(20) == 1",
        "length == 14 && weight in {-5..400, 1000}", "-weight > level || unsynced / battery == 0",
        "weight * 3 % level > 1.5",
        "min(weight, unsynced) == weight", "battery << 3 ^ unsynced | 1 >= 9", "flags.stable == 1", "5", "true",
    ])
    func boundConditionsAreThoseOfTheProgram(text: String) throws {
        let layout = try #require(compile(aquavateTypes).types["current_state"])
        let reading = ValueReading(layout)
        let expression = try Expression(parsing: text, at: SourcePlace(line: 1, column: 1))
        #expect(BoundExpression(expression.root, reading) != nil)
        let condition = BoundCondition(expression, reading)
        let context = DeviceContext()
        var random = SplitMix64(seed: 16)
        var outcomes: Set<Bool?> = []
        for _ in 0..<2000 {
            let highest: UInt8 = Bool.random(using: &random) ? 0xFF : 0x1F
            let bytes = (0..<Int.random(in: 10...16, using: &random)).map { _ in
                UInt8.random(in: 0...highest, using: &random)
            }
            let value = ValueBytes(bytes)
            reading.reset(to: value)
            let expected = expression.program.evaluate(
                over: bytes.span.rawBytes, in: ReadingScope(reading: reading, context: context))
            #expect(condition.holds(over: value, in: context) == expected.boolean, "\(text) over \(bytes)")
            outcomes.insert(expected.boolean)
        }
        #expect(!outcomes.isEmpty)
    }

    @Test(arguments: [
        "weight == 'full'", "written(command, 0) == 1", "has(settings)", "count(records) > 1", "request.command == 1",
        "u8(level) == 1", "nothing == 1", "battery <= 100 && has(settings)",
    ])
    func otherExpressionsAreLeftToTheProgram(text: String) throws {
        let layout = try #require(compile(aquavateTypes).types["current_state"])
        let expression = try Expression(parsing: text, at: SourcePlace(line: 1, column: 1))
        #expect(BoundExpression(expression.root, ValueReading(layout)) == nil)
    }

    /// The single-pass numbers of a value equal those of the type's program, for arbitrary bytes.
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
