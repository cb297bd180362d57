import Bluetooth

/// A device that no plugin describes but one almost matches.
package struct NearlyMatchedDevice: Sendable {
    /// Its name, else its address.
    package var title: String
    package var address: String?
    package var match: NearMatch
}

/// Records the plugin that describes each device, from its advertising data, names and attribute tables. A match holds
/// from then on, and from the start in a second pass over the capture.
struct DeviceMatcher: Sendable {
    private var known: [Int32: PluginMatch] = [:]
    /// Addresses of devices captured over the air.
    private var met: Set<DeviceAddress> = []
    /// Addresses kept in `met`.
    private static let metLimit = 100_000
    /// Near matches, by device, or by table version for a server whose device is not known.
    private var near: [NearSubject: NearlyMatchedDevice] = [:]
    /// Near matches kept.
    private static let nearLimit = 100

    private enum NearSubject: Hashable {
        case device(Int32)
        case tableVersion(TableVersion)

        /// Devices first, each kind in capture order.
        var order: (Int, Int32) {
            switch self {
            case .device(let index): (0, index)
            case .tableVersion(let version): (1, version.index)
            }
        }
    }

    /// Devices that no plugin describes but one almost matches, in capture order.
    var nearMatches: [NearlyMatchedDevice] {
        near.filter { subject, _ in
            if case .device(let device) = subject { return known[device] == nil }
            return true
        }.sorted { $0.key.order < $1.key.order }.map(\.value)
    }

    private mutating func note(_ match: NearMatch?, _ subject: NearSubject, _ device: Device?) {
        guard let match, near.count < Self.nearLimit || near[subject] != nil else { return }
        near[subject] = NearlyMatchedDevice(
            title: device?.title ?? "a device without a known address", address: device?.address?.address.description,
            match: match)
    }

    /// Assigns a plugin to each device of a batch, after its names were added and its application data was tracked.
    mutating func match(
        _ batch: inout TrackedBatch, _ application: borrowing ApplicationTracker, _ tracker: borrowing Tracker
    ) {
        for (tableVersion, match) in batch.matches {
            let device = batch.tableVersions[tableVersion]?.device ?? -1
            if match.plugin < 0 {
                if match.near == nil { continue }
                note(match.near, device >= 0 ? .device(device) : .tableVersion(tableVersion), batch.devices[device])
            } else if device < 0 {
                near[.tableVersion(tableVersion)] = nil
            } else if known[device]?.dialect == nil {
                known[device] = match
            }
        }
        for (index, device) in batch.devices where device.adapter == nil {
            if met.count < Self.metLimit, let address = device.address { met.insert(address) }
            let resolved = device.identity >= 0 ? device.identity : index
            if known[resolved] == nil {
                let match = application.recognition.match(index, tracker)
                if match.plugin >= 0 { known[resolved] = match }
                if match.near != nil { note(match.near, .device(resolved), device) }
            }
            if let match = known[resolved] { batch.deviceMatches[index] = match }
        }
        // A device that was captured at its own controller, and not also over the air.
        for (index, device) in batch.devices where device.adapter != nil {
            if let address = device.address, met.contains(address) { continue }
            if let match = known[index] { batch.deviceMatches[index] = match }
        }
    }
}
