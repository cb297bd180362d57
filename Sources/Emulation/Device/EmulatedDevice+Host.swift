import Bluetooth
import Bytes
import Host
import PluginKit

/// Handling of host events.
extension EmulatedDevice {
    mutating func take(_ event: Host.Event, at now: Timestamp) {
        switch event {
        case .ready: started(at: now)
        case .failed(let failure): emit(.failed(failure))
        case .advertisingStarted(let address): emit(.advertising(address, name: advertising?.name))
        case .connected(let handle, let connection):
            clients.insert(handle)
            advertising = nil
            emit(.note(.connected(to: connection.peer)))
            feed(.connected(TwinClient(handle)), at: now)
        case .disconnected(let handle, let reason):
            clients.remove(handle)
            if clients.isEmpty { openReads = [:] }
            emit(.note(.disconnected(reason)))
            feed(.disconnected(TwinClient(handle)), at: now)
        case .pairingPrompt(_, .display(let digits)): emit(.note(.passkey(digits)))
        case .pairingFailed: emit(.note(TwinNote("pairing_failed")))
        case .securityChanged(_, let security): emit(.note(.secured(security)))
        case .server(let event): take(event, at: now)
        default: break
        }
    }

    private mutating func take(_ event: AttributeServer.Event, at now: Timestamp) {
        switch event {
        case .asked(let question): ask(question, at: now)
        case .written(let handle, let value, let connection, let kind):
            guard let name = plan.names[handle] else { return }
            guard answered.contains(name) else {
                emit(.value(.write, name, value))
                return feed(.written(name, value, TwinClient(connection)), at: now)
            }
            // Write requests arrived as `.asked` before.
            guard kind == .command else { return }
            emit(.value(.write, name, value))
            feed(.write(name, value, TwinClient(connection), nil), at: now)
        case .subscribed(let handle, let subscription, let connection):
            guard let name = plan.names[handle] else { return }
            let subscription = TwinSubscription(rawValue: subscription.rawValue)
            emit(.note(.subscribed(name, subscription)))
            feed(.subscribed(name, subscription, TwinClient(connection)), at: now)
        case .confirmed(let handle, let connection):
            if let name = plan.names[handle] { feed(.confirmed(name, TwinClient(connection)), at: now) }
        case .mtuChanged(let mtu, let connection):
            // The opcode and handle of a notification take 3 bytes.
            feed(.capacity(mtu - 3, TwinClient(connection)), at: now)
        case .indicationTimedOut(let connection):
            // No further indication may be sent on this bearer, so the connection ends (Vol 3, Part F, 3.3.3).
            run(.request(.disconnect(connection, .remoteUserTerminatedConnection)), at: now)
        }
    }

    private mutating func ask(_ question: AttributeServer.PendingRequest, at now: Timestamp) {
        let ticket = TwinTicket(question.ticket)
        guard let name = plan.names[question.handle] else {
            return run(.request(.answer(question.ticket, .refused(.unlikelyError))), at: now)
        }
        let client = TwinClient(question.connection)
        switch question.kind {
        case .read:
            if reportsReads { openReads[ticket] = name }
            feed(.read(name, client, ticket), at: now)
        case .write(let value, _):
            emit(.value(.write, name, value))
            feed(.write(name, value, client, ticket), at: now)
        }
    }
}
