import Bytes
import PDUTestKit
import TestKit
import Testing

@testable import Profile

/// A checksum algorithm and its check value, that of the ASCII text "123456789".
private struct Known: Sendable, CustomTestStringConvertible {
    var name: String
    var algorithm: Checksum.Algorithm
    /// Least significant byte first.
    var check: UInt64

    var testDescription: String { name }

    init(_ name: String, _ algorithm: Checksum.Algorithm, _ check: UInt64) {
        (self.name, self.algorithm, self.check) = (name, algorithm, check)
    }

    /// A CRC with the parameters of the catalogue of parametrised CRC algorithms.
    init(
        _ name: String, bits: Int, _ polynomial: UInt64, initial: UInt64 = 0, reflected: Bool = false, xor: UInt64 = 0,
        check: UInt64
    ) {
        let algorithm = Checksum.Algorithm(
            .crc(polynomial: polynomial, isReflected: reflected), bytes: bits / 8, initial: initial, finalXor: xor)
        self.init(name, algorithm, check)
    }

    static let all: [Known] = [
        Known("sum8", .sum8, 0xDD), Known("xor8", .xor8, 0x31), Known("crc8", .crc8, 0xF4),
        Known("crc16_ccitt", .crc16CCITT, 0x29B1), Known("crc16_modbus", .crc16Modbus, 0x4B37),
        Known("crc32", .crc32, 0xCBF4_3926),
        Known("sum of two bytes", .init(.sum, bytes: 2), 0x01DD),
        Known("negated sum of two bytes", .init(.negatedSum, bytes: 2), 0xFE23),
        Known("negated sum of a byte", .init(.negatedSum, bytes: 1), 0x23),
        Known("sum, ones' complement", .init(.sum, bytes: 1, finalXor: 0xFF), 0x22),
        Known("xor from 0xEF", .init(.xor, bytes: 1, initial: 0xEF), 0xDE),
        Known("CRC-8/AUTOSAR", bits: 8, 0x2F, initial: 0xFF, xor: 0xFF, check: 0xDF),
        Known("CRC-8/DARC", bits: 8, 0x39, reflected: true, check: 0x15),
        Known("CRC-8/MAXIM-DOW", bits: 8, 0x31, reflected: true, check: 0xA1),
        Known("CRC-8/NRSC-5", bits: 8, 0x31, initial: 0xFF, check: 0xF7),
        Known("CRC-8/ROHC", bits: 8, 0x07, initial: 0xFF, reflected: true, check: 0xD0),
        Known("CRC-8/SAE-J1850", bits: 8, 0x1D, initial: 0xFF, xor: 0xFF, check: 0x4B),
        Known("CRC-16/ARC", bits: 16, 0x8005, reflected: true, check: 0xBB3D),
        Known("CRC-16/XMODEM", bits: 16, 0x1021, check: 0x31C3),
        Known("CRC-16/KERMIT", bits: 16, 0x1021, reflected: true, check: 0x2189),
        Known("CRC-16/IBM-SDLC", bits: 16, 0x1021, initial: 0xFFFF, reflected: true, xor: 0xFFFF, check: 0x906E),
        Known("CRC-16/GENIBUS", bits: 16, 0x1021, initial: 0xFFFF, xor: 0xFFFF, check: 0xD64E),
        Known("CRC-16/SPI-FUJITSU", bits: 16, 0x1021, initial: 0x1D0F, check: 0xE5CC),
        Known("CRC-16/RIELLO", bits: 16, 0x1021, initial: 0xB2AA, reflected: true, check: 0x63D0),
        Known("CRC-16/DNP", bits: 16, 0x3D65, reflected: true, xor: 0xFFFF, check: 0xEA82),
        Known("CRC-24/OPENPGP", bits: 24, 0x864CFB, initial: 0xB704CE, check: 0x21CF02),
        Known("CRC-24/BLE", bits: 24, 0x00065B, initial: 0x555555, reflected: true, check: 0xC25A56),
        Known("CRC-32/BZIP2", bits: 32, 0x04C1_1DB7, initial: 0xFFFF_FFFF, xor: 0xFFFF_FFFF, check: 0xFC89_1918),
        Known("CRC-32/MPEG-2", bits: 32, 0x04C1_1DB7, initial: 0xFFFF_FFFF, check: 0x0376_E6E7),
        Known(
            "CRC-32/ISCSI", bits: 32, 0x1EDC_6F41, initial: 0xFFFF_FFFF, reflected: true, xor: 0xFFFF_FFFF,
            check: 0xE306_9283),
        Known("CRC-32/JAMCRC", bits: 32, 0x04C1_1DB7, initial: 0xFFFF_FFFF, reflected: true, check: 0x340B_C6D9),
        Known("CRC-40/GSM", bits: 40, 0x00_0482_0009, xor: 0xFF_FFFF_FFFF, check: 0xD4_164F_C646),
        Known("CRC-64/ECMA-182", bits: 64, 0x42F0_E1EB_A9EA_3693, check: 0x6C40_DF5F_0B49_7347),
        Known(
            "CRC-64/XZ", bits: 64, 0x42F0_E1EB_A9EA_3693, initial: .max, reflected: true, xor: .max,
            check: 0x995D_C9BB_DF19_39FA),
    ]
}

