import Bluetooth
import Bytes
import Captures
import Conversation

/// Replays an HCI recording as a sniffer's recording of the same traffic on the air: advertisements, connections and
/// their payloads.
///
/// A lost connection just ends. PDUs are not fragmented.
package struct AirReplay {
    private let air = AirSession()
    private var links: [UInt16: AirLink] = [:]
    private var connections: UInt32 = 0

    /// Address of the central.
    private static let central = DeviceAddress(Address(value: 0x24_6F28_010203), .public)

    /// The sniffer's recording of an HCI recording.
    package static func recording(of session: Recording) -> Recording {
        var replay = AirReplay()
        replay.air.recording.pace = 500_000
        if let first = session.packets.first { replay.air.recording.time = first.time }
        for packet in session.packets { replay.play(packet) }
        return replay.air.recording
    }

    private mutating func play(_ packet: Recording.Packet) {
        air.recording.time = max(packet.time, air.recording.time)
        let bytes = Array(packet.bytes.dropFirst())
        switch HCI.PacketType(rawValue: packet.bytes.first ?? 0) {
        case .event: play(event: bytes)
        case .aclData where bytes.count > 4:
            let handle = (UInt16(bytes[0]) | UInt16(bytes[1]) << 8) & 0x0FFF
            links[handle]?.carry(Array(bytes.dropFirst(4)), packet.direction)
        default: return
        }
    }

    private mutating func play(event bytes: [UInt8]) {
        let parameters = Array(bytes.dropFirst(2))
        switch (HCI.EventCode(rawValue: bytes.first ?? 0), parameters.first.map { HCI.LESubevent(rawValue: $0) }) {
        case (.leMeta, .advertisingReport?):
            let event = try? HCI.LEAdvertisingReport(decoding: Array(parameters.dropFirst()))
            for report in event?.reports ?? [] { play(report) }
        case (.leMeta, .connectionComplete?):
            guard let event = try? HCI.LEConnectionComplete(decoding: Array(parameters.dropFirst())),
                let peer = DeviceAddress(event.peer, event.peerType)
            else { return }
            connections += 1
            let link = air.connect(Self.central, to: peer, accessAddress: 0x50C2_1A97 &+ 0x0101_0100 &* connections)
            link.fragmentation = .whole
            links[event.handle.rawValue] = link
        case (.disconnectionComplete, _):
            guard let event = try? HCI.DisconnectionComplete(decoding: parameters),
                let link = links.removeValue(forKey: event.handle.rawValue)
            else { return }
            if event.reason == .connectionTerminatedByLocalHost { link.disconnect(.sent) }
            if event.reason == .remoteUserTerminatedConnection { link.disconnect(.received) }
        default: return
        }
    }

    private func play(_ report: HCI.LEAdvertisingReport.Report) {
        guard let kind = DeviceAddress(report.address, report.addressType)?.kind else { return }
        let payload = ByteWriter.bytes { $0.write(report.address) } + report.data
        let header = LL.AdvertisingHeader(
            type: report.eventType == 4 ? .scanRsp : .advInd, txAdd: kind, length: payload.count)
        air.advertising(header, payload)
    }
}
