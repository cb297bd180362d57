import Bluetooth
import Emulation
import Host
import PluginKit
import Profile

/// The advertisers seen during a search for the device under test.
struct DeviceSearch {
    private var finder: DeviceFinder
    private var candidates: [Candidate] = []
    private var places: [DeviceAddress: Int] = [:]

    /// Maximum number of devices remembered.
    private static let capacity = 256
    /// Maximum number of devices listed in a message.
    private static let shownLimit = 8

    private struct Candidate {
        var address: DeviceAddress
        var name: String?
        /// Whether it matches the device under test and is connectable.
        var isWanted = false
    }

    init(_ device: TestedDevice) {
        finder = DeviceFinder(device.plugin.profile.profile)
    }

    mutating func begin() {
        finder.forgetAll()
        (candidates, places) = ([], [:])
    }

    /// Records an advertisement; returns whether it is the device's and the device is connectable.
    mutating func take(_ advertisement: Host.Advertisement, of device: TestedDevice) -> Bool {
        let isWanted =
            device.isWanted(advertisement, &finder) && (advertisement.isConnectable || advertisement.isScanResponse)
        let place = places[advertisement.address] ?? candidates.count
        if place == candidates.count {
            guard place < Self.capacity else { return isWanted }
            places[advertisement.address] = place
            candidates.append(Candidate(address: advertisement.address))
        }
        candidates[place].name = advertisement.name ?? candidates[place].name
        if isWanted { candidates[place].isWanted = true }
        return isWanted
    }

    /// The matching devices, as a message lists them.
    var fitting: [String] { candidates.filter(\.isWanted).map(Self.text) }

    /// All devices, as a message lists them.
    var seen: String {
        if candidates.isEmpty { return "no device at all" }
        let more = candidates.count - Self.shownLimit
        return candidates.prefix(Self.shownLimit).map(Self.text).joined(separator: ", ")
            + (more > 0 ? " and \(more) more" : "")
    }

    private static func text(_ candidate: Candidate) -> String {
        (candidate.name.map { "\($0) " } ?? "") + "\(candidate.address.address)"
    }
}

/// Several devices match, and the user has not selected one.
package struct AmbiguousDevice: Error, CustomStringConvertible {
    package let devices: [String]
    package let plugin: String?

    package var description: String {
        let fit = plugin.map { "fit the plugin \($0)" } ?? "can be connected to"
        return
            "\(devices.count) devices \(fit): \(devices.joined(separator: ", ")); choose one with --address or --name"
    }
}