@Suite struct ChecksumTests {
    @Test(arguments: Known.all)
    private func algorithmsHaveTheirCheckValues(_ known: Known) throws {
        let layout = try layout([
            .make("data", .bytes(.fixed(9))), .make("check", .checksum(Checksum(known.algorithm))) { $0.endian = .big },
        ])
        let digits = Array("123456789".utf8)
        let bytes = try layout.encode(.record(["data": .bytes(digits)]))
        #expect(hexText(bytes.dropFirst(9)) == String(hex: known.check, digits: 2 * known.algorithm.bytes))
        #expect(try layout.diagnostics(on: bytes).isEmpty)
        let wrong = bytes.dropLast() + [(bytes.last ?? 0) ^ 0x40]
        #expect(try layout.diagnostics(on: Array(wrong)).map(\.text).count == 1)
    }

    /// A checksum ignores fields before and after its range.
    @Test func checksumsCoverFromOneFieldToAnother() throws {
        let layout = try layout([
            .u8("start"), .u8("first"), .u16("last"), .u8("after"),
            .make("check", .checksum(Checksum(.sum8, from: "first", to: "last"))),
        ])
        #expect(try layout.diagnostics(on: hex("FF 01 02 03 FF 06")).isEmpty)
        #expect(
            try layout.diagnostics(on: hex("FF 01 02 03 FF 07")).map(\.text) == ["check: is 0x07; the bytes have 0x06"])
        #expect(
            try layout.encode(
                .record(["start": .integer(9), "first": .integer(1), "last": .integer(2), "after": .integer(8)]))
                == hex("09 01 02 00 08 03"))
    }

    /// A checksum within a case may start at the discriminant, and every case may have its own.
    @Test func checksumsOfCasesBeginWithTheDiscriminant() throws {
        let text = ProfileSamples.profile(
            """
            types:
              frame:
                switch: {name: kind, type: u8}
                cases:
            \((0..<12).map { "      - {value: \($0), name: c\($0), fields: [{name: x, type: u8}, "
                + "{name: check, type: u8, checksum: {algorithm: xor, initial: 0x10, from: kind}}]}" }
                .joined(separator: "\n"))
            """)
        let layout = try #require(
            try CompiledProfile(ProfileReader.read(text, file: "profile.yaml")).types["frame"])
        #expect(try layout.diagnostics(on: [0x0B, 0x22, 0x39]).isEmpty)
        #expect(try layout.diagnostics(on: [0x0B, 0x22, 0x29]).count == 1)
        #expect(try layout.encode(.record(["kind": .integer(3), "x": .integer(1)])) == [0x03, 0x01, 0x12])
    }

    /// The tree shows whether a checksum is correct.
    @Test(arguments: [("05 05", "Good", UInt64(1)), ("05 06", "Bad", 0)])
    func theTreeHasTheStatus(bytes: String, word: String, value: UInt64) throws {
        let layout = try layout([.u8("x"), .make("check", .checksum(Checksum(.sum8)))])
        let recorder = FieldRecorder()
        let bytes = hex(bytes)
        var reader = ByteReader(bytes.span, recorder: recorder)
        var diagnostics: [Diagnostic] = []
        try layout.read(&reader, diagnostics: &diagnostics)
        let status = try #require(recorder.fields.first { $0.field.name.hasSuffix(".check_status") })
        #expect(status.value == value && status.isGenerated)
        #expect(status.field.names?[value] == word)
        #expect(diagnostics.count == (value == 1 ? 0 : 1))
    }

    @Test(arguments: [
        ("{algorithm: crc}", "expected \"polynomial\""),
        ("{algorithm: sum, polynomial: 7}", "belongs to the algorithm crc"),
        ("{algorithm: crc16_modbus}", "expected u16 for crc16_modbus, found u8"),
        ("{algorithm: sum8, initial: 1}", "belongs to the algorithms sum, negated_sum, xor and crc"),
        ("{algorithm: crc, polynomial: 0x107}", "expected a whole number from 0 to 255"),
        ("{algorithm: sum, to: c}", "no field \"c\" before it"), ("{algorithm: sum, from: b, to: a}", "stands before"),
        ("{algorithm: addition}", "expected sum, negated_sum"),
    ])
    func faultsOfChecksums(checksum: String, fault: String) {
        let text = ProfileSamples.profile(
            "types: {t: {fields: [{name: a, type: u8}, {name: b, type: u8}, {name: x, type: u8, checksum: \(checksum)}, "
                + "{name: c, type: u8}]}}")
        let faults = ProfileSamples.faults(text)
        #expect(faults.contains { "\($0)".contains(fault) }, "\(faults)")
    }
}

