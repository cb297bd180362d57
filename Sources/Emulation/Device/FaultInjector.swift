import Bluetooth
import Bytes
import PluginKit

/// Injects a scenario's faults into a device. The same seed has the same effect.
struct FaultInjector: Sendable {
    private var faults: [ValueFault] = []
    private var random: SplitMix64
    /// Values held by `reorder` until the next one, by characteristic.
    private var held: [String: [UInt8]] = [:]
    /// Delayed packets and the times at which they are due.
    private var late = FIFO<(due: Timestamp, output: StationOutput)>()
    private var delay = Duration.zero

    /// Number of times `flood` sends a value.
    private static let floodLength = 200
    /// Bytes that `extend` adds.
    private static let surplus: [UInt8] = [0xEE, 0xEE, 0xEE]

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    mutating func add(_ fault: ValueFault) {
        switch fault.kind {
        case .delay: delay = fault.delay
        // The attribute server refuses requests itself.
        case .refuse: break
        default: faults.append(fault)
        }
    }

    // MARK: - Values

    /// The values sent in place of `value`, and a note of the fault.
    mutating func pass(_ value: [UInt8], of name: String) -> (values: [[UInt8]], note: TwinNote?) {
        let waiting = held.removeValue(forKey: name).map { [$0] } ?? []
        guard let fault = take(name) else { return ([value] + waiting, nil) }
        let note = TwinNote("fault", ["kind": .text(fault.kind.rawValue), "characteristic": .text(name)])
        if fault.kind == .reorder {
            held[name] = value
            return (waiting, note)
        }
        return (damaged(value, by: fault) + waiting, note)
    }

    /// Consumes one use of the first fault that applies to a characteristic.
    private mutating func take(_ name: String) -> ValueFault? {
        let index = faults.firstIndex { $0.characteristic == nil || $0.characteristic == name }
        guard let index else { return nil }
        let fault = faults[index]
        faults[index].count -= 1
        if faults[index].count == 0 { faults.remove(at: index) }
        return fault
    }

    private mutating func damaged(_ value: [UInt8], by fault: ValueFault) -> [[UInt8]] {
        var value = value
        switch fault.kind {
        case .drop: return []
        case .duplicate: return [value, value]
        case .flood: return Array(repeating: value, count: Self.floodLength)
        case .corrupt:
            if value.isEmpty { break }
            value[Int.random(in: value.indices, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case .truncate:
            value = value.count > 1 ? Array(value.prefix(Int.random(in: 1..<value.count, using: &random))) : []
        case .extend: value += Self.surplus
        case .replace:
            guard let offset = fault.offset else { return [fault.bytes] }
            for (index, byte) in zip(offset..., fault.bytes) where index < value.count { value[index] = byte }
        case .reorder, .refuse, .delay: break
        }
        return [value]
    }

    // MARK: - Time

    /// The time at which the next delayed packet is due.
    var deadline: Timestamp? { late.first?.due }

    /// Delays data packets while the device is slow; other outputs pass at once.
    mutating func pass(_ outputs: [StationOutput], at now: Timestamp) -> [StationOutput] {
        if delay == .zero, late.isEmpty { return outputs }
        var prompt = release(at: now)
        for output in outputs {
            guard case .send(let packet) = output, packet.first == Self.data else {
                prompt.append(output)
                continue
            }
            // Queueing keeps the packet order when the fault ends.
            late.append((now + delay, output))
        }
        return prompt + release(at: now)
    }

    private mutating func release(at now: Timestamp) -> [StationOutput] {
        var outputs: [StationOutput] = []
        while let first = late.first, first.due <= now || delay == .zero {
            outputs.append(first.output)
            late.popFirst()
        }
        return outputs
    }

    /// The controller is reset: packets of its connections are void.
    mutating func reset() { late.removeAll() }

    /// Packet indicator of ACL data (Vol 4, Part A, 2).
    private static let data: UInt8 = 0x02
}
