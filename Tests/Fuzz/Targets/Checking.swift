import Captures
import Conformance
import Conversation
import PluginKit
import TestKit

extension FuzzTarget {
    /// HCI packets in the format of `Traffic`, checked with every rule and compared with the devices' twins.
    static let check = FuzzTarget("check") { captures in
        Traffic.seeds(captures, .h4)
    } fault: { bytes in
        Checking.fault(Traffic.batches(bytes, .h4))
    }

    /// The same for link layer packets.
    static let airCheck = FuzzTarget("air-check") { captures in
        Traffic.seeds(captures, .linkLayerWithHeader)
    } fault: { bytes in
        Checking.fault(Traffic.batches(bytes, .linkLayerWithHeader))
    }
}

/// Checks captures with the rules of the specification and of all plugins, and with the plugins' twins.
enum Checking {
    /// A fault in the report: a finding without a frame of the capture or without a description.
    static func fault(_ batches: [PacketBatch]) -> String? {
        let frames = batches.reduce(0) { max($0, $1.packets.last?.number ?? 0) }
        let report = CheckedCapture(batches, plugins: FuzzPlugins.all, core: CoreRules.all, asksOracle: true).report
        for result in report.results {
            let rule = report.rules[result.rule].id
            for finding in result.tally.findings {
                if finding.expected.isEmpty || finding.observed.isEmpty { return "\(rule) does not say what it found" }
                for moment in finding.moments where moment.frame > frames {
                    return "\(rule) names frame \(moment.frame) of \(frames)"
                }
            }
        }
        return nil
    }
}
