import Conversation
import Workbench

/// One place where bytes come in from outside, with what must hold for any bytes at all.
package struct FuzzTarget: Sendable {
    package let name: String
    /// What is wrong with how `bytes` were taken; nil when all is well. Beside that it may neither crash nor hang.
    package let fault: @Sendable (_ bytes: [UInt8]) -> String?
    /// Inputs to begin with, made from captures.
    package let seeds: @Sendable (_ captures: [[UInt8]]) -> [[UInt8]]

    init(
        _ name: String, seeds: @escaping @Sendable ([[UInt8]]) -> [[UInt8]],
        fault: @escaping @Sendable ([UInt8]) -> String?
    ) {
        self.name = name
        self.seeds = seeds
        self.fault = fault
    }

    /// All targets: the readers of capture files, what is done with captures, how they are judged, the PDUs of each
    /// layer, the filter, expressions, profiles, cases, what plugins read, a host, hosts of virtual controllers, links and
    /// their names, the monitor.
    package static let all: [FuzzTarget] =
        [
            btsnoop, packetLogger, pcap, pcapng, gzip, conversion, pipeline, hciTraffic, airTraffic, check, airCheck,
            report,
        ]
        + pdus + [filter, expression, tables, profile, testScript] + battery
        + [host, radio, h4, transportSpec, monitor]

    package static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// The plugins that fuzz targets decode with.
enum FuzzPlugins {
    static let all = (try? PluginLibrary.builtIn().plugins) ?? .none
}
