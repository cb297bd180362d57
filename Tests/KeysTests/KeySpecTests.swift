import Bluetooth
import BluetoothCrypto
import Keys
import Testing

/// `KIND:HEX[@ADDRESS]`.
struct KeySpecTests {
    private static let key = SecretKey(0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f)
    private static let vector: UInt64 = 0x9E7A_00EF_B17A_E746
    private static let digits = "000102030405060708090a0b0c0d0e0f"

    @Test(arguments: [
        ("ltk:\(digits)", KnownKey.Value.longTerm(key)),
        ("stk:\(digits)", .shortTerm(key)),
        ("tk:\(digits)", .temporary(key)),
        ("irk:\(digits)", .identityResolving(key)),
        ("csrk:\(digits)", .signature(key)),
        ("passkey:000042", .passkey(42)),
        ("session:\(digits)9e7a00efb17ae746", .session(key, vector: vector)),
        ("ead:\(digits)9e7a00efb17ae746", .advertising(key, vector: vector)),
        ("broadcast-code:\(digits)", .broadcastCode(key)),
    ])
    func eachKindIsReadAndWritten(text: String, value: KnownKey.Value) throws {
        #expect(try KeySpec(text).value == value)
        #expect(KeySpec(value).text == text)
    }

    /// The private key of the debug key pair (Vol 3, Part H, 2.3.5.6.1).
    @Test func aPrivateKeyIsReadAndWritten() throws {
        let text = "private:3f49f6d4a3c55f3874c9b3e3d2103f504aff607beb40b7995899b8a6cd3c1abd"
        let spec = try KeySpec(text)
        #expect(spec.value.kind == .privateKey)
        #expect(spec.text == text)
    }

    /// “Børne House” (Vol 3, Part C, 3.2.6).
    @Test func aBroadcastCodeIsReadFromItsText() throws {
        let code = SecretKey(0x0000_0000_6573_756f_4820_656e_72b8_c342)
        #expect(try KeySpec("broadcast-code:Børne House").value == .broadcastCode(code))
        #expect(try KeySpec("broadcast-code:a@b").value == .broadcastCode(SecretKey(0x62_4061)))
    }

    @Test(arguments: [
        "ltk:0x000102030405060708090A0B0C0D0E0F", "LTK:00:01:02:03:04:05:06:07:08:09:0a:0b:0c:0d:0e:0f",
        "ltk:00010203 04050607 08090a0b 0c0d0e0f", "ltk: 000102030405060708090a0b0c0d0e0f",
        "ltk:0x00 0x01 0x02 0x03 0x04 0x05 0x06 0x07 0x08 0x09 0x0a 0x0b 0x0c 0x0d 0x0e 0x0f",
    ])
    func digitsAreReadInEveryCommonForm(text: String) throws {
        #expect(try KeySpec(text).value == .longTerm(Self.key))
    }

    @Test func theAddressIsRead() throws {
        let spec = try KeySpec("irk:\(Self.digits)@C0:11:22:33:44:55")
        #expect(spec.address == Address("c0:11:22:33:44:55"))
        #expect(spec.text == "irk:\(Self.digits)@c0:11:22:33:44:55")
    }

    @Test(arguments: [
        ("", "expected KIND:HEX[@ADDRESS], where KIND is one of ltk"),
        ("0123456789abcdef", "expected KIND:HEX"),
        ("lltk:0123456789abcdef", "expected KIND:HEX"),
        ("ltk:0123456789abcdef", "ltk: expected 32 hexadecimal digits, the most significant byte first"),
        ("ltk:0123456789abcdef0123456789abcdeg", "ltk: expected 32"),
        ("irk:\(digits)@here", "irk: expected an address after @"),
        ("session:\(digits)", "session: expected 48 hexadecimal digits"),
        ("passkey:1000000", "passkey: expected a decimal number, 0 to 999999"),
        ("passkey:-1", "passkey: expected a decimal number"),
        ("broadcast-code:more than sixteen bytes", "broadcast-code: expected a text of 1 to 16 bytes"),
        ("private:\(digits)", "private: expected 64 hexadecimal digits"),
        // The order of the curve is less.
        ("private:\(String(repeating: "f", count: 64))", "private: expected 64 hexadecimal digits"),
    ])
    func aFaultIsNamedWithoutTheDigits(text: String, fault: String) throws {
        do {
            _ = try KeySpec(text)
            Issue.record("\(text) was read")
        } catch {
            #expect("\(error)".hasPrefix(fault))
            #expect(!"\(error)".contains("0123") && !"\(error)".contains("0001"))
        }
    }

    @Test func fourDigitsAreShownOfAKeyAndNoneOfAPasskey() throws {
        #expect(try KeySpec("ltk:\(Self.digits)@c0:11:22:33:44:55").maskedText == "ltk:0001…@c0:11:22:33:44:55")
        #expect(try KeySpec("passkey:123456").maskedText == "passkey:…")
    }

    @Test func aKeyAndItsVectorAreReversedEach() throws {
        let session = try KeySpec("session:\(Self.digits)9e7a00efb17ae746").value
        let reversed = try KeySpec("session:0f0e0d0c0b0a0908070605040302010046e77ab1ef007a9e").value
        #expect(session.reversed == reversed)
        #expect(KnownKey.Value.passkey(1).reversed == nil)
        #expect(KnownKey.Value.longTerm(SecretKey(0)).reversed == nil)
    }
}
