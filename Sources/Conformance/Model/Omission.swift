package import Captures
package import Conversation
import PluginKit
import Profile

/// A required check that did not happen. It breaks no rule, but a check with omissions does not pass.
package struct Omission: Hashable, Sendable {
    package enum Kind: String, Sendable {
        /// A plugin named by the user checked nothing.
        case unused = "plugin-unused"
        /// A plugin required by the user checked no connection.
        case required = "plugin-required"
        /// No plugin checked a device that nearly matches one.
        case nearMatch = "near-match"
        /// The records stored by a client were not compared with those that it acknowledged.
        case notCompared = "not-compared"
        /// The capture was not read to its end.
        case notRead = "part-not-read"
        /// All ATT PDUs of the capture are encrypted.
        case encrypted = "all-encrypted"
    }

    package var kind: Kind
    /// Id of the plugin; nil if the omission concerns all plugins.
    package var plugin: String?
    /// The device of a near match: its address, or its name if the address is unknown.
    package var device: String?
    /// Sum of the weights found for the device of a near match.
    package var weight: Int?
    /// The reason, and the remedy.
    package var text: String

    package init(_ kind: Kind, plugin: String, device: String? = nil, weight: Int? = nil, text: String) {
        self.kind = kind
        self.plugin = plugin
        self.device = device
        self.weight = weight
        self.text = text
    }

    /// A capture whose ATT PDUs all stayed encrypted; nil if there was one that could be read.
    package init?(encrypted summary: DecryptionSummary, hasATT: Bool) {
        let closed = summary.undecrypted
        guard !hasATT, let most = closed.max(by: { $0.packets < $1.packets }) else { return nil }
        kind = .encrypted
        let count = closed.reduce(0) { $0 + $1.packets }
        let remedy =
            most.reason == .noKey ? "give the key with --keys or --key" : "see the reasons in `gattbench stats`"
        text =
            "no ATT PDU could be read: \(count) PDUs stayed encrypted, most for the reason "
            + "\(most.reason.rawValue); \(remedy)"
    }

    /// The end of a capture that is truncated or corrupt.
    package init(notRead reason: CaptureWarning) {
        kind = .notRead
        let place = reason.offset.map { " at offset \($0)" } ?? ""
        text = "the end of the capture was not read\(place): \(reason.text)"
    }
}

extension CheckReport {
    /// Finds the required checks that did not happen.
    package mutating func noteOmissions(of plugins: PluginSet, required: [String], near: [NearlyMatchedDevice]) {
        omissions = []
        func hasDecided(_ isWanted: (RuleResult) -> Bool) -> Bool {
            results.contains { $0.verdict.isDecided && isWanted($0) }
        }
        for index in plugins.named {
            let plugin = plugins.plugins[index]
            if hasDecided({ rules[$0.rule].plugin == plugin.id }) { continue }
            let why = reason(plugin.id, isGeneral: plugin.isGeneral)
            omissions.append(
                Omission(.unused, plugin: plugin.id, text: "--plugin \(plugin.id) checked nothing: \(why)"))
        }
        var seen: Set<String> = []
        for id in required where seen.insert(id).inserted {
            if hasDecided({ rules[$0.rule].plugin == id && $0.connection != nil }) { continue }
            let isGeneral = plugins.plugins.first { $0.id == id }?.isGeneral ?? false
            let why = reason(id, isGeneral: isGeneral)
            omissions.append(
                Omission(.required, plugin: id, text: "--require \(id): it checked no connection: \(why)"))
        }
        for device in near {
            let plugin = plugins.plugins[device.match.plugin].id
            let name = [device.title, device.address == device.title ? nil : device.address.map { "(\($0))" }]
                .compactMap(\.self).joined(separator: " ")
            let missing = device.match.missing.map { "\($0.sign.text) (\($0.weight))" }.joined(separator: ", ")
            omissions.append(
                Omission(
                    .nearMatch, plugin: plugin, device: device.address ?? device.title, weight: device.match.weight,
                    text: "\(name) nearly matches plugin \(plugin), so no plugin checked it: weight "
                        + "\(device.match.weight) of \(Profile.Evidence.threshold), not seen: \(missing); "
                        + "--plugin \(plugin) rules it all the same"))
        }
    }

    /// Why a plugin checked nothing, or no connection.
    private func reason(_ plugin: String, isGeneral: Bool) -> String {
        let own = devices.filter { $0.plugin == plugin }
        if isGeneral { return "no device has an attribute that its rules cover" }
        if own.isEmpty { return "no device in the capture matches it" }
        if own.allSatisfy({ $0.connections == 0 }) { return "the devices that match it were only seen advertising" }
        return "the devices that match it have no traffic that its rules cover"
    }
}

extension Verdict {
    /// Whether the rule was evaluated at all.
    var isDecided: Bool {
        switch self {
        case .pass, .fail, .warning, .waived: true
        case .inconclusive, .notApplicable: false
        }
    }
}