// MARK: - Parts, addresses and ASCII numbers

@Suite struct NumberFormTests {
    private static func layout(_ fields: String) throws -> Layout {
        let text = ProfileSamples.profile("types: {t: {fields: [\(fields)]}}")
        return try #require(try CompiledProfile(ProfileReader.read(text, file: "profile.yaml")).types["t"])
    }

    @Test(arguments: [
        ("{name: v, bits: [0, 6], scale: {offset: 2000}}", "1A", Value.real(2026)),
        ("{name: v, bits: [0, 6], special: {0x7F: unknown}}", "7F", .named(0x7F, "unknown")),
        ("{name: v, bits: [0, 6], special: {0x7F: unknown}}", "05", .integer(5)),
        ("{name: v, bits: [0, 3], signed: true, scale: {d: -1}}", "0F", .real(-0.1)),
        ("{name: v, bits: [0, 3], signed: true, special: {0x8: none}}", "08", .named(8, "none")),
        ("{name: v, bit: 0, scale: {m: 5}}", "01", .real(5)),
    ])
    func partsHaveScalesAndSpecialValues(part: String, bytes: String, value: Value) throws {
        let layout = try Self.layout("{name: n, type: u8, bits: [\(part)]}")
        let whole = Value.record(["n": .record(["v": value])])
        #expect(try layout.decode(hex(bytes)) == whole)
        #expect(try layout.encode(whole) == hex(bytes))
    }

    @Test func rangesOfPartsAreChecked() throws {
        let layout = try Self.layout(
            "{name: n, type: u8, bits: [{name: v, bits: [0, 6], range: [1, 12], special: {0x7F: unknown}}]}")
        #expect(try layout.diagnostics(on: [13]).map(\.text) == ["V: 13 is outside of 1 to 12"])
        #expect(try layout.diagnostics(on: [12]).isEmpty && layout.diagnostics(on: [0x7F]).isEmpty)
    }

