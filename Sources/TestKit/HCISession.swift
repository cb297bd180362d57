package import Bluetooth
import Bytes
package import Captures

/// A scripted recording of the traffic between a host and its controller.
///
///     let session = HCISession()
///     let puck = session.connect(to: DeviceAddress(Address("c0:00:00:00:00:01")!, .random))
///     puck.discover(layout)
///     puck.notify(layout[0x2A19], [98])
///     puck.disconnect()
///     let file = try session.recording.btsnoop()
package final class HCISession {
    package let recording: Recording
    /// Adapter index; 0 for hci0.
    package let adapter: UInt16
    private var nextHandle: UInt16 = 0x0040

    /// A separate session, or another adapter's part of `recording`.
    package init(_ recording: Recording = Recording(.hci), adapter: UInt16 = 0) {
        self.recording = recording
        self.adapter = adapter
    }

    /// Records an HCI packet, packet indicator first.
    package func record(_ packet: [UInt8], _ direction: Direction) {
        recording.record(packet, direction, adapter: adapter)
    }

    /// Records a command, starting at its opcode.
    package func command(_ bytes: [UInt8]) {
        record([HCI.PacketType.command.rawValue] + bytes, .sent)
    }

    /// Records an event, starting at its event code.
    package func event(_ bytes: [UInt8]) {
        record([HCI.PacketType.event.rawValue] + bytes, .received)
    }

    package func command(_ command: some HCI.Command) { self.command(HCI.encode(command)) }
    package func event(_ event: some HCI.Event) { self.event(HCI.encode(event)) }
    package func event(_ event: some HCI.LEEvent) { self.event(HCI.encode(event)) }

    /// Records a command and its Command Complete.
    package func run(_ command: some HCI.Command, returning parameters: [UInt8] = [0]) {
        self.command(command)
        event(HCI.CommandComplete(opcode: type(of: command).opcode, returnParameters: parameters))
    }
}

// MARK: - Devices

extension HCISession {
    /// Resets the controller.
    package func reset() { run(HCI.Reset()) }

    /// Records Read BD_ADDR, which returns the controller's public address.
    package func readAddress(_ address: Address) {
        run(HCI.ReadBDADDR(), returning: [0] + ByteWriter.bytes { $0.write(address) })
    }

    /// Records an advertising report of a device (type 4 for a scan response).
    package func report(
        _ device: DeviceAddress, _ structures: [GAP.AdvertisingStructure], type: UInt8 = 0, rssi: Int8 = -60
    ) {
        event(
            HCI.LEAdvertisingReport(reports: [
                .init(
                    eventType: type, addressType: HCI.AddressType(rawValue: device.kind.rawValue),
                    address: device.address, data: GAP.AdvertisingData(structures).encoded, rssi: rssi)
            ]))
    }

    /// Records LE Connection Complete. The default handle is the next free one from 0x0040.
    package func connect(
        to peer: DeviceAddress, handle: ConnectionHandle? = nil, role: HCI.Role = .central
    ) -> HCILink {
        let link = resume(handle)
        event(
            HCI.LEConnectionComplete(
                handle: link.handle, role: role, peerType: HCI.AddressType(rawValue: peer.kind.rawValue),
                peer: peer.address, interval: 24, latency: 0, supervisionTimeout: 42))
        if role == .peripheral { link.client = .received }
        return link
    }

    /// Records Connection Complete, for BR/EDR.
    package func connectBREDR(to peer: DeviceAddress, handle: ConnectionHandle? = nil) -> HCILink {
        let link = resume(handle)
        link.signalingChannel = .signaling
        event(HCI.ConnectionComplete(handle: link.handle, peer: peer.address))
        return link
    }

    /// A connection whose start is not recorded.
    package func resume(_ handle: ConnectionHandle? = nil) -> HCILink {
        let free = ConnectionHandle(nextHandle)
        if handle == nil { nextHandle += 1 }
        return HCILink(self, handle ?? free)
    }

    /// Records the packets of several PDUs alternately, until all are recorded.
    package func interleave(_ trains: (packets: [[UInt8]], direction: Direction)...) {
        for index in 0..<(trains.map(\.packets.count).max() ?? 0) {
            for train in trains where index < train.packets.count { record(train.packets[index], train.direction) }
        }
    }
}

/// One connection of an HCI session.
package final class HCILink: ScriptedLink {
    package let session: HCISession
    package let handle: ConnectionHandle
    /// Fragmentation of the following L2CAP frames into ACL packets.
    package var fragmentation = Fragmentation.whole
    package var client = Direction.sent
    package var mtu = 23
    package var signalingChannel = L2CAP.ChannelID.leSignaling
    /// Channel IDs of a BR/EDR channel for ATT, by the direction of the PDUs that each endpoint receives.
    package var attChannels: (sent: L2CAP.ChannelID, received: L2CAP.ChannelID)?

    package func attChannel(_ direction: Direction) -> L2CAP.ChannelID {
        guard let attChannels else { return .att }
        return direction == .sent ? attChannels.sent : attChannels.received
    }

    package var recording: Recording { session.recording }

    init(_ session: HCISession, _ handle: ConnectionHandle) {
        self.session = session
        self.handle = handle
    }

    package func carry(_ frame: [UInt8], _ direction: Direction) {
        for packet in packets(frame, direction) { session.record(packet, direction) }
    }

    /// The ACL packets of a frame, packet indicator first.
    package func packets(_ frame: [UInt8], _ direction: Direction) -> [[UInt8]] {
        let first = direction == .sent ? HCI.PacketBoundary.firstNonFlushable : .firstFlushable
        return fragmentation.pieces(of: frame).enumerated()
            .map { index, piece in packet(piece, boundary: index == 0 ? first : .continuing) }
    }

    /// An ACL packet, packet indicator first.
    package func packet(_ bytes: some Collection<UInt8>, boundary: HCI.PacketBoundary) -> [UInt8] {
        let header = HCI.ACLHeader(handle: handle, boundary: boundary, length: UInt16(bytes.count))
        return [HCI.PacketType.aclData.rawValue] + header.encoded + bytes
    }

    /// Ends the connection.
    package func disconnect(reason: HCI.ErrorCode = .remoteUserTerminatedConnection) {
        session.event(HCI.DisconnectionComplete(handle: handle, reason: reason))
    }

    /// Records the host's command to encrypt the link.
    package func startEncryption() {
        session.command(
            HCI.LEEnableEncryption(
                handle: handle, randomNumber: [UInt8](repeating: 0, count: 8), encryptedDiversifier: 0,
                longTermKey: [UInt8](repeating: 0x5A, count: 16)))
    }

    /// Records that the link is encrypted.
    package func encrypt() {
        session.event(HCI.EncryptionChange(handle: handle, enabled: 1))
    }
}

/// Fragmentation of a frame.
package enum Fragmentation: Sendable, Hashable {
    case whole
    /// Pieces of these sizes, then the remainder.
    case leading([Int])
    /// Pieces of this size.
    case every(Int)

    package func pieces(of frame: [UInt8]) -> [ArraySlice<UInt8>] {
        var rest = frame[...]
        var pieces: [ArraySlice<UInt8>] = []
        func take(_ size: Int) {
            pieces.append(rest.prefix(size))
            rest = rest.dropFirst(size)
        }
        switch self {
        case .whole: break
        case .leading(let sizes): for size in sizes where !rest.isEmpty { take(size) }
        case .every(let size): while rest.count > size { take(size) }
        }
        if !rest.isEmpty || pieces.isEmpty { pieces.append(rest) }
        return pieces
    }
}
