import Bluetooth
import Bytes
import Testing

/// Generates values for a row's parameters; deterministic for a seed.
struct SampleMaker {
    let side: HCI.Side
    private var state: UInt64

    init(_ side: HCI.Side, seed: UInt64) {
        self.side = side
        state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    }

    mutating func number(bytes size: Int) -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return size >= 8 ? state : state & (1 << (8 * UInt64(size)) - 1)
    }

    mutating func values(_ layout: [HCI.Parameter]) -> [String: HCI.Value] {
        var values: [String: HCI.Value] = [:]
        for parameter in layout { add(parameter, to: &values) }
        return values
    }

    private mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: number(bytes: 1)) }
    }

    private mutating func list(_ count: Int, _ layout: [HCI.Parameter]) -> HCI.Value {
        .list((0..<count).map { _ in values(layout) })
    }

    private mutating func add(_ parameter: HCI.Parameter, to values: inout [String: HCI.Value]) {
        switch parameter {
        case .integer(let name, let size), .bits(let name, let size, _):
            values[name[side].name] = .number(number(bytes: size))
        case .bytes(let name, let count):
            values[name[side].name] = .bytes(bytes(count))
        case .rest(let name):
            values[name[side].name] = .bytes(bytes(5))
        case .text(let name, let count):
            values[name[side].name] = .bytes([UInt8](repeating: 0x41, count: min(5, count)))
        case .sized(_, _, let name, .bytes, _):
            values[name[side].name] = .bytes(bytes(3))
        case .sized(_, _, let name, .advertisingData, _):
            values[name[side].name] = .bytes([2, 1, 6])
        case .advertisingData(let name, let count):
            values[name[side].name] = .bytes([2, 1, 6] + [UInt8](repeating: 0, count: count - 3))
        case .group(let name, let layout):
            values[name[side].name] = list(1, layout)
        case .list(let count, _, let layout):
            values[count[side].name] = list(2, layout)
        case .perBit(let name, _, let element, let layout):
            values[name[side].name] = 0b101
            values[element[side].name] = list(2, layout)
        case .choice(let name, let cases):
            let codes = cases.keys.sorted()
            let code = codes[Int(number(bytes: 4)) % codes.count]
            values[name[side].name] = .number(code)
            for parameter in cases[code] ?? [] { add(parameter, to: &values) }
        case .repeated(let element, let layout):
            values[element[side].name] = list(2, layout)
        case .parameters:
            break
        }
    }
}

/// The parameters of every row without a struct, with a distinguishing name.
struct Layout: Sendable, CustomTestStringConvertible {
    let name: String
    let side: HCI.Side
    let parameters: [HCI.Parameter]

    var testDescription: String { name }

    var isTyped: Bool {
        parameters.contains { if case .parameters = $0 { true } else { false } }
    }

    static let all: [Layout] = commands + returns + events + leEvents

    static let commands = HCI.CommandRow.table.rows.map {
        Layout(name: $0.name, side: .command, parameters: $0.parameters)
    }

    static let returns = HCI.CommandRow.table.rows.compactMap { row in
        if case .returns(let layout) = row.answer {
            Layout(name: row.name + " (returned)", side: .event, parameters: layout)
        } else {
            nil
        }
    }

    static let events = HCI.EventRow.table.rows.map { Layout(name: $0.name, side: .event, parameters: $0.parameters) }

    static let leEvents = HCI.LEEventRow.table.rows.map {
        Layout(name: $0.name, side: .event, parameters: $0.parameters)
    }
}
