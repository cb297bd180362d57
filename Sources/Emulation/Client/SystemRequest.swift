import Bluetooth
import Bytes
import Host
import PluginKit

/// A connection request that an app in the background has left with the phone's system.
///
/// The system does not scan all the time: it looks for the device at intervals, and connects once several looks in
/// succession have seen it. A device that advertises more briefly is not noticed.
struct SystemRequest: Sendable {
    let search: SystemSearch
    /// Number of successive looks, up to the current one, that have seen the device.
    private var sightings = 0
    /// Whether the current look has seen the device.
    private var isSeen = false

    init(_ search: SystemSearch) {
        self.search = search
    }

    /// Records an advertisement of the device; returns whether the system connects.
    mutating func recordSighting() -> Bool {
        if !isSeen { sightings += 1 }
        isSeen = true
        return sightings >= search.looks
    }

    /// Ends the current look; one that has not seen the device makes earlier ones count no more.
    mutating func endLook() {
        if !isSeen { sightings = 0 }
        isSeen = false
    }
}

/// The looks of a connection request.
extension ClientSession {
    mutating func requestConnection(_ search: SystemSearch, at now: Timestamp) {
        guard stage == .idle else { return }
        finder.forgetAll()
        systemRequest = SystemRequest(search)
        stage = .pausing(until: now + search.delay)
    }

    mutating func look(at now: Timestamp) {
        guard let search = systemRequest?.search else { return }
        stage = .scanning(until: now + search.window)
        steps.append(.scan)
    }

    mutating func endLook(at now: Timestamp) {
        guard let search = systemRequest?.search else { return }
        systemRequest?.endLook()
        stage = .pausing(until: now + max(search.period - search.window, .zero))
        ask(.stopScanning)
    }

    /// Handles an advertisement during a look; returns whether the system connects to its device. A request is for the
    /// device of the last connection, or before the first one for a device that the session may connect to.
    mutating func systemNotices(_ advertisement: Host.Advertisement, at now: Timestamp) -> Bool {
        let isWanted =
            if let device = address ?? serverAddress {
                advertisement.address == device
            } else {
                finder.record(advertisement)
                    && peers.accept(advertisement.address.address, searchingSince: now, at: now)
            }
        guard isWanted else { return false }
        if let name = advertisement.name { serverName = name }
        return systemRequest?.recordSighting() ?? false
    }
}
