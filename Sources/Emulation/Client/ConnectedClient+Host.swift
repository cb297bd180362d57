import ATT
import BluetoothTypes
import Bytes
import GATT
import HCI
import Host
import PluginKit
import Profile

/// Takes what the host tells.
extension ConnectedClient {
    mutating func take(_ event: Host.Event, at now: Timestamp) {
        switch event {
        case .ready: started(at: now)
        case .failed(let failure): tell(.failed(failure))
        case .advertisement(let advertisement): heard(advertisement, at: now)
        case .connected(let handle, let connection):
            stage = .discovering(handle)
            tell(.note(.connected(to: connection.peer)))
            run(.request(.client(handle, .discover, id: Self.discovery)), at: now)
        case .connectionFailed(let reason):
            stage = .idle
            tell(.note(.disconnected(reason)))
            lost(at: now)
        case .disconnected(_, let reason):
            stage = .idle
            tell(.note(.disconnected(reason)))
            lost(at: now)
        case .client(let handle, let event): take(event, of: handle, at: now)
        default: break
        }
    }

    private mutating func heard(_ advertisement: Host.Advertisement, at now: Timestamp) {
        guard case .scanning = stage, finder.isWanted(advertisement) else { return }
        stage = .connecting
        run(.request(.stopScanning), at: now)
        run(.request(.connect(Host.ConnectSettings(advertisement.address))), at: now)
    }

    /// The connection is gone: what was asked for on it has no answer.
    private mutating func lost(at now: Timestamp) {
        characteristics = [:]
        names = [:]
        wishes.removeAll()
        if let request {
            self.request = nil
            if let input = failed(request, .lost) { feed(input, at: now) }
        }
        feed(.disconnected, at: now)
    }

    private mutating func take(_ event: AttributeClient.Event, of handle: ConnectionHandle, at now: Timestamp) {
        switch event {
        case .finished(Self.discovery, let result): discovered(handle, result, at: now)
        case .finished(_, let result): finished(result, at: now)
        case .notified(let attribute, let value): told(.notify, attribute, value, at: now)
        case .indicated(let attribute, let value): told(.indicate, attribute, value, at: now)
        case .servicesChanged, .mtuChanged: break
        }
    }

    private mutating func told(_ operation: OperationKind, _ handle: Handle, _ value: [UInt8], at now: Timestamp) {
        guard let name = names[handle] else { return }
        tell(.value(operation, name, value))
        feed(.notified(name, value), at: now)
    }

    private mutating func discovered(
        _ handle: ConnectionHandle, _ result: Result<AttributeClient.Outcome, AttributeClient.Failure>,
        at now: Timestamp
    ) {
        guard case .discovering(handle) = stage else { return }
        guard case .success(.table(let table)) = result, let mtu = host.client(of: handle)?.mtu else {
            tell(.note(TwinNote("discovery_failed")))
            return run(.request(.disconnect(handle, .remoteUserTerminatedConnection)), at: now)
        }
        learn(table)
        stage = .connected(handle)
        tell(.note(TwinNote("discovered", ["characteristics": .number(characteristics.count)])))
        // A notification begins with its opcode and the handle.
        feed(.connected(capacity: mtu - 3), at: now)
    }

    /// Finds the profile's characteristics in the server's table, of whatever dialect it is.
    private mutating func learn(_ table: GATT.Table) {
        characteristics = [:]
        names = [:]
        for service in definition.services {
            for place in table.services where place.type == service.uuid {
                let own = table.characteristics.filter { (place.start...place.end).contains($0.value) }
                for characteristic in service.characteristics where characteristics[characteristic.name] == nil {
                    guard let found = own.first(where: { $0.type == characteristic.uuid && names[$0.value] == nil })
                    else { continue }
                    names[found.value] = characteristic.name
                    characteristics[characteristic.name] = Remote(
                        handle: found.value,
                        indicates: found.properties.contains(.indicate) && !found.properties.contains(.notify))
                }
            }
        }
    }
}
