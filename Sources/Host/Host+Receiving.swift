import Bluetooth
import Bytes

/// Handling of packets from the controller. Unexpected and malformed packets are ignored.
extension Host {
    mutating func receive(_ packet: [UInt8], at now: Timestamp) {
        guard let type = packet.first, stage != .off else { return }
        let content = Array(packet.dropFirst())
        switch HCI.PacketType(rawValue: type) {
        case .event: receiveEvent(content, at: now)
        case .aclData: if stage == .ready { receiveData(content, at: now) }
        default: break
        }
    }

    private mutating func receiveEvent(_ bytes: [UInt8], at now: Timestamp) {
        guard bytes.count >= 2, bytes.count == 2 + Int(bytes[1]) else { return }
        let parameters = Array(bytes.dropFirst(2))
        let code = HCI.EventCode(rawValue: bytes[0])
        switch code {
        case .commandComplete:
            guard let event = try? HCI.CommandComplete(decoding: parameters),
                let purpose = commands.answered(event.opcode, allowed: event.allowedCommands)
            else { return }
            answered(purpose, .complete(event.returnParameters), at: now)
        case .commandStatus:
            guard let event = try? HCI.CommandStatus(decoding: parameters),
                let purpose = commands.answered(event.opcode, allowed: event.allowedCommands)
            else { return }
            answered(purpose, .status(event.status), at: now)
        case .hardwareError: giveUp(.hardwareError(parameters.first ?? 0))
        case _ where stage != .ready: break
        case .disconnectionComplete:
            if let event = try? HCI.DisconnectionComplete(decoding: parameters) { disconnected(event) }
        case .numberOfCompletedPackets:
            guard let event = try? HCI.NumberOfCompletedPackets(decoding: parameters) else { return }
            for entry in event.entries { data.complete(Int(entry.count), of: entry.handle) }
        case .encryptionChange, .encryptionChangeV2:
            guard let event = HCI.EncryptionChange(code, parameters) else { return }
            encryptionChanged(event.handle, event.status, isOn: event.enabled != 0, at: now)
        case .encryptionKeyRefreshComplete:
            guard parameters.count >= 3 else { return }
            encryptionChanged(
                ConnectionHandle(UInt16(parameters[1]) | UInt16(parameters[2]) << 8),
                HCI.ErrorCode(rawValue: parameters[0]), isOn: true, at: now)
        case .leMeta: receiveLEEvent(parameters, at: now)
        default: break
        }
    }

    private mutating func receiveLEEvent(_ bytes: [UInt8], at now: Timestamp) {
        guard let code = bytes.first else { return }
        let parameters = Array(bytes.dropFirst())
        switch HCI.LESubevent(rawValue: code) {
        case .connectionComplete:
            guard let event = try? HCI.LEConnectionComplete(decoding: parameters) else { return }
            connected(event.enhanced, at: now)
        case .enhancedConnectionComplete:
            if let event = try? HCI.LEEnhancedConnectionComplete(decoding: parameters) { connected(event, at: now) }
        case .advertisingReport:
            if let event = try? HCI.LEAdvertisingReport(decoding: parameters) { received(event) }
        case .extendedAdvertisingReport:
            if let event = try? HCI.LEExtendedAdvertisingReport(decoding: parameters) { received(event) }
        case .connectionUpdateComplete:
            if let event = try? HCI.LEConnectionUpdateComplete(decoding: parameters) { timingChanged(event) }
        case .longTermKeyRequest:
            if let event = try? HCI.LELongTermKeyRequest(decoding: parameters) { keyRequested(event) }
        case .dataLengthChange:
            guard let event = try? HCI.LEDataLengthChange(decoding: parameters), links[event.handle] != nil else {
                return
            }
            report(.dataLengthChanged(event.handle, sends: event.maxTxOctets, receives: event.maxRxOctets))
        case .phyUpdateComplete:
            guard let event = try? HCI.LEPHYUpdateComplete(decoding: parameters), event.status == .success,
                links[event.handle] != nil
            else { return }
            report(.phyChanged(event.handle, sends: event.txPHY, receives: event.rxPHY))
        default: break
        }
    }

    private mutating func receiveData(_ bytes: [UInt8], at now: Timestamp) {
        var reader = ByteReader(bytes.span)
        guard let header = try? HCI.ACLHeader(reading: &reader), reader.remaining == Int(header.length) else { return }
        let load = reader.restBytes
        guard let frame = links[header.handle]?.assembler.add(load, header.boundary) else { return }
        receive(frame, from: header.handle, at: now)
    }

    private mutating func receive(_ frame: FrameAssembler.Frame, from handle: ConnectionHandle, at now: Timestamp) {
        switch frame.channel {
        case .att: receiveAttributePDU(frame.payload, from: handle, at: now)
        case .leSignaling:
            if let actions = links[handle]?.signaling.handle(frame.payload) { perform(actions, of: handle) }
        case .smp: receiveSecurityCommand(frame.payload, from: handle, at: now)
        default: break
        }
    }

    /// Routes an ATT PDU: responses, notifications and indications to the client, all others to the server.
    private mutating func receiveAttributePDU(_ pdu: [UInt8], from handle: ConnectionHandle, at now: Timestamp) {
        let opcode = ATT.Opcode(rawValue: pdu.first ?? 0)
        switch ATT.Opcode.table.shape(of: opcode)?.kind {
        case .response, .notification, .indication:
            if let actions = links[handle]?.client.handle(pdu, at: now) { perform(actions, of: handle) }
        default: perform(server.handle(pdu, from: handle, at: now))
        }
    }
}

extension HCI.LEConnectionComplete {
    /// The event in the enhanced form of newer controllers.
    fileprivate var enhanced: HCI.LEEnhancedConnectionComplete {
        HCI.LEEnhancedConnectionComplete(
            status: status, handle: handle, role: role, peerType: peerType, peer: peer, interval: interval,
            latency: latency, supervisionTimeout: supervisionTimeout, centralClockAccuracy: centralClockAccuracy)
    }
}
