import Bluetooth
import BluetoothCrypto
import Bytes
import PDUTestKit
import Testing

@testable import Redaction

/// What the bytes of a buffer become by their treatment.
struct ReplacementTests {
    private static let day: Int64 = 86_400
    private let pseudonyms = Pseudonyms(secret: SecretKey(0xFEDC_BA98_7654_3210))
    private let key = hex("a1a2a3a4a5a6a7a8a9aaabacadaeafb0")
    private let address: UInt64 = 0xC0_FFEE_000001

    private func replacements() -> Replacements {
        let addresses = AddressPseudonyms(
            [address], random: [address], identityKeys: [], keepsOUI: false, pseudonyms)
        let texts = TextPseudonyms(
            pseudonyms, tails: AddressTails(addresses: addresses.known, numbers: [:]), signs: [])
        return Replacements(
            pseudonyms, addresses, texts, keys: [key, key.reversed()],
            timeShift: TimeSpan(nanoseconds: 70 * Self.day * 1_000_000_000))
    }

    private func rewritten(_ bytes: [UInt8], _ steps: BufferTreatment.Step...) -> [UInt8] {
        var treatment = BufferTreatment(count: bytes.count)
        for step in steps { treatment.add(step) }
        var replacements = replacements()
        return replacements.rewritten(bytes, treatment, in: bytes.indices)
    }

    private func step(
        _ treatment: FieldTreatment, _ range: Range<Int>, value: UInt64 = 0, mask: UInt64 = 0
    ) -> BufferTreatment.Step {
        .init(treatment: treatment, range: range, value: value, mask: mask, isNumber: true)
    }

    @Test func whatNoFieldExplainsIsReplacedAndTheRestStays() {
        let bytes = hex("01 02 03 04 05 06 07 08")
        let result = rewritten(bytes, step(.keep, 0..<2), step(.open, 2..<6), step(.keep, 6..<8))
        #expect(result.count == 8)
        #expect(result[..<2] == bytes[..<2] && result[6...] == bytes[6...])
        #expect(result[2..<6] != bytes[2..<6])
    }

    /// The NUL after a name ends it; what a device leaves behind it is replaced.
    @Test func zerosInPaddingStay() {
        let bytes = hex("41 42 00 00 37 00 38 39")
        let result = rewritten(bytes, step(.keep, 0..<2), step(.padding, 2..<8))
        #expect(result.indices.filter { result[$0] == 0 } == [2, 3, 5])
        #expect(result[4] != 0x37 || Array(result[6...]) != hex("38 39"))
        #expect(rewritten(hex("41 00 00"), step(.keep, 0..<1)) == hex("41 00 00"))
    }

    /// Of two fields with the same bytes, that of a profile explains what that of the protocol leaves open.
    @Test func aFieldThatExplainsBytesKeepsThem() {
        let bytes = hex("01 02 03 04")
        #expect(rewritten(bytes, step(.open, 0..<4), step(.keep, 0..<4)) == bytes)
        #expect(rewritten(bytes, step(.keep, 0..<4), step(.key, 0..<4)) != bytes)
    }

    @Test func addressesAreFoundInEitherOrderOfBytes() {
        let expected = replacements()
        var copy = expected
        let little = (0..<6).map { UInt8(truncatingIfNeeded: address >> (8 * UInt64($0))) }
        var treatment = BufferTreatment(count: 8)
        treatment.add(step(.keep, 0..<8))
        let forward = copy.rewritten([1] + little + [2], treatment, in: 0..<8)
        let backward = copy.rewritten([1] + little.reversed() + [2], treatment, in: 0..<8)
        #expect(Array(forward[1..<7]) == Array(backward[1..<7].reversed()))
        #expect(Array(forward[1..<7]) != little)
        #expect(forward[0] == 1 && forward[7] == 2)
        #expect(copy.counts[.address] == 2)
    }

    @Test func keysAreFoundInValuesThatStay() {
        let bytes = [9] + key + [9]
        let result = rewritten(bytes, step(.keep, 0..<18))
        #expect(result[0] == 9 && result[17] == 9)
        #expect(Array(result[1..<17]) != key)
        let reversed = rewritten(Array(bytes.reversed()), step(.keep, 0..<18))
        #expect(Array(reversed[1..<17]) != Array(key.reversed()))
    }

    @Test func aDateMovesByWholeDays() {
        // 2026-03-01T12:00:00Z, little-endian and big-endian.
        let seconds: UInt64 = 1_772_366_400
        let little = (0..<4).map { UInt8(truncatingIfNeeded: seconds >> (8 * UInt64($0))) }
        let date = FieldTreatment.date(epoch: 0, step: 1_000_000_000)
        let expected = seconds - UInt64(70 * Self.day)
        #expect(Replacements.littleEndian(rewritten(little, step(date, 0..<4, value: seconds))) == expected)
        let big = Array(little.reversed())
        #expect(Replacements.littleEndian(rewritten(big, step(date, 0..<4, value: seconds)).reversed()) == expected)
    }

    @Test(arguments: [("ea07 03 01", "e907 0c 15"), ("0000 03 01", "0000 03 01"), ("ea07 00 00", "ea07 00 00")])
    func aDateInPartsMovesToo(before: String, after: String) {
        #expect(rewritten(hex(before), step(.civilDate, 0..<4)) == hex(after))
    }

    @Test(arguments: [0, 1, 86_400] as [UInt64])
    func aTimeThatIsNoDateStays(seconds: UInt64) {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: seconds >> (8 * UInt64($0))) }
        let date = FieldTreatment.date(epoch: 0, step: 1_000_000_000)
        #expect(rewritten(bytes, step(date, 0..<4, value: seconds)) == bytes)
    }

    @Test func aSensitiveNumberChangesWithinItsBits() {
        let bytes = hex("5a")
        let result = rewritten(bytes, step(.sensitive, 0..<1, value: 0x5, mask: 0xF0))
        #expect(result[0] & 0x0F == 0x0A)
        #expect(result[0] >> 4 != 0x5)
        #expect(rewritten(hex("00"), step(.sensitive, 0..<1, value: 0)) == hex("00"))
    }

    /// Ranges that do not lie in the buffer come from damaged packets.
    @Test func aFieldBeyondTheEndIsIgnored() {
        let bytes = hex("01 02")
        #expect(rewritten(bytes, step(.keep, 0..<2), step(.key, 1..<9), step(.address, 5..<11)) == bytes)
    }
}
