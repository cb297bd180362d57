import Bytes
import Foundation
import FuzzTargets
import TestKit
import Testing

/// The sample captures, and what the fuzz targets make of them.
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

/// A taste of fuzzing that always repeats: what `make fuzz` does for longer, and led by coverage.
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
