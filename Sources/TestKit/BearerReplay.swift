import Bluetooth
import Bytes
import Captures

/// Replays an HCI recording with enhanced ATT bearers: after the MTU exchange each connection opens two. Requests and
/// responses then use one of them, all other ATT PDUs the other.
package struct BearerReplay {
    private struct Replayed {
        let link: HCILink
        var clientMTU = UInt16(ATT.defaultMTU)
        var hasBearers = false
    }

    private let session = HCISession()
    private var links: [UInt16: Replayed] = [:]

    /// The recording with its ATT traffic on bearers.
    package static func recording(of session: Recording) -> Recording {
        var replay = BearerReplay()
        replay.session.recording.pace = 0
        for packet in session.packets { replay.play(packet) }
        return replay.session.recording
    }

    private mutating func play(_ packet: Recording.Packet) {
        session.recording.time = packet.time
        guard HCI.PacketType(rawValue: packet.bytes.first ?? 0) == .aclData, packet.bytes.count > 9 else {
            session.record(packet.bytes, packet.direction)
            return noteEvent(packet.bytes)
        }
        let handle = (UInt16(packet.bytes[1]) | UInt16(packet.bytes[2]) << 8) & 0x0FFF
        let frame = Array(packet.bytes.dropFirst(5))
        guard var replayed = links[handle], frame[2...3].elementsEqual([4, 0]) else {
            return session.record(packet.bytes, packet.direction)
        }
        let pdu = Array(frame.dropFirst(4))
        let opcode = ATT.Opcode(rawValue: pdu[0])
        if replayed.hasBearers {
            let kind = ATT.Opcode.table.shape(of: opcode)?.kind
            let isTransaction = kind == .request || kind == .response
            return replayed.link.carry(pdu, onBearer: isTransaction ? 0 : 1, packet.direction)
        }
        session.record(packet.bytes, packet.direction)
        switch opcode {
        case .exchangeMTURequest: replayed.clientMTU = UInt16(pdu[1]) | UInt16(pdu[2]) << 8
        case .exchangeMTUResponse:
            let mtu = min(replayed.clientMTU, UInt16(pdu[1]) | UInt16(pdu[2]) << 8)
            replayed.hasBearers = Int(mtu) >= ATT.leastEnhancedMTU
            if replayed.hasBearers { replayed.link.openBearers(2, mtu: mtu) }
        default: break
        }
        links[handle] = replayed
    }

    private mutating func noteEvent(_ packet: [UInt8]) {
        guard packet.count > 4, HCI.PacketType(rawValue: packet[0]) == .event else { return }
        let isConnection =
            HCI.EventCode(rawValue: packet[1]) == .leMeta && HCI.LESubevent(rawValue: packet[3]) == .connectionComplete
        guard isConnection, let event = try? HCI.LEConnectionComplete(decoding: Array(packet[4...])) else { return }
        links[event.handle.rawValue] = Replayed(link: session.resume(event.handle))
    }
}
