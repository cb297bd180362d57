import Bytes
import Captures
import TestKit

/// A capture with packets missing: from a recorder that starts late, stops early, misses PDUs or keeps only the first
/// bytes of each record.
struct LossyVariant: CustomStringConvertible {
    enum Loss: CustomStringConvertible {
        /// The first frames are missing.
        case front(Int)
        /// Only the first frames are present.
        case end(Int)
        /// Frames are missing, by index.
        case frames(Set<Int>)
        /// Consecutive frames are missing, by index.
        case burst(Set<Int>)
        /// Records keep at most this many bytes.
        case snapLength(Int)

        var description: String {
            switch self {
            case .front(let count): "without the first \(count) frames"
            case .end(let count): "the first \(count) frames only"
            case .burst(let indices): "without frames \(Self.numbers(indices))"
            case .frames(let indices) where indices.count <= 5: "without frames \(Self.numbers(indices))"
            case .frames(let indices): "without \(indices.count) frames"
            case .snapLength(let count): "records of \(count) bytes at most"
            }
        }

        private static func numbers(_ indices: Set<Int>) -> String {
            indices.sorted().map { String($0 + 1) }.joined(separator: ", ")
        }
    }

    let loss: Loss
    /// Whether the recorder counts the packets that it drops, as btsnoop's cumulative drops do.
    var isCounted = false

    var description: String { "\(loss)\(isCounted ? ", counted" : "")" }

    /// The 63 variants of a capture with this many frames: front cut at 12 places, end at 4, one frame dropped 25
    /// times, five 12 times, 10 % 6 times, records cut to 20, 24, 30 and 36 bytes. On HCI, each drop occurs once
    /// counted by the recorder and once uncounted: 106 variants. The same seed gives the same variants.
    static func all(frames count: Int, isOnAir: Bool, seed: UInt64) -> [Self] {
        var random = SplitMix64(seed: seed)
        func dropping(_ number: Int) -> Loss {
            var indices: Set<Int> = []
            while indices.count < min(number, count - 1) { indices.insert(Int.random(in: 0..<count, using: &random)) }
            return .frames(indices)
        }
        var cuts: [Loss] = []
        for part in 1...12 { cuts.append(.front(count * part / 13)) }
        for part in 1...4 { cuts.append(.end(count * part / 5)) }
        for length in [20, 24, 30, 36] { cuts.append(.snapLength(length)) }
        var drops: [Loss] = []
        for _ in 0..<25 { drops.append(dropping(1)) }
        for _ in 0..<12 { drops.append(dropping(5)) }
        for _ in 0..<6 { drops.append(dropping(max(1, count / 10))) }
        return (cuts + drops).map { Self(loss: $0) }
            + (isOnAir ? [] : drops.map { Self(loss: $0, isCounted: true) })
    }

    /// The remaining packets of a capture, renumbered as in a file.
    func applied(to whole: PacketBatch) -> PacketBatch {
        var rest = PacketBatch(bytes: whole.bytes)
        var isAfterDrop = false
        for (index, packet) in whole.packets.enumerated() {
            guard keeps(index) else {
                isAfterDrop = true
                continue
            }
            var packet = packet
            if isCounted, isAfterDrop { packet.drops = 1 }
            isAfterDrop = false
            packet.number = rest.packets.count + 1
            if case .snapLength(let limit) = loss { packet.count = min(packet.count, limit) }
            rest.packets.append(packet)
        }
        return rest
    }

    /// Whether single frames are missing from the middle; on HCI, only a recorder's count leaves a trace of them.
    var isDrop: Bool { if case .frames = loss { true } else { false } }

    private func keeps(_ index: Int) -> Bool {
        switch loss {
        case .front(let count): index >= count
        case .end(let count): index < count
        case .frames(let indices), .burst(let indices): !indices.contains(index)
        case .snapLength: true
        }
    }
}
