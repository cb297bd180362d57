import Bluetooth
import Bytes
import Captures
import PluginKit
import Profile

// Events of each kind of frame: L2CAP PDUs, HCI commands and events, link layer control PDUs.
extension TrafficReader {
    /// Reads an L2CAP PDU that ends with the frame.
    mutating func readPDU(
        _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, _ connection: Connection,
        _ observer: some EventConsumer
    ) {
        guard metadata.pdu.place != .none, !metadata.notes.contains(.secondView) else { return }
        let whole = batch.bytes(of: metadata.pdu)
        let payload = whole.dropFirst(4)
        let moment = metadata.moment
        let content: Event.Content
        switch L2CAP.ChannelID(rawValue: metadata.channel) {
        case .att:
            guard let att = ATTTraffic(metadata) else { return }
            if att.opcode == .exchangeMTUResponse, metadata.direction != .unknown, let mtu = ValueBytes(payload).u16(1),
                let offered = batch.request(of: metadata)?.offeredMTU, offered > 0
            {
                connection.mtu = max(ATT.defaultMTU, Int(min(offered, mtu)))
                connection.isMTUExchanged = true
                connection.clientMTU = Int(offered)
            }
            content = .att(att)
        case .smp:
            guard let code = payload.first else { return }
            let opcode = SMP.Opcode(rawValue: code)
            if opcode == .pairingRequest { connection.hasPaired = true }
            content = .smp(opcode)
        case .leSignaling, .signaling:
            content = .signal
            if let bearers = batch.reassembly.bearers[metadata.packet.number] {
                change(connection, bearers, metadata, observer)
            }
        case _ where metadata.segment == nil && metadata.attribute != nil:
            guard let att = ATTTraffic(metadata) else { return }
            content = .att(att)
        case let channel:
            emit(.channel(channel), at: moment, metadata.direction, connection, payload, to: observer)
            return readChannel(payload, metadata, batch, connection, observer)
        }
        emit(content, at: moment, metadata.direction, connection, payload, to: observer)
    }

    /// Reads the ATT PDU in a PDU of another channel, if there is one.
    private mutating func readChannel(
        _ payload: ArraySlice<UInt8>, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch,
        _ connection: Connection,
        _ observer: some EventConsumer
    ) {
        guard let segment = metadata.segment else {
            if metadata.psm == 0, payload.mayBeOfEnhancedBearer, metadata.isOnDynamicChannel,
                connection.mayBeLE(metadata)
            {
                gap(.enhancedBearer, metadata, connection, observer)
            }
            return
        }
        guard metadata.psm == L2CAP.SPSM.eatt.rawValue else { return }
        guard let att = ATTTraffic(metadata) else {
            // An SDU ends of which a part is missing: no ATT PDU can be read.
            let isLost = !segment.isWhole && !segment.endsSDU && !metadata.notes.contains(.segment)
            if isLost { gap(.lostFragment, metadata, connection, observer) }
            return
        }
        let fixed = (connection.mtu, connection.isMTUExchanged)
        if let mtu = connection.bearers[att.bearer] { (connection.mtu, connection.isMTUExchanged) = (Int(mtu), true) }
        var moment = metadata.moment
        moment.bearer = att.bearer
        emit(.att(att), at: moment, metadata.direction, connection, batch.bytes(of: metadata.attPDU), to: observer)
        (connection.mtu, connection.isMTUExchanged) = fixed
    }

    /// Updates the enhanced ATT bearers of a connection, and emits an event for each bearer that was closed.
    private func change(
        _ connection: Connection, _ bearers: [UInt8: UInt16], _ metadata: FrameMetadata, _ observer: some EventConsumer
    ) {
        for bearer in connection.bearers.keys.sorted() where bearers[bearer] == nil {
            var moment = metadata.moment
            moment.bearer = bearer
            emit(.bearerClosed(bearer), at: moment, metadata.direction, connection, to: observer)
        }
        connection.bearers = bearers
    }

