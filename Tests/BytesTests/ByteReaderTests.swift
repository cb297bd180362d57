import Bytes
import PDUTestKit
import Testing

private let field = Field("test.field", "Test Field", .decimal)
private let lengthField = Field("test.length", "Test Length", .decimal)

/// A code on the wire.
private struct Code: WireInteger {
    var rawValue: UInt16
}

/// Two 16-bit fields, the second big-endian, to exercise the default implementations of `WireFormat`.
private struct Pair: WireFormat, Hashable {
    var first: UInt16
    var second: UInt16

    init(first: UInt16, second: UInt16) {
        self.first = first
        self.second = second
    }

    init(reading reader: inout ByteReader) throws(DecodeError) {
        first = try reader.read(field)
        second = try reader.readBigEndian(field)
    }

    func write(to writer: inout ByteWriter) {
        writer.write(first)
        writer.writeBigEndian(second)
    }
}

/// The result of `body` reading `bytes`.
private func reading<Value>(
    _ bytes: [UInt8], origin: Int = 0, recorder: FieldRecorder? = nil,
    _ body: (inout ByteReader) throws(DecodeError) -> Value
) throws(DecodeError) -> Value {
    var reader = ByteReader(bytes.span, origin: origin, recorder: recorder)
    return try body(&reader)
}

/// The error that `body` throws while reading `bytes`.
private func error(
    _ bytes: [UInt8], origin: Int = 0, recorder: FieldRecorder? = nil,
    _ body: (inout ByteReader) throws(DecodeError) -> Void
) -> DecodeError? {
    do {
        try reading(bytes, origin: origin, recorder: recorder, body)
        return nil
    } catch {
        return error
    }
}

struct Integers {
    static let bytes = hex("0102030405060708 090a0b0c0d0e0f10")

    @Test func littleEndianIsTheDefault() throws {
        try reading(Self.bytes) { reader throws(DecodeError) in
            #expect(try reader.read(field, as: UInt8.self) == 0x01)
        }
        #expect(try reading(Self.bytes) { r throws(DecodeError) in try r.read(field, as: UInt16.self) } == 0x0201)
        #expect(try reading(Self.bytes) { r throws(DecodeError) in try r.read(field, as: UInt32.self) } == 0x0403_0201)
        #expect(
            try reading(Self.bytes) { r throws(DecodeError) in try r.read(field, as: UInt64.self) }
                == 0x0807_0605_0403_0201)
        #expect(
            try reading(Self.bytes) { r throws(DecodeError) in try r.read(field, as: UInt128.self) }
                == 0x100F_0E0D_0C0B_0A09_0807_0605_0403_0201)
    }

    @Test func bigEndianIsSaid() throws {
        #expect(
            try reading(Self.bytes) { r throws(DecodeError) in try r.readBigEndian(field, as: UInt16.self) } == 0x0102)
        #expect(
            try reading(Self.bytes) { r throws(DecodeError) in try r.readBigEndian(field, as: UInt32.self) }
                == 0x0102_0304)
    }

    @Test func signedIntegersKeepTheirSign() throws {
        #expect(try reading([0xFE, 0xFF]) { r throws(DecodeError) in try r.read(field, as: Int16.self) } == -2)
        #expect(try reading([0x80]) { r throws(DecodeError) in try r.read(field, as: Int8.self) } == -128)
    }

    @Test func codesAreIntegersOnTheWire() throws {
        #expect(
            try reading([0x34, 0x12]) { r throws(DecodeError) in try r.read(field, as: Code.self) }
                == Code(rawValue: 0x1234))
    }

    @Test(arguments: 1...8)
    func anyWidthIsRead(width: Int) throws {
        let value = try reading(Self.bytes) { r throws(DecodeError) in try r.read(field, bytes: width) }
        #expect(value == 0x0807_0605_0403_0201 & (UInt64.max >> UInt64(64 - 8 * width)))
    }

    @Test(arguments: 1...8)
    func anyWidthIsReadFromItsBytesOnly(width: Int) {
        let fault = error(Array(Self.bytes.prefix(width - 1))) { r throws(DecodeError) in
            _ = try r.read(field, bytes: width)
        }
        #expect(fault?.needed == width)
        #expect(fault?.available == width - 1)
    }

    @Test func readsAreUnaligned() throws {
        let value = try reading(Self.bytes) { r throws(DecodeError) in
            try r.skip(field, count: 3)
            return try r.read(field, as: UInt32.self)
        }
        #expect(value == 0x0706_0504)
    }
}

