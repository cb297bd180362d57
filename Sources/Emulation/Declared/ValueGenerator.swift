import Bytes
import PluginKit

/// A row of values for a field, and how far it has come.
struct ValueGenerator: Sendable {
    private let form: EmulationDefinition.Generator.Form
    private var index: UInt64 = 0

    init(_ generator: EmulationDefinition.Generator) {
        form = generator.form
    }

    mutating func next(using random: inout SplitMix64) -> Value {
        defer { index += 1 }
        switch form {
        case .cycle(let values): return values.isEmpty ? .absent : values[Int(index % UInt64(values.count))]
        case .ramp(let first, let last, let step):
            // As many steps as fit, then from the first again.
            let steps = max(0, ((last - first) / step).rounded(.down))
            let position = Double(index).truncatingRemainder(dividingBy: steps + 1)
            return Self.number(first + position * step)
        case .random(let range):
            let number = Double.random(in: range, using: &random)
            let isWhole = [range.lowerBound, range.upperBound].allSatisfy { $0 == $0.rounded() }
            return Self.number(isWhole ? number.rounded() : number)
        }
    }

    private static func number(_ number: Double) -> Value {
        Int64(exactly: number).map { .integer($0) } ?? .real(number)
    }
}
