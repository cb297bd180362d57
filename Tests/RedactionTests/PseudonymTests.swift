import Bluetooth
import BluetoothCrypto
import Bytes
import PDUTestKit
import Testing

@testable import Redaction

/// What addresses, names and numbers become.
struct PseudonymTests {
    private let pseudonyms = Pseudonyms(secret: SecretKey(0x0123_4567_89AB_CDEF_0123_4567_89AB_CDEF))

    private func addresses(
        _ addresses: [UInt64], random: Set<UInt64> = [], identityKeys: Set<[UInt8]> = [], keepsOUI: Bool = false
    ) -> AddressPseudonyms {
        AddressPseudonyms(
            Set(addresses), random: random, identityKeys: identityKeys, keepsOUI: keepsOUI, pseudonyms)
    }

    @Test(arguments: [0x00_1A7D_DA7101, 0xC0_FFEE_000001, 0x7A_1234_56789A, 0x3A_1234_56789A] as [UInt64])
    func anAddressKeepsItsType(address: UInt64) {
        let replaced = addresses([address]).replacement(for: address)
        #expect(replaced != address)
        #expect(replaced >> 46 == address >> 46)
        #expect(replaced >> 24 != address >> 24)
    }

    @Test(arguments: [0, 0xFFFF_FFFF_FFFF] as [UInt64])
    func anAddressOfNoDeviceStays(address: UInt64) {
        #expect(addresses([address]).replacement(for: address) == address)
    }

    @Test func anotherSecretGivesOtherAddresses() {
        let address: UInt64 = 0x00_1A7D_DA7101
        let others = AddressPseudonyms(
            [address], random: [], identityKeys: [], keepsOUI: false, Pseudonyms(secret: SecretKey(1)))
        #expect(others.replacement(for: address) != addresses([address]).replacement(for: address))
    }

    /// Of many controllers, the address of Wi-Fi and that of Bluetooth are neighbours.
    @Test func addressesOfOneDeviceKeepTheirDifference() {
        let (wifi, bluetooth): (UInt64, UInt64) = (0x24_0AC4_12A3FC, 0x24_0AC4_12A3FE)
        let replaced = addresses([wifi, bluetooth])
        #expect(replaced.replacement(for: bluetooth) == replaced.replacement(for: wifi) + 2)
    }

    @Test func theManufacturerStaysOnRequestOfPublicAddresses() {
        let (fixed, random): (UInt64, UInt64) = (0x24_0AC4_12A3F2, 0xC4_0AC4_12A3F2)
        let replaced = addresses([fixed, random], random: [random], keepsOUI: true)
        #expect(replaced.replacement(for: fixed) >> 24 == fixed >> 24)
        #expect(replaced.replacement(for: fixed) != fixed)
        #expect(replaced.replacement(for: random) >> 24 != random >> 24)
    }

    /// A private address resolves with the replacement of the key that it resolves with (Vol 6, Part B, 1.3.2.3).
    @Test func aResolvableAddressResolvesWithTheReplacedKey() {
        let key = hex("ec0234a357c8ad05341010a60a397d9b")
        let original = PrivateAddress.resolvable(key: SecretKey(wireBytes: key), random: 0x12_3456)
        let replaced = Address(
            value: addresses([original.value], identityKeys: [key]).replacement(for: original.value))
        #expect(replaced != original)
        #expect(!PrivateAddress.isResolved(DeviceAddress(replaced, .random), by: SecretKey(wireBytes: key)))
        let replacedKey = SecretKey(wireBytes: pseudonyms.key(for: key))
        #expect(PrivateAddress.isResolved(DeviceAddress(replaced, .random), by: replacedKey))
    }

    @Test func aKeyOfZerosStandsForNoneAndStays() {
        let none = [UInt8](repeating: 0, count: 16)
        #expect(pseudonyms.key(for: none) == none)
        #expect(pseudonyms.key(for: hex("01") + none.dropFirst()) != hex("01") + none.dropFirst())
    }

