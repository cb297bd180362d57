import Bytes
import PluginKit

/// Does the harm to values that a scenario asks for; the same seed does the same.
struct FaultInjector: Sendable {
    private var faults: [ValueFault] = []
    private var random: SplitMix64

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    mutating func add(_ fault: ValueFault) {
        faults.append(fault)
    }

    /// What becomes of a value that is to be told, and what was done to it.
    mutating func pass(_ value: [UInt8], of name: String) -> (values: [[UInt8]], note: TwinNote?) {
        guard let index = faults.firstIndex(where: { $0.characteristic == nil || $0.characteristic == name }) else {
            return ([value], nil)
        }
        let kind = faults[index].kind
        faults[index].count -= 1
        if faults[index].count == 0 { faults.remove(at: index) }
        let note = TwinNote("fault", ["kind": .text(kind.rawValue), "characteristic": .text(name)])
        return (harmed(value, kind), note)
    }

    private mutating func harmed(_ value: [UInt8], _ kind: ValueFault.Kind) -> [[UInt8]] {
        switch kind {
        case .drop: return []
        case .duplicate: return [value, value]
        case .corrupt:
            guard !value.isEmpty else { return [value] }
            var value = value
            value[Int.random(in: value.indices, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            return [value]
        case .truncate:
            guard value.count > 1 else { return [[]] }
            return [Array(value.prefix(Int.random(in: 1..<value.count, using: &random)))]
        }
    }
}
