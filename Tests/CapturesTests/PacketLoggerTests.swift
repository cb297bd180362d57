import Bytes
import Captures
import PDUTestKit
import Testing

private typealias Build = CaptureBuilder

@Test(arguments: [ByteOrder.bigEndian, .littleEndian])
func packetLoggerRecordsOfAllTypes(order: ByteOrder) throws {
    let types = PacketLoggerRecordType.table.map(\.type.rawValue) + [0x77]
    let capture = try ReadCapture(types.flatMap { Build.packetLoggerRecord($0, [$0, 2, 3], order) })
    #expect(capture.format == .packetLogger)
    #expect(capture.packets.map(\.recordType) == types.map(UInt16.init))
    #expect(capture.bytes == types.map { [$0, 2, 3] })
    #expect(capture.packets.allSatisfy { $0.time.nanoseconds == Build.time * 1000 })
    #expect(capture.packets.allSatisfy { $0.frameLength == 4 && $0.capturedFrameLength == 4 && !$0.isCut })
    let hci = capture.views.compactMap { $0 }.filter { $0.type != nil }
    #expect(hci.map(\.recordType) == [0, 1, 2, 3, 8, 9, 0x12, 0x13, 0x0C, 0x0D])
    #expect(hci.map { $0.type?.rawValue } == [1, 4, 2, 2, 3, 3, 5, 5, 5, 5])
    #expect(hci.prefix(4).map(\.direction) == [.sent, .received, .sent, .received])
}

@Test func contentOfPacketLoggerRecordsIsKnown() {
    #expect(PacketLoggerRecordType.note.content == .text)
    #expect(PacketLoggerRecordType.note.name == "Note")
    #expect(PacketLoggerRecordType.lmpSent.content == .linkManager)
    #expect(PacketLoggerRecordType.config.content == .undocumented)
    #expect(PacketLoggerRecordType(rawValue: 0x77).content == .undocumented)
    #expect(PacketLoggerRecordType(rawValue: 0x77).name == nil)
}

@Test func anEmptyRecordIsAPacket() throws {
    let capture = try ReadCapture(Build.packetLoggerRecord(0xFC, []))
    #expect(capture.bytes == [[]])
}

@Test(arguments: [0, 8] as [UInt32])
func aPacketLoggerRecordShorterThanItsHeaderIsDamage(length: UInt32) throws {
    let good = Build.packetLoggerRecord(0, [3, 12, 0])
    let capture = try ReadCapture(good + good + good + Build.packetLoggerRecord(0, [3, 12, 0], length: length) + good)
    #expect(capture.packets.count == 3)
    #expect(capture.warnings.map(\.offset) == [3 * good.count])
}

/// A file without a magic number is recognized only by several consecutive records.
@Test func oneLuckyRecordIsNoPacketLogger() throws {
    // Records of 271 bytes as written by TI's SmartRF Packet Sniffer: the first looks like a record of 261 bytes.
    let records = (1...3 as ClosedRange<UInt32>).flatMap { number in
        [1] + Build.integer(number, .littleEndian) + Build.integer(0 as UInt64, .littleEndian)
            + [UInt8](repeating: 0, count: 258)
    }
    let error = #expect(throws: CaptureError.self) { try ReadCapture(records) }
    #expect(error?.kind == .notACapture)
    #expect(error?.description.contains("SmartRF Packet Sniffer") == true)
}
