import Bytes
import Dissection
import Testing

/// The text of a raw value with a scale and a bias.
private func text(
    _ value: UInt64, scale: Double, bias: Double = 0, format: Field.Format = .decimal, length: Int = 2
) -> String? {
    let recorder = FieldRecorder()
    recorder.add(Field("x", "X", format, scale: scale, bias: bias), value: value, offset: 0, length: length)
    guard let recorded = recorder.fields.first else { return nil }
    var text = TextWriter()
    text.writeScaled(recorded)
    return String(decoding: text.bytes, as: UTF8.self)
}

@Test func scaledTextHasTheDecimalsOfItsScale() {
    #expect(text(24, scale: 1.25) == "30.00")
    #expect(text(1, scale: 0.005) == "0.005")
    #expect(text(13_920, scale: 0.005) == "69.600")
    #expect(text(7, scale: 15) == "105")
    #expect(text(1_500, scale: 1e-6) == "0.001500")
    #expect(text(0, scale: 0.01) == "0.00")
}

@Test func scaledTextOfABinaryFractionIsShort() {
    #expect(text(853, scale: 1.0 / 1024) == "0.8330")
    #expect(text(854, scale: 1.0 / 1024) == "0.8340")
    #expect(text(128, scale: 1.0 / 256) == "0.500")
}

@Test func scaledTextOfSignedValuesHasTheirSign() {
    #expect(text(0xFB1A, scale: 0.01, format: .signed) == "-12.54")
    #expect(text(UInt64(bitPattern: -1), scale: 0.01, format: .signed, length: 2) == "-0.01")
}

@Test func scaledTextHasItsBias() {
    #expect(text(660, scale: 0.1, bias: -40) == "26.0")
    #expect(text(1, scale: 0.1, bias: 273.15) == "273.25")
    #expect(text(0, scale: 1, bias: -40) == "-40")
}

@Test func scaledTextOfTheGreatestValueIsNoTrap() {
    #expect(text(.max, scale: 1e-6, length: 8) == "\(Double(UInt64.max) * 1e-6)")
    #expect(text(.max, scale: 1e300, length: 8) == "\(Double(UInt64.max) * 1e300)")
}
