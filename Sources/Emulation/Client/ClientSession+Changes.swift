import Bluetooth
import Bytes
import Host
import PluginKit

/// Changes of the server's attributes during a connection.
///
/// Service Changed (Vol 3, Part G, 7.1), Database Out Of Sync (Vol 3, Part G, 2.5.2.1) and errors that contradict the
/// discovered attributes lead to a new discovery on the same connection, after which the client begins anew.
extension ClientSession {
    /// State of the detection, for one connection.
    struct ServerChanges: Sendable {
        /// Number of discoveries after the first.
        var discoveries = 0
        /// Whether the last of them found the attributes unchanged: errors that contradict these are then the server's
        /// answers.
        var isTableConfirmed = false
        /// Whether the attributes have changed during a discovery.
        var isOutdated = false
    }

    /// Maximum number of discoveries after the first in one connection.
    private static let rediscoveryLimit = 3

    /// Whether the attributes are being discovered again.
    var isRediscovering: Bool { if case .discovering = stage { changes.discoveries > 0 } else { false } }

    mutating func servicesChanged() {
        if case .discovering = stage { changes.isOutdated = true } else { rediscover() }
    }

    /// Discovers the server's attributes again and drops the client's requests; the client begins anew afterwards.
    /// Returns false if the connection ends instead.
    @discardableResult
    mutating func rediscover() -> Bool {
        guard case .connected(let connection) = stage, !isLeaving else { return false }
        guard changes.discoveries < Self.rediscoveryLimit else {
            let limit = "\(Self.rediscoveryLimit) times"
            emit(.note(.discoveryFailed("the server's attributes have changed more than \(limit) in one connection")))
            isLeaving = true
            ask(.disconnect(connection, .remoteUserTerminatedConnection))
            return false
        }
        changes.discoveries += 1
        emit(.note(TwinNote("services_changed")))
        stage = .discovering(connection)
        (characteristics, names) = ([:], [:])
        wishes.removeAll()
        request = nil
        ask(.client(connection, .discover, id: Self.discovery))
        return true
    }

    /// Whether an error shows that the discovered attributes are out of date.
    func isOutdated(by code: ATT.ErrorCode, for request: ClientAction) -> Bool {
        if code == .databaseOutOfSync { return true }
        guard !changes.isTableConfirmed, let name = request.characteristic, let remote = characteristics[name] else {
            return false
        }
        switch (request, code) {
        case (_, .invalidHandle): return true
        case (.read, .readNotPermitted): return remote.properties.contains(.read)
        case (.write, .writeNotPermitted): return remote.properties.contains(.write)
        default: return false
        }
    }

    /// Subscribes to Service Changed, if the server has it.
    mutating func watchServices(_ connection: ConnectionHandle) {
        guard watchesServices,
            let changed = serverTable?.characteristics.first(where: {
                $0.type == .serviceChanged && $0.properties.contains(.indicate)
            })
        else { return }
        ask(.client(connection, .subscribe(changed.value, .indications), id: Self.serviceChangedSubscription))
    }
}