    @Test func addressesMayBeBigEndian() throws {
        let layout = try Self.layout("{name: a, type: address, endian: big}")
        let value = Value.record(["a": .text("c0:ff:ee:00:12:34")])
        #expect(try layout.decode(hex("C0 FF EE 00 12 34")) == value)
        #expect(try layout.encode(value) == hex("C0 FF EE 00 12 34"))
    }

    @Test func uuidsMayBeBigEndian() throws {
        let layout = try Self.layout(
            "{name: short, type: uuid16, endian: big}, {name: long, type: uuid128, endian: big}")
        let value = Value.record([
            "short": .text("0x180f"), "long": .text("e2c56db5-dffb-48d2-b060-d0f5a71096e0"),
        ])
        let bytes = hex("18 0F E2 C5 6D B5 DF FB 48 D2 B0 60 D0 F5 A7 10 96 E0")
        #expect(try layout.decode(bytes) == value)
        #expect(try layout.encode(value) == bytes)
    }

    @Test(arguments: [
        ("ascii_decimal, length: 4", "0042", Value.integer(42)), ("ascii_decimal, length: 4", "-042", .integer(-42)),
        ("ascii_decimal", "7", .integer(7)), ("ascii_decimal, decimals: 1", "-12.5", .real(-12.5)),
        ("ascii_decimal, decimals: 2, length: 6", "003.05", .real(3.05)),
        ("ascii_hex, length: 4", "1AF8", .integer(0x1AF8)),
        ("ascii_hex, length: 2, special: {0xFF: none}", "FF", .named(0xFF, "none")),
        ("ascii_hex, length: 4, scale: {m: 0.25}", "1AF8", .real(1726)),
    ])
    func numbersInASCIIHoldBothWays(type: String, text: String, value: Value) throws {
        let layout = try Self.layout("{name: n, type: \(type)}")
        #expect(try layout.decode(Array(text.utf8)) == .record(["n": value]))
        #expect(try layout.encode(.record(["n": value])) == Array(text.utf8))
    }

    /// Other notations of a number are accepted too.
    @Test(arguments: [
        ("ascii_decimal, decimals: 2", "+12", 12.0), ("ascii_decimal, decimals: 2", " 12.5 ", 12.5),
        ("ascii_decimal, decimals: 2", ".5", 0.5),
    ])
    func numbersInASCIIAreReadLeniently(type: String, text: String, number: Double) throws {
        #expect(try Self.layout("{name: n, type: \(type)}").decode(Array(text.utf8)) == .record(["n": .real(number)]))
    }

    @Test(arguments: [
        ("ascii_decimal", "12a", "expected decimal digits, found \"12a\""),
        ("ascii_decimal", "", "expected decimal digits"),
        ("ascii_decimal", "1.5", "expected decimal digits"),
        ("ascii_decimal", "99999999999999999999", "expected decimal"),
        ("ascii_decimal, decimals: 1", "1.25", "expected a decimal number"),
        ("ascii_decimal, decimals: 1", ".", "expected a"),
        ("ascii_hex", "1G", "expected hexadecimal digits"), ("ascii_hex, length: 4", "1A", "needs 4 bytes, 2 left"),
    ])
    func textsThatAreNoNumbers(type: String, text: String, error: String) throws {
        let layout = try Self.layout("{name: n, type: \(type)}")
        #expect { try layout.decode(Array(text.utf8)) } throws: { "\($0)".contains(error) }
    }

    @Test func numbersThatAreTooLongForTheirLength() throws {
        let layout = try Self.layout("{name: n, type: ascii_decimal, length: 2}")
        #expect { try layout.encode(.record(["n": .integer(-10)])) } throws: {
            "\($0)".contains("more than 2 characters")
        }
    }
}
