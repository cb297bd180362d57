import Bytes
import Captures
import TestKit

/// A capture with packets missing, as a recorder that starts late, stops early, overhears PDUs or keeps only the first
/// bytes of each record leaves it.
struct LossyVariant: CustomStringConvertible {
    enum Loss {
        /// The first frames are missing.
        case front(Int)
        /// Only the first frames are there.
        case end(Int)
        /// Frames, by their index.
        case frames(Set<Int>)
        /// Records keep at most this many bytes.
        case snapLength(Int)
    }

    let loss: Loss

    var description: String {
        switch loss {
        case .front(let count): "without the first \(count) frames"
        case .end(let count): "the first \(count) frames only"
        case .frames(let indices) where indices.count <= 5:
            "without frames \(indices.sorted().map { String($0 + 1) }.joined(separator: ", "))"
        case .frames(let indices): "without \(indices.count) frames"
        case .snapLength(let count): "records of \(count) bytes at most"
        }
    }

    /// The variants of a capture of this many frames: front cut at 12 places, end at 4, records cut to 20, 24, 30 and 36
    /// bytes; on the air also one frame dropped 25 times, five 12 times, 10 % 6 times. A host's own recorder overhears
    /// nothing. The same seed gives the same variants.
    static func all(frames count: Int, isOnAir: Bool, seed: UInt64) -> [Self] {
        var random = SplitMix64(seed: seed)
        var losses: [Loss] = []
        func dropping(_ number: Int) -> Loss {
            var indices: Set<Int> = []
            while indices.count < min(number, count - 1) { indices.insert(Int.random(in: 0..<count, using: &random)) }
            return .frames(indices)
        }
        for part in 1...12 { losses.append(.front(count * part / 13)) }
        for part in 1...4 { losses.append(.end(count * part / 5)) }
        if isOnAir {
            for _ in 0..<25 { losses.append(dropping(1)) }
            for _ in 0..<12 { losses.append(dropping(5)) }
            for _ in 0..<6 { losses.append(dropping(max(1, count / 10))) }
        }
        for length in [20, 24, 30, 36] { losses.append(.snapLength(length)) }
        return losses.map { Self(loss: $0) }
    }

    /// What is left of a capture: its packets numbered anew, as in a file.
    func applied(to whole: PacketBatch) -> PacketBatch {
        var rest = PacketBatch(bytes: whole.bytes)
        for (index, packet) in whole.packets.enumerated() where keeps(index) {
            var packet = packet
            packet.number = rest.packets.count + 1
            if case .snapLength(let limit) = loss { packet.count = min(packet.count, limit) }
            rest.packets.append(packet)
        }
        return rest
    }

    private func keeps(_ index: Int) -> Bool {
        switch loss {
        case .front(let count): index >= count
        case .end(let count): index < count
        case .frames(let indices): !indices.contains(index)
        case .snapLength: true
        }
    }
}