struct Cursor {
    @Test func remainingAndOffsetFollowTheReads() throws {
        try reading(hex("010203"), origin: 7) { r throws(DecodeError) in
            let start = (r.remaining, r.offset, r.isAtEnd, r.nextByte)
            #expect(start == (3, 7, false, 1))
            try r.skip(field, count: 2)
            let middle = (r.remaining, r.offset, r.isAtEnd, r.nextByte, r.restBytes)
            #expect(middle == (1, 9, false, 3, [3]))
            r.skipRest(field)
            let end = (r.remaining, r.offset, r.isAtEnd, r.nextByte, r.restBytes)
            #expect(end == (0, 10, true, nil, []))
        }
    }

    @Test func bytesAreTakenAsTheyStand() throws {
        try reading(hex("0102030405")) { r throws(DecodeError) in
            #expect(try r.readBytes(field, count: 2) == [1, 2])
            #expect(try r.readBytes(field, count: 0) == [])
            let rest = r.readRest(field)
            #expect(rest == [3, 4, 5])
            let nothing = r.readRest(field)
            #expect(nothing == [])
        }
    }

    @Test func anEmptyInputIsAtItsEnd() throws {
        try reading([]) { r throws(DecodeError) in
            let state = (r.isAtEnd, r.remaining, r.nextByte)
            #expect(state == (true, 0, nil))
        }
    }

    @Test func aSliceIsAPDUOfItsOwn() throws {
        try reading(hex("0102030405"), origin: 10) { r throws(DecodeError) in
            try r.skip(field, count: 1)
            var part = try r.slice(count: 2, lengthSetBy: lengthField)
            let positions = (part.remaining, part.offset, r.remaining, r.offset)
            #expect(positions == (2, 11, 2, 13))
            #expect(try part.read(field, as: UInt16.self) == 0x0302)
            #expect(try r.read(field, as: UInt16.self) == 0x0504)
        }
    }
}

struct Errors {
    @Test func aMissingFieldIsNamed() {
        let fault = error(hex("010203"), origin: 5) { r throws(DecodeError) in
            try r.skip(field, count: 1)
            _ = try r.read(field, as: UInt32.self)
        }
        #expect(fault == DecodeError(.truncated, field: "Test Field", offset: 6, needed: 4, available: 2))
        #expect(fault?.description == "Test Field: needs 4 bytes, 2 left")
    }

    @Test func aFailedReadMovesNothing() throws {
        try reading(hex("01")) { r throws(DecodeError) in
            _ = try? r.read(field, as: UInt32.self)
            let state = (r.remaining, r.offset)
            #expect(state == (1, 0))
        }
    }

    @Test func theFieldThatSetTheLengthIsToldWithARecorder() {
        let fault = error(hex("0102"), recorder: FieldRecorder()) { r throws(DecodeError) in
            var part = try r.slice(count: 1, lengthSetBy: lengthField)
            _ = try part.read(field, as: UInt16.self)
        }
        #expect(fault?.lengthSource == "Test Length")
        #expect(fault?.description == "Test Field: needs 2 bytes, 1 left (the length is set by Test Length)")
    }

    @Test func aSliceLongerThanTheRestIsItsLengthFieldsFault() {
        let fault = error(hex("0102")) { r throws(DecodeError) in
            _ = try r.slice(count: 3, lengthSetBy: lengthField).remaining
        }
        #expect(fault?.field == "Test Length")
        #expect(fault?.needed == 3)
        #expect(fault?.available == 2)
    }

    @Test func aForbiddenValueSaysWhatWasExpected() {
        let fault = error(hex("0007"), origin: 3) { r throws(DecodeError) in
            try r.skip(field, count: 1)
            _ = try r.read(field, as: UInt8.self)
            throw r.invalid(field, length: 1, expected: "1 or 2, not 7")
        }
        #expect(fault?.reason == .invalid("1 or 2, not 7"))
        #expect(fault?.offset == 4)
        #expect(fault?.description == "Test Field: 1 or 2, not 7")
    }
}

struct Formats {
    @Test func aFormatReadsWhatItWrites() throws {
        let pair = try Pair(decoding: hex("0100 0200"))
        #expect(pair == Pair(first: 1, second: 0x0200))
        #expect(pair.encoded == hex("0100 0200"))
        #expect(WireFormatCheck.faults(Pair.self, hex("0100 0200")) == [])
    }
}
