import BluetoothTypes
import Dissection

/// Keeps which plugin describes which device: by what it advertises, else by its attribute table. What was found once
/// holds from then on, and from the beginning when the capture is gone through again.
struct DeviceMatcher: Sendable {
    private var known: [Int32: PluginMatch] = [:]
    /// Addresses of devices that were met over the air.
    private var met: Set<DeviceAddress> = []
    /// Addresses that are remembered.
    private static let metLimit = 100_000

    /// Says for all devices of a batch which plugin describes them; the batch was named, and its application followed.
    mutating func match(
        _ batch: inout TrackedBatch, _ application: borrowing ApplicationTracker, _ tracker: borrowing Tracker
    ) {
        for (binding, match) in batch.matches where match.plugin >= 0 {
            guard let device = batch.bindings[binding]?.device, device >= 0 else { continue }
            if known[device]?.dialect == nil { known[device] = match }
        }
        for (index, device) in batch.devices where device.adapter == nil {
            if met.count < Self.metLimit, let address = device.address { met.insert(address) }
            let resolved = device.identity >= 0 ? device.identity : index
            if known[resolved] == nil {
                let match = application.recognition.match(index, tracker)
                if match.plugin >= 0 { known[resolved] = match }
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
