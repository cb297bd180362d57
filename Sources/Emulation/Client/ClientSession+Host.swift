import Bluetooth
import Bytes
import Host
import PluginKit
import Profile

/// Handling of host events.
extension ClientSession {
    /// Whether an advertisement comes from a device that the session looks for.
    mutating func wants(_ advertisement: Host.Advertisement, at now: Timestamp) -> Bool {
        guard isScanning else { return false }
        if systemRequest != nil { return systemNotices(advertisement, at: now) }
        guard finder.record(advertisement),
            finder.address != nil
                || peers.accept(advertisement.address.address, searchingSince: searchStart, at: now)
        else { return false }
        serverName = finder.name(of: advertisement.address)
        // A session with a store waits for the scan response, where most devices put their name.
        return
            !(hasStore && serverName == nil && namelessServers.count < DeviceFinder.capacity
            && namelessServers.insert(advertisement.address).inserted)
    }

    mutating func connect(to device: DeviceAddress) {
        stage = .connecting
        systemRequest = nil
        ask(.stopScanning)
        ask(.connect(Host.ConnectSettings(device)))
    }

    mutating func connected(_ handle: ConnectionHandle, to device: DeviceAddress) {
        stage = .discovering(handle)
        (isLeaving, changes) = (false, ServerChanges())
        serverAddress = device
        emit(.note(.connected(to: device)))
        ask(.client(handle, .discover, id: Self.discovery))
    }

    /// The connection was lost or not established: pending requests on it fail.
    mutating func disconnected(_ reason: HCI.ErrorCode, at now: Timestamp) {
        if case .discovering = stage { emit(.note(.discoveryFailed("the connection was lost"))) }
        stage = .idle
        emit(.note(.disconnected(reason)))
        characteristics = [:]
        names = [:]
        wishes.removeAll()
        (pairingDemand, hasTriedPairing) = (nil, false)
        if let request {
            self.request = nil
            if let input = failed(request, .lost) { feed(input, at: now) }
        }
        feed(.disconnected, at: now)
    }

    /// Handles an event of the connection's attribute client; `mtu` is the connection's ATT_MTU.
    mutating func take(_ event: AttributeClient.Event, mtu: Int, at now: Timestamp) {
        switch event {
        case .finished(Self.discovery, let result): discovered(result, mtu: mtu, at: now)
        case .finished(Self.serviceChangedSubscription, _): break
        case .finished(_, let result): finished(result, at: now)
        case .notified(let attribute, let value): recordUpdate(.notify, attribute, value, at: now)
        case .indicated(let attribute, let value): recordUpdate(.indicate, attribute, value, at: now)
        case .servicesChanged: servicesChanged()
        case .mtuChanged: break
        }
    }

    private mutating func recordUpdate(
        _ operation: OperationKind, _ handle: Handle, _ value: [UInt8], at now: Timestamp
    ) {
        guard let name = names[handle] else { return }
        emit(.value(operation, name, value))
        feed(.notified(name, value), at: now)
    }

    private mutating func discovered(
        _ result: Result<AttributeClient.Outcome, AttributeClient.Failure>, mtu: Int, at now: Timestamp
    ) {
        guard case .discovering(let handle) = stage else { return }
        guard case .success(.table(let table)) = result else {
            if case .failure(let failure) = result {
                // The end of the connection is reported when it is disconnected.
                if failure == .disconnected { return }
                emit(.note(.discoveryFailed(failure.reason)))
            }
            return ask(.disconnect(handle, .remoteUserTerminatedConnection))
        }
        changes.isTableConfirmed = changes.discoveries > 0 && table == serverTable
        learn(table)
        stage = .connected(handle)
        if changes.isOutdated {
            changes.isOutdated = false
            rediscover()
            return
        }
        emit(.note(TwinNote("discovered", ["characteristics": .number(characteristics.count)])))
        if changes.discoveries > 0, isLeaving { return }
        watchServices(handle)
        selectDialect(at: now)
        // The opcode and handle of a notification take 3 bytes.
        feed(.connected(capacity: mtu - 3), at: now)
    }

    /// Finds the profile's characteristics in the server's attribute table, for any dialect.
    private mutating func learn(_ table: GATT.Table) {
        serverTable = table
        characteristics = [:]
        names = [:]
        for service in definition.services {
            for place in table.services where place.type == service.uuid {
                let own = table.characteristics.filter { (place.start...place.end).contains($0.value) }
                for characteristic in service.characteristics where characteristics[characteristic.name] == nil {
                    guard let found = own.first(where: { $0.type == characteristic.uuid && names[$0.value] == nil })
                    else { continue }
                    names[found.value] = characteristic.name
                    characteristics[characteristic.name] = Remote(handle: found.value, properties: found.properties)
                }
            }
        }
    }
}

extension TwinNote {
    static func discoveryFailed(_ reason: String) -> TwinNote {
        TwinNote("discovery_failed", ["reason": .text(reason)])
    }
}

extension AttributeClient.Failure {
    /// Reason of a failed discovery, for users.
    fileprivate var reason: String {
        switch self {
        case .refused(let code, _): code.name ?? "error 0x" + String(hex: code.rawValue, digits: 2)
        case .timedOut: "no response within 30 s"
        case .disconnected: "the connection was lost"
        case .invalidResponse(let text): text
        case .busy, .notConfigurable: "the request cannot be made"
        }
    }
}
