package import Bytes
package import PluginKit
package import Profile

extension CheckReport {
    /// Applies waivers as of a day. An expired waiver excuses nothing, but the result refers to it; waivers that match
    /// no failure are listed in `unusedWaivers`.
    package mutating func apply(_ waivers: [Waiver], on day: CivilDate) {
        if waivers.isEmpty { return }
        var used: Set<Waiver> = []
        for index in results.indices {
            switch results[index].verdict {
            case .fail, .warning: break
            default: continue
            }
            let device = results[index].device.map { devices[$0] }
            let rule = rules[results[index].rule].id
            let matching = waivers.filter {
                $0.concerns(rule: rule, title: device?.title, address: device?.address, firmware: device?.firmware)
            }
            used.formUnion(matching)
            guard let waiver = matching.first(where: { !$0.isExpired(on: day) }) ?? matching.first else { continue }
            results[index].waiver = waiver
            if !waiver.isExpired(on: day) { results[index].verdict = .waived }
        }
        unusedWaivers = waivers.filter { !used.contains($0) }
    }

    /// Removes the results of rules about the other side.
    package mutating func keep(_ side: RuleDefinition.Role) {
        let isWanted = rules.map { $0.concerns(side) }
        results.removeAll { !isWanted[$0.rule] }
    }
}
