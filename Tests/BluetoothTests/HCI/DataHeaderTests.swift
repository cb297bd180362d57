import Bluetooth
import Bytes
import PDUTestKit
import Testing

@Test(arguments: [
    (hex("40 20 1b 00"), 0x040, 2, 0, 27), (hex("00 02 05 00"), 0x200, 0, 0, 5),
    (hex("ff 1e ff ff"), 0xEFF, 1, 0, 65535),
    (hex("01 70 00 00"), 1, 3, 1, 0),
])
func aclHeaderTakesItsBitsApart(bytes: [UInt8], handle: Int, boundary: Int, broadcast: Int, length: Int) throws {
    let recorder = FieldRecorder()
    let header = try HCI.ACLHeader(decoding: bytes, recorder: recorder)
    #expect(header.handle == ConnectionHandle(UInt16(handle)))
    #expect(header.boundary.rawValue == UInt8(boundary))
    #expect(header.broadcast == UInt8(broadcast))
    #expect(header.length == UInt16(length))
    #expect(
        recorder.fields.map(\.field.name) == [
            "bthci_acl.chandle", "bthci_acl.pb_flag", "bthci_acl.bc_flag", "bthci_acl.length",
        ])
    #expect(recorder.fields.map(\.value) == [handle, boundary, broadcast, length].map { UInt64($0) })
    #expect(WireFormatCheck.faults(HCI.ACLHeader.self, bytes) == [])
}

@Test func scoHeaderTakesItsBitsApart() throws {
    let header = try HCI.SCOHeader(decoding: hex("0b 10 30"))
    #expect(header.handle == ConnectionHandle(0x00B))
    #expect(header.packetStatus == 1)
    #expect(header.length == 48)
    #expect(WireFormatCheck.faults(HCI.SCOHeader.self, hex("0b d0 30")) == [])
}

@Test func isoHeaderTakesItsBitsApart() throws {
    let header = try HCI.ISOHeader(decoding: hex("02 60 7c 00"))
    #expect(header.handle == ConnectionHandle(2))
    #expect(header.boundary == .complete)
    #expect(header.boundary.beginsSDU)
    #expect(header.hasTimeStamp)
    #expect(header.length == 124)
    #expect(WireFormatCheck.faults(HCI.ISOHeader.self, hex("02 f0 7c c0")) == [])
}

@Test(arguments: [true, false])
func isoLoadStartsWithATimeStampWhereTheHeaderSaysSo(hasTimeStamp: Bool) throws {
    let bytes = (hasTimeStamp ? hex("01020304") : []) + hex("0500 78 40")
    var reader = ByteReader(bytes.span)
    let load = try HCI.ISODataLoad(reading: &reader, hasTimeStamp: hasTimeStamp)
    let left = reader.remaining
    #expect(left == 0)
    #expect(load.timeStamp == (hasTimeStamp ? 0x0403_0201 : nil))
    #expect(load.sequenceNumber == 5)
    #expect(load.sduLength == 120)
    #expect(load.packetStatus == 1)
    #expect(ByteWriter.bytes { load.write(to: &$0) } == bytes)
}

@Test func packetTypesAreNamed() {
    #expect((1...5).map { HCI.PacketType(rawValue: $0).name }.allSatisfy { $0 != nil })
    #expect(HCI.PacketType(rawValue: 9).name == nil)
}
