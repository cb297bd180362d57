import Bluetooth
import Testing

/// Device addresses as text: six hexadecimal bytes, most significant first.
struct AddressTests {
    @Test(arguments: ["e4:6f:aa:c4:a3:b4", "E4:6F:AA:C4:A3:B4"])
    func mostSignificantByteIsFirst(text: String) {
        #expect(Address(text)?.value == 0xE46F_AAC4_A3B4)
    }

    @Test(arguments: [
        "", "e4:6f:aa:c4:a3", "e4:6f:aa:c4:a3:b4:00", "e4:6f:aa:c4:a3:", "e4:6f:aa:c4:a3:4", "e4:6f:aa:c4:a3:0b4",
        "e4:6f:aa:c4:a3:bg", "g4:6f:aa:c4:a3:b4", "+4:6f:aa:c4:a3:b4", "-4:6f:aa:c4:a3:b4", "e4-6f-aa-c4-a3-b4",
        "e46faac4a3b4", "\u{FF11}:6f:aa:c4:a3:b4",
    ])
    func anythingElseIsNone(text: String) {
        #expect(Address(text) == nil)
    }
}