    @Test(arguments: [0, 1, 15, 16, 17, 1650])
    func bytesKeepTheirLength(count: Int) {
        let original = [UInt8](repeating: 7, count: count)
        let replaced = pseudonyms.bytes(for: original)
        #expect(replaced.count == count)
        #expect(count == 0 || replaced != original)
        #expect(pseudonyms.bytes(for: original) == replaced)
    }

    // MARK: Texts

    private func texts(_ addresses: AddressPseudonyms, signs: [String] = []) -> TextPseudonyms {
        TextPseudonyms(
            pseudonyms, tails: AddressTails(addresses: addresses.known, numbers: [:]),
            signs: signs.compactMap { NameSign($0) })
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func aNameKeepsItsShape() {
        var texts = texts(addresses([]))
        let name = "Anna's Phone 12"
        let replaced = texts.replacement(for: Array(name.utf8))
        #expect(replaced.count == name.utf8.count)
        #expect(text(replaced) != name)
        for (one, other) in zip(name.utf8, replaced) {
            let isLetter = UInt8(ascii: "a")...UInt8(ascii: "z") ~= one | 0x20
            let isDigit = UInt8(ascii: "0")...UInt8(ascii: "9") ~= one
            #expect(isLetter ? one & 0x20 == other & 0x20 : isDigit ? other < UInt8(ascii: "A") : one == other)
        }
    }

    @Test func aShortenedNameIsTheBeginningOfTheReplacedName() {
        var texts = texts(addresses([]))
        let whole = texts.replacement(for: Array("Kitchen Lamp".utf8))
        #expect(texts.replacement(for: Array("Kitchen".utf8)) == Array(whole.prefix(7)))
    }

    @Test func textOutsideASCIIRemainsLegible() {
        var texts = texts(addresses([]))
        let name = Array("Zoë 📱".utf8)
        let replaced = texts.replacement(for: name)
        #expect(replaced.count == name.count)
        #expect(String(validating: replaced, as: UTF8.self) != nil)
    }

    /// Names and serial numbers end with digits of an address: they end with those of the replaced one.
    @Test(arguments: [
        ("Aquavate-A3F2", 4), ("24:0A:C4:12:A3:F2", 17), ("240ac412a3f2", 12), ("SN-12A3F2", 6),
    ])
    func digitsOfAnAddressBecomeThoseOfItsReplacement(name: String, count: Int) {
        let addresses = addresses([0x24_0AC4_12A3F2])
        var texts = texts(addresses)
        let expected = Address(value: addresses.replacement(for: 0x24_0AC4_12A3F2)).description
        let digits = expected.filter { $0 != ":" }
        let replaced = text(texts.replacement(for: Array(name.utf8))).suffix(count).filter { $0 != ":" }
        #expect(replaced.lowercased() == digits.suffix(replaced.count))
        #expect(replaced.contains { $0.isLowercase } == false || name.contains { $0.isLowercase && $0.isHexDigit })
    }

    @Test func whatAProfileRecognizesInANameStays() {
        var texts = texts(addresses([]), signs: ["^LifeCount-[0-9A-F]{4}$"])
        let replaced = text(texts.replacement(for: Array("LifeCount-0C7E".utf8)))
        #expect(replaced.hasPrefix("LifeCount-"))
        #expect(replaced != "LifeCount-0C7E")
        #expect(replaced.suffix(4).allSatisfy { $0.isHexDigit })
        #expect(text(texts.replacement(for: Array("LifeCounter".utf8))).hasPrefix("LifeCount") == false)
    }

    @Test(arguments: ["", "[a-z]+", "a|b", "x?"])
    func aPatternWithoutAFixedTextKeepsNothing(pattern: String) {
        #expect(NameSign(pattern)?.kept(in: Array("xab".utf8)).isEmpty ?? true)
    }
}
