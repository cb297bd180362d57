import Bytes
import PDUTestKit
import Testing

private struct Code: WireInteger {
    var rawValue: UInt16
}

@Test func integersAreWrittenLittleEndian() {
    let bytes = ByteWriter.bytes {
        $0.write(0x01 as UInt8)
        $0.write(0x0203 as UInt16)
        $0.write(-2 as Int16)
        $0.write(0x0405_0607 as UInt32)
        $0.write(0x0102_0304_0506_0708_090A_0B0C_0D0E_0F10 as UInt128)
    }
    #expect(bytes == hex("01 0302 feff 07060504 100f0e0d0c0b0a090807060504030201"))
}

@Test func bigEndianIsSaid() {
    #expect(ByteWriter.bytes { $0.writeBigEndian(0x0102_0304 as UInt32) } == hex("01020304"))
}

@Test(arguments: 1...8)
func anyWidthIsWritten(width: Int) {
    #expect(
        ByteWriter.bytes { $0.write(0x0807_0605_0403_0201, bytes: width) }
            == Array(hex("0102030405060708").prefix(width)))
}

@Test func bytesAndCodesAreWrittenAsTheyStand() {
    var writer = ByteWriter()
    writer.write([9, 8, 7])
    writer.write(Code(rawValue: 0x1234))
    #expect(writer.bytes == hex("090807 3412"))
    #expect(writer.count == 5)
}

@Test func aLengthIsFilledInAfterwards() {
    var writer = ByteWriter()
    writer.write(0 as UInt16)
    writer.write([1, 2, 3])
    writer.patch(0x0103, at: 0)
    #expect(writer.bytes == hex("0301 010203"))
}

@Test func hexLiteralsAreBytes() {
    #expect(hex(" 0A ff\n00 ") == [0x0A, 0xFF, 0x00])
    #expect(hexText([0x0A, 0xFF, 0x00]) == "0aff00")
}
