import Bluetooth
import Bytes
import PDUTestKit
import Testing

@Test func dataHeaderIsTakenApart() throws {
    let header = try LL.DataHeader(decoding: hex("1e 1b"))
    #expect(header.llid == .start)
    #expect(header.nextExpectedSequenceNumber == 1)
    #expect(header.sequenceNumber == 1)
    #expect(header.moreData)
    #expect(!header.hasCTEInfo)
    #expect(header.length == 27)
    #expect(!header.isEmpty)
    #expect(
        LL.DataHeader(llid: .start, nextExpectedSequenceNumber: 1, sequenceNumber: 1, moreData: true, length: 27)
            == header)
    #expect(try LL.DataHeader(decoding: hex("0100")).isEmpty)
    #expect(try LL.DataHeader(decoding: hex("22 04 94")).cteInfo?.time == 20)
    #expect(try LL.DataHeader(decoding: hex("22 04 94")).cteInfo?.type == 2)
}

@Test(arguments: ["1e 1b", "0100", "22 04 94", "c3 ff"])
func dataHeaderWritesWhatItReads(bytes: String) {
    #expect(WireFormatCheck.faults(LL.DataHeader.self, hex(bytes)) == [])
}

@Test func isochronousHeadersAreTakenApart() throws {
    let connected = try LL.ConnectedIsochronousHeader(decoding: hex("5e 28"))
    #expect(connected.llid == 2)
    #expect(connected.nextExpectedSequenceNumber == 1)
    #expect(connected.sequenceNumber == 1)
    #expect(connected.closesEvent)
    #expect(connected.isNull)
    #expect(connected.length == 40)
    #expect(WireFormatCheck.faults(LL.ConnectedIsochronousHeader.self, hex("5e 28")) == [])
    let broadcast = try LL.BroadcastIsochronousHeader(decoding: hex("37 08"))
    #expect(broadcast.llid == 3)
    #expect(broadcast.controlSequenceNumber == 5)
    #expect(broadcast.hasControlSubevent)
    #expect(broadcast.length == 8)
    #expect(WireFormatCheck.faults(LL.BroadcastIsochronousHeader.self, hex("37 08")) == [])
}

@Test func dataPacketLeavesItsFields() {
    let frame = Frame(hex("f5a6dd92 0e0b 07000400100100ffff0028 010203"))
    #expect(frame.error == nil)
    #expect(frame.value("btle.data_header.llid") == 2)
    #expect(frame.value("btle.data_header.next_expected_sequence_number") == 1)
    #expect(frame.value("btle.data_header.sequence_number") == 1)
    #expect(frame.value("btle.data_header.more_data") == 0)
    #expect(frame.value("btle.data_header.length") == 11)
    #expect(frame.value("btle.access_address") == 0x92DD_A6F5)
    #expect(frame.packet?.header == 0x0B0E)
    #expect(frame.packet?.length == 11)
    #expect(frame.packet?.payload == 6..<17)
    #expect(frame.packet?.crc == 0x8040C0)
    #expect(frame.unlisted == [])
}

@Test func packetHeaderIsCutWithItsFrame() throws {
    let bytes = hex("f5a6dd92 020b 0700040010")
    var reader = ByteReader(bytes.span)
    let packet = try LL.PacketHeader(reading: &reader)
    #expect(packet.pdu == 4..<11)
    #expect(packet.payload == 6..<11)
    #expect(packet.crc == nil)
    #expect(packet.check(in: bytes.span.bytes, initial: 0) == .unknown)
}
