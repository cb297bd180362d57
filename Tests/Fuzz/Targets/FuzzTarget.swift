import Conversation
import Workbench

/// One parser of untrusted bytes, with its invariants for arbitrary input.
package struct FuzzTarget: Sendable {
    package let name: String
    /// The violated invariant for `bytes`; nil if all hold. In addition, the target may neither crash nor hang.
    package let fault: @Sendable (_ bytes: [UInt8]) -> String?
    /// Initial inputs, made from captures.
    package let seeds: @Sendable (_ captures: [[UInt8]]) -> [[UInt8]]

    init(
        _ name: String, seeds: @escaping @Sendable ([[UInt8]]) -> [[UInt8]],
        fault: @escaping @Sendable ([UInt8]) -> String?
    ) {
        self.name = name
        self.seeds = seeds
        self.fault = fault
    }

    /// All targets: capture file readers, archives, operations on captures, rules, the PDUs of each layer, the filter,
    /// expressions, profiles, test cases, plugin input, a host, hosts of virtual controllers, links and their names,
    /// the monitor, a firmware's monitor protocol, pairings, files of keys, and comments of merged captures.
    package static let all: [FuzzTarget] =
        [
            btsnoop, packetLogger, pcap, pcapng, smartRF, dump, threeWire, gzip, archive, btsnooz, babbleSim,
            conversion,
            pipeline, hciTraffic, airTraffic, check, airCheck, why, airWhy, report,
        ]
        + pdus + [pairing, filter, expression, tables, keyFiles, mergedText, profile, testScript] + battery
        + [host, radio, h4, transportSpec, monitor, monitorStream]

    package static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// The plugins that fuzz targets decode with.
enum FuzzPlugins {
    static let all = (try? PluginLibrary.builtIn().plugins) ?? .none
}
