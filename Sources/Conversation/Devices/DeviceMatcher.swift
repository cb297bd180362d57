import Bluetooth

/// A device that no plugin describes and that one almost matches.
package struct NearlyMatchedDevice: Sendable {
    /// Its name, else its address.
    package var title: String
    package var address: String?
    package var match: NearMatch
}

/// Keeps which plugin describes which device: by what it advertises, else by its attribute table. What was found once
/// holds from then on, and from the beginning when the capture is gone through again.
struct DeviceMatcher: Sendable {
    private var known: [Int32: PluginMatch] = [:]
    /// Addresses of devices that were met over the air.
    private var met: Set<DeviceAddress> = []
    /// Addresses that are remembered.
    private static let metLimit = 100_000
    /// Devices, and servers of devices that were not told apart, that a plugin almost matches.
    private var near: [NearSubject: NearlyMatchedDevice] = [:]
    /// Devices that are kept as near matches.
    private static let nearLimit = 100

    private enum NearSubject: Hashable {
        case device(Int32)
        case binding(Int32)

        /// Devices first, both in the order of the capture.
        var order: (Int, Int32) {
            switch self {
            case .device(let index): (0, index)
            case .binding(let index): (1, index)
            }
        }
    }

    /// Devices that no plugin describes and that one almost matches, in the order of the capture.
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

    /// Says for all devices of a batch which plugin describes them; the batch was named, and its application followed.
    mutating func match(
        _ batch: inout TrackedBatch, _ application: borrowing ApplicationTracker, _ tracker: borrowing Tracker
    ) {
        for (binding, match) in batch.matches {
            let device = batch.bindings[binding]?.device ?? -1
            if match.plugin < 0 {
                if match.near == nil { continue }
                note(match.near, device >= 0 ? .device(device) : .binding(binding), batch.devices[device])
            } else if device < 0 {
                near[.binding(binding)] = nil
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
        // A device that was captured at its own controller, and not at the other end of the air as well.
        for (index, device) in batch.devices where device.adapter != nil {
            if let address = device.address, met.contains(address) { continue }
            if let match = known[index] { batch.deviceMatches[index] = match }
        }
    }
}
