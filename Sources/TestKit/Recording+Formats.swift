import Bluetooth
package import Bytes
package import Captures
import PDUTestKit

/// Formats that gattbench reads but does not write.
extension Recording {
    /// A btsnoop file of datalink 1001: HCI packets without packet indicators, whose types follow from the flags.
    package func btsnoopH1() -> [UInt8] {
        CaptureBuilder.btsnoop(
            1001,
            packets.map { packet in
                let isControl = [H4PacketType.command.rawValue, H4PacketType.event.rawValue].contains(packet.bytes[0])
                return CaptureBuilder.btsnoopRecord(
                    Array(packet.bytes.dropFirst()),
                    flags: (packet.direction == .received ? 1 : 0) | (isControl ? 2 : 0),
                    time: packet.time.nanoseconds / 1000, original: UInt32(packet.bytes.count - 1 + packet.missing))
            })
    }

    /// A PacketLogger file in either byte order.
    package func packetLogger(_ order: ByteOrder) -> [UInt8] {
        packets.flatMap { packet in
            CaptureBuilder.packetLoggerRecord(
                Self.packetLoggerType(packet), Array(packet.bytes.dropFirst()), order,
                time: packet.time.nanoseconds / 1000)
        }
    }

    private static func packetLoggerType(_ packet: Packet) -> UInt8 {
        let isReceived = packet.direction == .received
        let type: PacketLoggerRecordType =
            switch H4PacketType(rawValue: packet.bytes[0]) {
            case .command: .command
            case .event: .event
            case .acl: isReceived ? .aclReceived : .aclSent
            case .sco: isReceived ? .scoReceived : .scoSent
            default: isReceived ? .isoReceived : .isoSent
            }
        return type.rawValue
    }

    /// A pcap file in either byte order; `link` is the link type.
    private func pcap(_ link: UInt32, _ order: ByteOrder, _ body: (Packet) -> [UInt8]) -> [UInt8] {
        CaptureBuilder.pcap(
            link,
            packets.map { packet in
                let bytes = body(packet)
                let (seconds, nanoseconds) = packet.time.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
                return CaptureBuilder.pcapRecord(
                    bytes, order, seconds: UInt32(seconds), fraction: UInt32(nanoseconds / 1000),
                    original: UInt32(bytes.count + packet.missing))
            }, order)
    }

    /// A pcap file of USB transfers: those of the adapter's descriptors, then those of all packets.
    package func usbPcap(_ linkType: LinkType) -> [UInt8] {
        let linkType = linkType.rawValue
        func record(_ transfer: CaptureBuilder.USBRecord, _ time: Timestamp) -> [UInt8] {
            let (seconds, nanoseconds) = time.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
            return CaptureBuilder.pcapRecord(
                transfer.bytes(linkType), seconds: UInt32(seconds), fraction: UInt32(nanoseconds / 1000))
        }
        let start = packets.first?.time ?? time
        var records = CaptureBuilder.USBRecord.adapterDescriptors.map { record($0, start) }
        for packet in packets {
            records += Self.transfers(of: packet).map { record($0, packet.time) }
        }
        return CaptureBuilder.pcap(linkType, records)
    }

    /// The transfers that carry an HCI packet; those of events have 16 bytes at most.
    private static func transfers(of packet: Packet) -> [CaptureBuilder.USBRecord] {
        let body = Array(packet.bytes.dropFirst())
        switch H4PacketType(rawValue: packet.bytes[0]) {
        case .command: return [.command(body)]
        case .event:
            return stride(from: 0, to: body.count, by: 16).map { start in
                .received(.interrupt, 0x81, Array(body[start..<min(start + 16, body.count)]))
            }
        default:
            return [packet.direction == .received ? .received(.bulk, 0x82, body) : .sent(.bulk, 0x02, body)]
        }
    }

    /// A big-endian pcap file of link type 187.
    package func bigEndianPcap() -> [UInt8] {
        pcap(LinkType.h4.rawValue, .bigEndian) { $0.bytes }
    }

    /// A pcap file like those of nRF Sniffer for Bluetooth LE: link type 272, protocol version 3. `advertisingFlags`
    /// are set on advertising packets in addition to the CRC flag.
    package func nordicPcap(advertisingFlags: UInt8 = 0) -> [UInt8] {
        var counter: UInt16 = 0
        return pcap(LinkType.nordic.rawValue, .littleEndian) { packet in
            counter += 1
            guard let radio = try? LL.RadioHeader(decoding: packet.bytes) else { return packet.bytes }
            let rest = Array(packet.bytes.dropFirst(LL.RadioHeader.length))
            let header = LL.NordicHeader(
                payloadLength: UInt16(rest.count + 10), packetCounter: counter,
                packetID: radio.flags.pduType == 0 ? 2 : 6,
                flags: LL.NordicHeader.Flags(
                    rawValue: (radio.flags.pduType == 0 ? advertisingFlags : 0)
                        | (radio.flags.has(LL.RadioHeader.Flags.crcValid) ? 1 : 0)
                        | (radio.flags.pduType == 2 ? 2 : 0)
                        | (radio.flags.has(LL.RadioHeader.Flags.decrypted) ? 0x0C : 0)),
                channel: LL.Channel(radioChannel: radio.radioChannel)?.rawValue ?? 0,
                attenuation: UInt8(truncatingIfNeeded: -Int(radio.signal)),
                time: UInt32(truncatingIfNeeded: packet.time.nanoseconds / 1000))
            return header.encoded + rest
        }
    }

    /// A pcap file like those of an Ubertooth: link type 192 containing 251.
    package func ubertoothPcap() -> [UInt8] {
        pcap(LinkType.ppi.rawValue, .littleEndian) { packet in
            guard let radio = try? LL.RadioHeader(decoding: packet.bytes) else { return packet.bytes }
            let frequency = 2402 + 2 * UInt16(radio.radioChannel)
            let info = ByteWriter.bytes { writer in
                writer.write([0])
                writer.write(frequency)
                writer.write([0])
                writer.write(UInt32(truncatingIfNeeded: packet.time.nanoseconds / 100))
                writer.write([UInt8(bitPattern: radio.signal), UInt8(bitPattern: radio.signal)])
                writer.write([UInt8(bitPattern: radio.signal), 1])
            }
            let header = LL.PPIHeader(
                linkType: LinkType.linkLayer.rawValue, fields: [.init(type: LL.PPIHeader.Entry.ubertooth, data: info)])
            return header.encoded + packet.bytes.dropFirst(LL.RadioHeader.length)
        }
    }
}
