package import Conformance

/// Stable names of devices and results: equal in every run over the same kind of traffic, so that CI systems recognize
/// new results.
package struct ReportNames: Sendable {
    /// Unique names of the devices.
    package let devices: [String]
    /// For each device, the ordinal of each of its connections, from 1.
    private let visits: [[Int: Int]]

    package init(_ report: CheckReport) {
        devices = Self.distinct(report.devices)
        var connections = Array(repeating: Set<Int>(), count: report.devices.count)
        for result in report.results {
            if let device = result.device, let connection = result.connection { connections[device].insert(connection) }
        }
        visits = connections.map { numbers in
            Dictionary(uniqueKeysWithValues: numbers.sorted().enumerated().map { ($1, $0 + 1) })
        }
    }

    /// Ordinal of the result's connection among those of its device, from 1; nil without a connection.
    package func visit(of result: RuleResult) -> Int? {
        guard let connection = result.connection else { return nil }
        return result.device.map { visits[$0][connection] ?? connection } ?? connection
    }

    /// `AQ-060/Aquavate-A3F2/1`: rule, device, and ordinal of the connection; missing parts are left out.
    package func id(of result: RuleResult, in report: CheckReport) -> String {
        var parts = [report.rules[result.rule].id]
        if let device = result.device { parts.append(devices[device]) }
        if let visit = visit(of: result) { parts.append("\(visit)") }
        return parts.joined(separator: "/")
    }

    /// The title of each device, extended by its address if several share a title, and by a number if that is still
    /// ambiguous.
    private static func distinct(_ devices: [CheckedDevice]) -> [String] {
        let titles = devices.reduce(into: [:]) { $0[$1.title, default: 0] += 1 }
        var taken: Set<String> = []
        return devices.map { device in
            var name = device.title
            if titles[name] != 1, let address = device.address, address != name { name += " (\(address))" }
            var (distinct, number) = (name, 1)
            while !taken.insert(distinct).inserted {
                number += 1
                distinct = "\(name) #\(number)"
            }
            return distinct
        }
    }
}