    mutating func readCommand(
        _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, _ observer: some EventConsumer
    ) {
        guard let view = metadata.hci, view.count >= 3 else { return }
        let bytes = batch.packets.bytes[view.range]
        let opcode = HCI.Opcode(rawValue: UInt16(bytes[view.start]) | UInt16(bytes[view.start + 1]) << 8)
        if wants.commands {
            emit(
                .command(opcode), at: metadata.moment, metadata.direction, noConnection, bytes.dropFirst(3),
                to: observer)
        }
        if wants.advertising, opcode.setsAdvertisingData {
            readOwnData(opcode, bytes.dropFirst(3), metadata, batch, observer)
        }
        scans.take(opcode, ValueBytes(bytes.dropFirst(3)), adapter: view.adapter, at: metadata.packet.time)
        switch opcode {
        case .reset: closeAll(adapter: view.adapter, metadata, observer)
        case .leEnableEncryption, .leLongTermKeyRequestReply:
            guard let handle = ValueBytes(bytes.dropFirst(3)).u16(0) else { return }
            self.connection(adapter: view.adapter, handle: ConnectionHandle(handle))?.isStartingEncryption = true
        default: break
        }
    }

    mutating func readEvent(
        _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, _ connection: Connection,
        _ observer: some EventConsumer
    ) {
        guard let view = metadata.hci, view.count >= 2 else { return }
        let bytes = batch.packets.bytes[view.range]
        let code = HCI.EventCode(rawValue: bytes[view.start])
        let parameters = bytes.dropFirst(2)
        let subevent = code == .leMeta ? parameters.first.map { HCI.LESubevent(rawValue: $0) } : nil
        if wants.events {
            emit(.event(code, subevent), at: metadata.moment, metadata.direction, connection, parameters, to: observer)
        }
        switch (code, subevent) {
        case (.disconnectionComplete, _):
            guard connection.number > 0, let complete = try? HCI.DisconnectionComplete(decoding: Array(parameters)),
                complete.status == .success
            else { return }
            close(metadata.connection, connection, .reason(complete.reason.rawValue), metadata, observer)
        case (.encryptionChange, _), (.encryptionChangeV2, _):
            guard let change = HCI.EncryptionChange(code, parameters) else { return }
            self.connection(adapter: view.adapter, handle: change.handle)?.isStartingEncryption = false
            guard connection.number > 0, change.status == .success else { return }
            encrypt(connection, change.enabled != 0, metadata, observer)
        case (.leMeta, let subevent?) where wants.advertising:
            readReports(subevent, parameters, metadata, batch, observer)
        default: break
        }
    }

    mutating func readControl(
        _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, _ connection: Connection,
        _ observer: some EventConsumer
    ) {
        guard let payload = batch.linkLayerPayload(of: metadata), let code = payload.first else { return }
        let opcode = LL.ControlOpcode(rawValue: code)
        emit(.control(opcode), at: metadata.moment, metadata.direction, connection, payload, to: observer)
        switch opcode {
        case .terminateInd where payload.count == 2:
            close(metadata.connection, connection, .reason(payload[payload.startIndex + 1]), metadata, observer)
        case .startEncReq, .startEncRsp: encrypt(connection, true, metadata, observer)
        default: break
        }
    }

    /// Records that a connection's encryption is switched on or off, and emits an event if that is a change.
    func encrypt(
        _ connection: Connection, _ isOn: Bool, _ metadata: FrameMetadata, _ observer: some EventConsumer
    ) {
        guard connection.isEncrypted != isOn else { return }
        connection.isEncrypted = isOn
        emit(.encryption(isOn: isOn), at: metadata.moment(of: connection), metadata.direction, connection, to: observer)
    }

    /// Applies a change of a connection's parameters, and emits an event if the change concerns its timing.
    func apply(
        _ change: LinkChange, to connection: Connection, _ metadata: FrameMetadata, _ observer: some EventConsumer
    ) {
        connection.parameters = change.applied(to: connection.parameters)
        switch change {
        case .mtu(let mtu):
            connection.mtu = Int(mtu)
            connection.isMTUExchanged = true
        case .timing, .subrate:
            guard let parameters = connection.parameters else { return }
            emit(
                .parameters(parameters), at: metadata.moment(of: connection), metadata.direction, connection,
                to: observer)
        default: break
        }
    }
}

extension Connection {
    /// Whether the connection of a frame may be an LE connection, as far as it is known.
    fileprivate func mayBeLE(_ metadata: FrameMetadata) -> Bool {
        metadata.hci == nil || parameters != nil || !isBeginningCaptured
    }
}

extension ArraySlice<UInt8> {
    /// Whether a PDU of an unknown channel parses as a K-frame with a whole ATT PDU.
    fileprivate var mayBeOfEnhancedBearer: Bool {
        let bytes = ValueBytes(self)
        guard let length = bytes.u16(0), let opcode = bytes.u8(2) else { return false }
        return Int(length) == count - 2 && ATT.Opcode.table.shape(of: ATT.Opcode(rawValue: opcode)) != nil
    }
}
