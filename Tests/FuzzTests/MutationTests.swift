import Bytes
import Foundation
import FuzzTargets
import PDUTestKit
import Testing

/// The sample captures as input of the fuzz targets.
private enum Sample {
    static let folder = Repository.url("captures")

    static let captures: [[UInt8]] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().flatMap { name in
            let folder = folder.appending(path: name)
            let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            return files.filter { $0.hasPrefix("capture.") }.compactMap {
                try? Array(Data(contentsOf: folder.appending(path: $0)))
            }
        }
    }()
}

/// A short, repeatable fuzzing run; `make fuzz` runs longer and is guided by coverage.
@Suite struct MutationTests {
    @Test(.enabled(if: !Sample.captures.isEmpty, "captures/ is empty"), arguments: FuzzTarget.all.map(\.name))
    func noMutationDoesHarm(target name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        let seeds = target.seeds(Sample.captures)
        #expect(!seeds.isEmpty)
        var random = SplitMix64(seed: 2026)
        for seed in seeds { #expect(target.fault(seed) == nil, "\(name), \(hexText(seed))") }
        for _ in 0..<300 {
            let input = Mutation.mutate(seeds, &random)
            let fault = target.fault(input)
            #expect(fault == nil, "\(name), \(hexText(input))")
        }
    }
}

/// Small damage to bytes.
enum Mutation {
    private static let edges: [UInt8] = [0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF]

    /// One of `seeds`, mutated in one to five places.
    static func mutate(_ seeds: [[UInt8]], _ random: inout SplitMix64) -> [UInt8] {
        guard var bytes = seeds.randomElement(using: &random) else { return [] }
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            guard !bytes.isEmpty else { break }
            let place = Int.random(in: 0..<bytes.count, using: &random)
            let end = min(bytes.count, place + Int.random(in: 1...24, using: &random))
            switch Int.random(in: 0..<8, using: &random) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes[place] = .random(in: 0...255, using: &random)
            case 2: bytes[place] = edges.randomElement(using: &random) ?? 0
            case 3: bytes.removeSubrange(place..<end)
            case 4: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 5: for index in place..<min(end, place + 4) { bytes[index] = 0xFF }
            case 6: bytes.removeSubrange(place...)
            default:
                let other = seeds.randomElement(using: &random) ?? []
                let start = Int.random(in: 0...other.count, using: &random)
                bytes.replaceSubrange(place..<end, with: other[start..<min(other.count, start + end - place)])
            }
        }
        return bytes
    }
}
