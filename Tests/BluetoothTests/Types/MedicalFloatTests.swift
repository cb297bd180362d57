import Bluetooth
import Bytes
import PDUTestKit
import Testing

@Test(arguments: [
    ("6c0100ff", 36.4), ("a2fcffff", -86.2), ("01000000", 1), ("01000003", 1000), ("00000000", 0),
    ("fdff7f00", 8_388_605), ("030080fe", -83886.05),
])
func medicalFloatIsADecimalNumber(bytes: String, number: Double) throws {
    let bytes = hex(bytes)
    var reader = ByteReader(bytes.span)
    let value = try reader.readMedicalFloat(Field("x", "X", .number))
    #expect(value.value == number)
    #expect(ByteWriter.bytes { $0.write(value) } == bytes)
}

@Test func medicalFloatThatIsNoNumberHasAName() {
    let names: [(MedicalFloat, String)] = [
        (.notANumber, "not a number"), (.notAtThisResolution, "not at this resolution"), (.reserved, "reserved"),
        (.positiveInfinity, "+infinity"), (.negativeInfinity, "-infinity"),
    ]
    for (value, name) in names {
        #expect(MedicalFloat.valueNames[value.value.bitPattern] == name)
        #expect(!value.value.isFinite)
    }
    #expect(MedicalFloat.valueNames[MedicalFloat(rawValue: 0xFF00_016C).value.bitPattern] == nil)
}

@Test func medicalFloatOfAnyBitsIsRead() {
    for exponent in 0...255 as ClosedRange<UInt32> {
        for mantissa in [0, 1, 0x7F_FFFD, 0x80_0003, 0xFF_FFFF] as [UInt32] {
            #expect(!MedicalFloat(rawValue: exponent << 24 | mantissa).value.isNaN)
        }
    }
}

@Test func medicalFloatIsRecordedAsItsNumber() throws {
    let recorder = FieldRecorder()
    let bytes = hex("6c0100ff")
    var reader = ByteReader(bytes.span, recorder: recorder)
    _ = try reader.readMedicalFloat(Field("x", "X", .number))
    let recorded = try #require(recorder.fields.first)
    #expect(Double(bitPattern: recorded.value) == 36.4)
    #expect((recorded.offset, recorded.length) == (0, 4))
}
