/// Writes pcap, little-endian.
struct PcapWriter: RecordWriter {
    let linkType: LinkType
    let hasNanoseconds: Bool

    func begin(_ output: inout OutputBuffer) {
        output.append(littleEndian: hasNanoseconds ? Pcap.nanosecondMagic : Pcap.microsecondMagic)
        output.append(littleEndian: Pcap.majorVersion)
        output.append(littleEndian: Pcap.minorVersion)
        output.append(littleEndian: 0 as UInt64)
        output.append(littleEndian: UInt32(CaptureLimit.packet))
        output.append(littleEndian: linkType.rawValue)
    }

    func write(
        _ packet: OutgoingPacket, header: [UInt8], body: [UInt8], _ output: inout OutputBuffer,
        _ losses: inout LossCounter
    ) {
        let time = packet.seconds(unit: hasNanoseconds ? 1 : 1000, &losses)
        let count = header.count + packet.count
        output.append(littleEndian: time.seconds)
        output.append(littleEndian: time.rest)
        output.append(littleEndian: UInt32(truncatingIfNeeded: count))
        output.append(littleEndian: UInt32(clamping: count + packet.missing))
        output.append(header)
        output.append(body[packet.start..<(packet.start + packet.count)])
        if packet.adapter != 0, linkType != .linuxMonitor { losses.add(.adapter, frame: packet.number) }
        if linkType == .h4, packet.direction != header.last.map({ H4PacketType(rawValue: $0).impliedDirection }) {
            losses.add(.direction, frame: packet.number)
        }
    }
}
