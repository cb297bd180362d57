import Bluetooth
import Bytes
import PDUTestKit
import Testing

/// Packets captured on the air, from the access address to the CRC, with the CRCInit of their link.
private let packets: [(packet: String, initial: UInt32, crc: UInt32)] = [
    // CONNECT_IND
    ("d6be898e 4522 81b3e8465b63e34791eada74f5a6dd92852f0a0201002400 0000f401ffffffff1f06 ec6ba9", 0x555555, 0x37D695),
    ("d6be898e 4522 3d75e3b4af6ae34791eada745beec59050062702070024000000f401ffffffff1f06 d71068", 0x555555, 0xEB0816),
    // Connections opened by these two
    ("f5a6dd92 0309 08ff7d000000000000 5509b6", 0x0A2F85, 0xAA906D),
    ("5beec590 0309 08ff7d000000000000 9c1bf2", 0x270650, 0x39D84F),
    ("5beec590 0500 7678ec", 0x270650, 0x6E1E37),
    ("5beec590 0d00 d075ec", 0x270650, 0x0BAE37),
    ("5beec590 0b09 090100000000000000 939483", 0x270650, 0xC929C1),
    ("5beec590 0306 0c091d00be02 fb8c7a", 0x270650, 0xDF315E),
]

@Test(arguments: packets)
func packetsCRCIsComputed(packet: String, initial: UInt32, crc: UInt32) throws {
    let bytes = hex(packet)
    let read = try header(of: bytes)
    #expect(read.crc == crc)
    #expect(LL.crc(of: Array(bytes[4..<(bytes.count - 3)]), initial: initial) == crc)
    #expect(read.check(in: bytes.span.bytes, initial: initial) == .valid)
    #expect(read.check(in: bytes.span.bytes, initial: initial ^ 1) == .invalid)
    var flipped = bytes
    flipped[bytes.count - 4] ^= 0x10
    #expect(try header(of: flipped).check(in: flipped.span.bytes, initial: initial) != .valid)
}

private func header(of bytes: [UInt8]) throws(DecodeError) -> LL.PacketHeader {
    var reader = ByteReader(bytes.span)
    return try LL.PacketHeader(reading: &reader)
}

@Test func crcIsWrittenAsItIsRead() throws {
    let bytes = ByteWriter.bytes { LL.writeCRC(0x37D695, to: &$0) }
    #expect(bytes == hex("ec6ba9"))
    let recorder = FieldRecorder()
    var reader = ByteReader(bytes.span, recorder: recorder)
    #expect(try LL.readCRC(&reader) == 0x37D695)
    #expect(recorder.fields.map(\.value) == [0x37D695])
}

@Test(arguments: packets)
func theValueThatACRCStartsFromIsFound(packet: String, initial: UInt32, crc: UInt32) throws {
    let bytes = hex(packet)
    #expect(LL.crcInit(of: bytes.span.bytes.extracting(4..<(bytes.count - 3)), crc: crc) == initial)
}
