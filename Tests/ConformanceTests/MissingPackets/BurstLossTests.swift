import Bytes
import Captures
import Foundation
import PDUTestKit
import TestKit
import Testing

/// A sniffer misses packets in bursts and pairs, which may leave the sequence numbers unchanged: neither makes a rule
/// fail. On HCI the recorder has counted them.
///
/// `GATTBENCH_LOSS_SEEDS` is the number of variants of each capture; a few take some seconds.
struct BurstLossTests {
    private static let seeds = ProcessInfo.processInfo.environment["GATTBENCH_LOSS_SEEDS"].flatMap { Int($0) }
    private static let own = Repository.captures(in: "captures")
    private static let shared = Repository.captures(in: "../shared/captures").filter { capture in
        ["/ll25", "/nordic272"].contains { capture.contains($0) }
    }

    @Test(arguments: own)
    func ownCaptures(_ capture: String) throws { try checkVariants(of: capture, Self.seeds ?? 8) }

    @Test(.enabled(if: !shared.isEmpty, "../shared/captures is not there"), arguments: shared)
    func sharedCaptures(_ capture: String) throws { try checkVariants(of: capture, Self.seeds ?? 30) }

    private func checkVariants(of capture: String, _ seeds: Int) throws {
        let subject = try LossSubject(capture)
        let count = subject.packets.packets.count
        guard count > 8 else { return }
        let broken = subject.brokenRules(of: subject.packets)
        for seed in 0..<seeds {
            let variant = LossyVariant.burst(frames: count, isOnAir: subject.isOnAir, seed: UInt64(seed))
            let found = subject.brokenRules(of: variant.applied(to: subject.packets))
            let accused = found.filter { rule, _ in
                broken[rule] == nil && !UndiscoveredChange.excuses(rule, variant, of: capture)
            }.sorted { $0.key < $1.key }
            #expect(accused.isEmpty, "seed \(seed), \(variant): \(accused.map { "\($0.key): \($0.value)" })")
        }
    }
}

extension LossyVariant {
    /// One to three bursts of 2 to 8 packets, pairs of packets, or most packets in a range of up to 40.
    static func burst(frames count: Int, isOnAir: Bool, seed: UInt64) -> Self {
        var random = SplitMix64(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(count))
        var indices: Set<Int> = []
        func add(_ length: Int) {
            let start = Int.random(in: 0...(count - length), using: &random)
            indices.formUnion(start..<(start + length))
        }
        switch seed % 3 {
        case 0: for _ in 0..<Int.random(in: 1...3, using: &random) { add(Int.random(in: 2...8, using: &random)) }
        case 1: for _ in 0..<Int.random(in: 1...(4 + count / 50), using: &random) { add(2) }
        default:
            let start = Int.random(in: 0..<count, using: &random)
            for pair in stride(from: start, to: min(count - 1, start + 40), by: 2)
            where Int.random(in: 0..<3, using: &random) > 0 {
                indices.formUnion([pair, pair + 1])
            }
        }
        return Self(loss: .burst(indices), isCounted: !isOnAir)
    }
}
