package import Conformance

/// Names of devices and results that are the same in every run over the same kind of traffic: CI systems tell by them
/// what is new.
package struct ReportNames: Sendable {
    /// The name of each device, no two of them equal.
    package let devices: [String]
    /// For each device, which of its connections a connection is, from 1.
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

    /// Which of its device's connections a result is about, from 1; nil for none.
    package func visit(of result: RuleResult) -> Int? {
        guard let connection = result.connection else { return nil }
        return result.device.map { visits[$0][connection] ?? connection } ?? connection
    }

    /// `AQ-060/Aquavate-A3F2/1`: the rule, the device, and which of its connections; what there is none of is left out.
    package func id(of result: RuleResult, in report: CheckReport) -> String {
        var parts = [report.rules[result.rule].id]
        if let device = result.device { parts.append(devices[device]) }
        if let visit = visit(of: result) { parts.append("\(visit)") }
        return parts.joined(separator: "/")
    }

    /// The title of each device; with its address where several have the same, and with a number where that does not tell
    /// them apart either.
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
