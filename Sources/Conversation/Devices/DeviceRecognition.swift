import Bluetooth

/// Chooses the plugin that describes a device, from its advertising data, name, attributes and Device Information.
package struct DeviceRecognition: Sendable {
    private let evidence: EvidenceTable
    /// Signs found in each device's Device Information strings.
    private var information: [Int32: SignSet] = [:]

    init(_ evidence: EvidenceTable) {
        self.evidence = evidence
    }

    /// Records the signs in a Device Information string that a device sent.
    mutating func note(_ value: ArraySlice<UInt8>, of type: UUID, by device: Int32) {
        let signs = evidence.signs(inInformation: type, value)
        if !signs.isEmpty { information[device, default: SignSet()].formUnion(signs) }
    }

    /// The plugin that describes a device, from all evidence in the capture.
    package func match(_ device: Int32, _ tracker: borrowing Tracker) -> PluginMatch {
        let shown = tracker.devices.shown(device)
        if shown.adapter != nil { return .none }
        var signs = signs(of: shown, at: tracker.devices.resolved(device))
        if shown.newestTableVersion.isKnown {
            signs.formUnion(evidence.signs(in: tracker.knowledge[shown.newestTableVersion].table))
        }
        return evidence.match(signs)
    }

    /// The plugin that describes the server of a table version. A server with too little evidence for any gets
    /// `assumed`, unless it is the capturing host's own.
    func match(
        _ contents: AttributeTableStore.Version, _ devices: DeviceTable, assuming assumed: Int
    ) -> PluginMatch {
        var signs = evidence.signs(in: contents.discovered)
        if let earlier = contents.earlier { signs.formUnion(evidence.signs(in: earlier)) }
        if contents.device >= 0 {
            let device = devices.shown(contents.device)
            signs.formUnion(self.signs(of: device, at: contents.device))
            if device.adapter != nil { return evidence.match(signs) }
        }
        let match = evidence.match(signs)
        return match.plugin < 0 && match.rivals.isEmpty && assumed >= 0 ? PluginMatch(plugin: assumed) : match
    }

    /// The plugin that describes a device, from all evidence but its attribute table.
    func match(_ device: Device, at index: Int32) -> PluginMatch { evidence.match(signs(of: device, at: index)) }

    private func signs(of device: Device, at index: Int32) -> SignSet {
        var signs = device.signs
        signs.formUnion(evidence.signs(inName: device.name))
        if let information = information[index] { signs.formUnion(information) }
        return signs
    }
}
