import Bytes
import PDUTestKit
import Testing

private let group = Field("test.group", "Group", .group)
private let number = Field("test.number", "Number", .hex(4))
private let blob = Field("test.blob", "Blob", .bytes)
private let high = Field("test.high", "High Bits", .decimal, mask: 0xF0)
private let low = Field("test.low", "Low Bit", .boolean, mask: 0x01)
private let name = Field("test.name", "Name", .text)

/// The recorded fields while `body` reads `bytes`: depth, name, value and range.
private func record(
    _ bytes: [UInt8], origin: Int = 0, _ body: (inout ByteReader) throws(DecodeError) -> Void
) throws(DecodeError) -> [String] {
    let recorder = FieldRecorder()
    var reader = ByteReader(bytes.span, origin: origin, recorder: recorder)
    try body(&reader)
    return lines(recorder)
}

private func lines(_ recorder: FieldRecorder) -> [String] {
    recorder.fields.map {
        "\(String(repeating: " ", count: Int($0.depth)))\($0.field.name)=\($0.value) \($0.offset)+\($0.length)"
    }
}

@Test func everyReadLeavesItsField() throws {
    let tree = try record(hex("3412 1234 010203 aabb"), origin: 4) { r throws(DecodeError) in
        _ = try r.read(number, as: UInt16.self)
        _ = try r.readBigEndian(number, as: UInt16.self)
        _ = try r.read(number, bytes: 3)
        r.skipRest(blob)
        r.skipRest(blob)
    }
    #expect(
        tree == ["test.number=4660 4+2", "test.number=4660 6+2", "test.number=197121 8+3", "test.blob=0 11+2"])
}

@Test func bitsAreChildrenOfTheirInteger() throws {
    let tree = try record(hex("a1 07"), origin: 1) { r throws(DecodeError) in
        let value = try r.read(number, as: UInt8.self)
        r.recordBits(value, [high, low])
        _ = try r.read(number, as: UInt8.self)
    }
    #expect(tree == ["test.number=161 1+1", " test.high=10 1+1", " test.low=1 1+1", "test.number=7 2+1"])
}

@Test func groupsHoldWhatIsReadInThem() throws {
    let tree = try record(hex("01 02 03")) { r throws(DecodeError) in
        let outer = r.begin(group)
        _ = try r.read(number, as: UInt8.self)
        let inner = r.begin(group)
        _ = try r.read(number, as: UInt8.self)
        r.end(inner)
        r.end(outer)
        _ = try r.read(number, as: UInt8.self)
    }
    #expect(
        tree == [
            "test.group=0 0+2", " test.number=1 0+1", " test.group=0 1+1", "  test.number=2 1+1", "test.number=3 2+1",
        ])
}

@Test func partsOfAValueAreItsChildren() throws {
    let tree = try record(hex("0102")) { r throws(DecodeError) in
        try r.withinValue(blob) { r throws(DecodeError) in _ = try r.read(number, as: UInt8.self) }
        _ = try r.read(number, as: UInt8.self)
    }
    #expect(tree == ["test.blob=0 0+2", " test.number=1 0+1", "test.number=2 1+1"])
}

@Test func fieldsBeforeAnErrorStay() {
    let recorder = FieldRecorder()
    let bytes = hex("01 02")
    var reader = ByteReader(bytes.span, recorder: recorder)
    _ = try? reader.read(number, as: UInt8.self)
    _ = try? reader.read(number, as: UInt32.self)
    #expect(lines(recorder) == ["test.number=1 0+1"])
}

@Test func anAbandonedGroupIsClosed() {
    let recorder = FieldRecorder()
    let outer = recorder.begin(group, offset: 0, length: 9)
    _ = recorder.begin(group, offset: 1, length: 8)
    recorder.close(outer)
    recorder.add(number, value: 1, offset: 3, length: 1)
    #expect(lines(recorder) == ["test.group=0 0+9", " test.group=0 1+8", "test.number=1 3+1"])
}

@Test func generatedValuesAreMarked() {
    let recorder = FieldRecorder()
    recorder.add(number, value: 1, offset: 0, length: 2)
    recorder.addGenerated(number, value: 2)
    recorder.addGenerated(name, text: "first")
    recorder.addGenerated(name, text: "second")
    #expect(recorder.fields.map(\.isGenerated) == [false, true, true, true])
    #expect(recorder.fields.map(\.value) == [1, 2, 0, 1])
    #expect(recorder.texts == ["first", "second"])
}

@Test func aRecorderIsUsedAgain() {
    let recorder = FieldRecorder()
    _ = recorder.begin(group, offset: 0, length: 2)
    recorder.buffer = .sdu
    recorder.addGenerated(name, text: "text")
    #expect(recorder.fields.map(\.buffer) == [.frame, .sdu])
    recorder.reset()
    #expect(recorder.fields.isEmpty)
    #expect(recorder.texts.isEmpty)
    recorder.add(number, value: 1, offset: 0, length: 1)
    #expect(recorder.fields.map(\.depth) == [0])
    #expect(recorder.fields.map(\.buffer) == [.frame])
}

@Test func theFieldOfAnEntryIsTheOneRecorded() {
    let recorder = FieldRecorder()
    recorder.add(number, value: 1, offset: 0, length: 1)
    #expect(recorder.fields.first?.field == number)
}

@Test func valuesHaveNames() {
    #expect(ValueNames([1: "one"])[1] == "one")
    #expect(ValueNames([1: "one"])[2] == nil)
    #expect(ValueNames { $0 > 9 ? "many" : nil }[10] == "many")
}
