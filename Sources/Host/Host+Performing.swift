import Bluetooth
import Bytes

/// Execution of the requests and actions of the owner and of the host's components.
extension Host {
    mutating func perform(_ request: Request, at now: Timestamp) {
        if case .start = request { return startUp() }
        guard stage == .ready else { return performOffline(request, at: now) }
        switch request {
        case .start, .setValue, .replaceDatabase, .offerMTU, .refuse, .deleteBond: performOffline(request, at: now)
        case .advertise(let settings): advertise(settings)
        case .stopAdvertising: stopAdvertising(forGood: true)
        case .scan(let settings): scan(settings)
        case .stopScanning: stopScanning()
        case .connect(let settings): connect(settings, at: now)
        case .cancelConnecting: cancelConnecting()
        case .notify(let handle, let value, let kind, let connection):
            perform(server.sendUpdate(value, at: handle, as: kind, to: connection, now: now))
        case .answer(let ticket, let answer): perform(server.answer(ticket, answer, at: now))
        case .command(let packet):
            guard packet.count >= 3 else { return report(.refused(.unsupported)) }
            let opcode = HCI.Opcode(rawValue: UInt16(packet[0]) | UInt16(packet[1]) << 8)
            commands.add(packet: packet, for: .owner(opcode))
        case .disconnect(let handle, _), .changeTiming(let handle, _), .changeDataLength(let handle, _),
            .changePHY(let handle, _, _), .client(let handle, _, _), .secure(let handle), .pair(let handle),
            .answerPairing(let handle, _), .sendFrame(let handle, _, _):
            guard links[handle] != nil else { return report(.refused(.unknownConnection(handle))) }
            perform(request, of: handle, at: now)
        }
    }

    /// Executes requests that do not require a controller.
    private mutating func performOffline(_ request: Request, at now: Timestamp) {
        switch request {
        case .setValue(let handle, let value):
            if !server.setValue(value, at: handle) { report(.refused(.unknownAttribute(handle))) }
        case .replaceDatabase(let database): perform(server.replace(database, at: now))
        case .offerMTU(let mtu): server.limits.mtu = mtu
        case .refuse(let handle, let code, let count): server.refuse(handle, code, count: count)
        case .deleteBond(let peer):
            bonds[peer] = nil
            server.forget(peer)
            for handle in connections where links[handle]?.connection.identity == peer {
                links[handle]?.connection.identity = nil
                links[handle]?.security.hasKey = false
            }
            report(.bondChanged(peer, nil))
        default: report(.refused(.notReady))
        }
    }

    /// Executes requests for one existing connection.
    private mutating func perform(_ request: Request, of handle: ConnectionHandle, at now: Timestamp) {
        switch request {
        case .disconnect(_, let reason): command(HCI.Disconnect(handle: handle, reason: reason))
        case .changeTiming(_, let timing): changeTiming(of: handle, to: timing, at: now)
        case .changeDataLength(_, let octets): changeDataLength(of: handle, octets: octets)
        case .changePHY(_, let tx, let rx): changePHY(of: handle, tx: tx, rx: rx)
        case .client(_, let operation, let id): start(operation, id: id, on: handle, at: now)
        case .secure: secure(handle, at: now)
        case .pair: pair(handle, at: now)
        case .answerPairing(_, let answer): answerPairing(handle, answer, at: now)
        case .sendFrame(_, let channel, let payload): send(payload, on: channel, to: handle)
        default: break
        }
    }

    mutating func start(
        _ operation: AttributeClient.Operation, id: UInt64, on handle: ConnectionHandle, at now: Timestamp
    ) {
        if let actions = links[handle]?.client.start(operation, id: id, at: now) { perform(actions, of: handle) }
    }

    mutating func perform(_ actions: [AttributeServer.Action]) {
        for action in actions {
            switch action {
            case .send(let pdu, let handle):
                // Only notifications can be queued without limit.
                if pdu.first == 0x1B, data.count(of: handle) >= Self.maximumQueuedPackets {
                    report(.congested(handle))
                } else {
                    send(pdu, on: .att, to: handle)
                }
            case .event(let event):
                if case .mtuChanged(let mtu, let handle) = event { links[handle]?.client.setMTU(mtu) }
                report(.server(event))
            }
        }
    }

    /// Identifier of procedures that the host starts itself.
    static let ownProcedure = UInt64.max

    /// Maximum number of queued packets per connection; further notifications are dropped.
    private static let maximumQueuedPackets = 8192

    mutating func perform(_ actions: [AttributeClient.Action], of handle: ConnectionHandle) {
        for action in actions {
            switch action {
            case .send(let pdu): send(pdu, on: .att, to: handle)
            case .event(let event):
                if case .mtuChanged(let mtu) = event { server.setMTU(mtu, of: handle) }
                // Do not report procedures that the host started itself.
                if case .finished(id: Self.ownProcedure, _) = event { continue }
                if case .finished(_, .success(.table)) = event { keepTable(of: handle) }
                report(.client(handle, event))
            }
        }
    }

    mutating func perform(_ actions: [SignalingChannel.Action], of handle: ConnectionHandle) {
        for action in actions {
            switch action {
            case .send(let command): send(command, on: .leSignaling, to: handle)
            case .update(let timing):
                command(HCI.LEConnectionUpdate(handle: handle, timing: timing), for: .timing(handle))
            case .answered(let isAccepted): if isAccepted != true { report(.timingRefused(handle)) }
            }
        }
    }

    /// Queues an L2CAP frame.
    mutating func send(_ payload: [UInt8], on channel: L2CAP.ChannelID, to handle: ConnectionHandle) {
        guard links[handle] != nil, payload.count <= 0xFFFF else { return }
        data.add(L2CAP.frame(payload, on: channel), to: handle)
    }

    /// Stores the discovered attributes in the bond.
    private mutating func keepTable(of handle: ConnectionHandle) {
        guard let link = links[handle], let identity = link.connection.identity, var bond = bonds[identity] else {
            return
        }
        bond.table = link.client.table
        bond.databaseHash = link.client.databaseHash
        keep(bond)
    }

    /// Stores a bonded client's state at the server in the bond.
    mutating func keepClient(of handle: ConnectionHandle) {
        guard let identity = links[handle]?.connection.identity, var bond = bonds[identity],
            let client = server.client(identity)
        else { return }
        bond.client = client
        keep(bond)
    }

    mutating func keep(_ bond: Bond) {
        if bonds[bond.peer] == bond { return }
        bonds[bond.peer] = bond
        report(.bondChanged(bond.peer, bond))
    }
}
