/// Writes Apple PacketLogger, in the big-endian order that every reader knows.
struct PacketLoggerWriter: RecordWriter {
    func begin(_ output: inout OutputBuffer) {}

    func write(
        _ packet: OutgoingPacket, header: [UInt8], body: [UInt8], _ output: inout OutputBuffer,
        _ losses: inout LossCounter
    ) {
        let time = packet.seconds(unit: 1000, &losses)
        output.append(bigEndian: UInt32(truncatingIfNeeded: PacketLogger.countedHeader + packet.count))
        output.append(bigEndian: time.seconds)
        output.append(bigEndian: time.rest)
        output.append(bigEndian: UInt8(truncatingIfNeeded: packet.recordType))
        output.append(body[packet.start..<(packet.start + packet.count)])
        if packet.adapter != 0 { losses.add(.adapter, frame: packet.number) }
    }
}
