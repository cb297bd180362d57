/// Writes btsnoop, data link 1002 or 2001.
struct BtsnoopWriter: RecordWriter {
    let isMonitor: Bool
    /// Packets that the recorder dropped up to the last record.
    private var drops: UInt32 = 0

    init(isMonitor: Bool) {
        self.isMonitor = isMonitor
    }

    func begin(_ output: inout OutputBuffer) {
        output.append(Btsnoop.magic)
        output.append(bigEndian: Btsnoop.version)
        output.append(bigEndian: (isMonitor ? Btsnoop.DataLink.linuxMonitor : .h4).rawValue)
    }

    mutating func write(
        _ packet: OutgoingPacket, header: [UInt8], body: [UInt8], _ output: inout OutputBuffer,
        _ losses: inout LossCounter
    ) {
        let count = header.count + packet.count
        output.append(bigEndian: UInt32(clamping: count + packet.missing))
        output.append(bigEndian: UInt32(truncatingIfNeeded: count))
        output.append(
            bigEndian: isMonitor ? UInt32(packet.adapter) << 16 | UInt32(packet.recordType) : h4Flags(packet, header))
        drops = UInt32(clamping: Int(drops) + packet.drops)
        output.append(bigEndian: drops)
        let (time, overflow) = packet.microseconds(&losses).addingReportingOverflow(Btsnoop.epoch)
        output.append(bigEndian: overflow ? Int64.max : time)
        output.append(header)
        output.append(body[packet.start..<(packet.start + packet.count)])
        if !isMonitor, packet.adapter != 0 { losses.add(.adapter, frame: packet.number) }
    }

    /// Bit 0: received; bit 1: command or event.
    private func h4Flags(_ packet: OutgoingPacket, _ header: [UInt8]) -> UInt32 {
        let type = header.last.map(H4PacketType.init(rawValue:))
        return (packet.direction == .received ? 1 : 0) | (type == .command || type == .event ? 2 : 0)
    }
}
