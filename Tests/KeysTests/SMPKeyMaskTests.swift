import Keys
import PDUTestKit
import Testing

/// Masking of the keys that the Security Manager distributes.
struct SMPKeyMaskTests {
    private let stream = SMPKeyMask.Stream(connection: 0, isFromCentral: false)

    private func masked(_ text: String) -> [UInt8] {
        var pdu = hex(text)
        _ = SMPKeyMask.mask(&pdu)
        return pdu
    }

    @Test(arguments: [
        ("Encryption Information", "1100 0600 06"), ("Identity Information", "1100 0600 08"),
        ("Signing Information", "1100 0600 0a"), ("Identity Information over BR/EDR", "1100 0700 08"),
    ])
    func aDistributedKeyIsZeros(name: String, head: String) {
        let key = " a1a2a3a4a5a6a7a8a9aaabacadaeafb0"
        #expect(masked(head + key) == hex(head + " 00000000000000000000000000000000"), "\(name)")
    }

    @Test(arguments: [
        ("Central Identification", "0b00 0600 07 2b1a efcdab8967452301"),
        ("Identity Address Information", "0800 0600 09 01 0100eeffc0c0"),
        ("Pairing Random", "1100 0600 04 a1a2a3a4a5a6a7a8a9aaabacadaeafb0"),
        ("a notification", "0700 0400 1b 0600 08080808"), ("no PDU", "1100"),
    ])
    func othersStay(name: String, pdu: String) {
        #expect(masked(pdu) == hex(pdu), "\(name)")
    }

    @Test func bytesAfterThePDUStay() {
        #expect(masked("0300 0600 06 a1a2 ffff") == hex("0300 0600 06 0000 ffff"))
    }

    @Test(arguments: 1...21)
    func aFragmentedKeyIsZerosAtEverySize(size: Int) {
        let pdu = hex("1100 0600 08 a1a2a3a4a5a6a7a8a9aaabacadaeafb0")
        var mask = SMPKeyMask()
        var result: [UInt8] = []
        for start in stride(from: 0, to: pdu.count, by: size) {
            var fragment = Array(pdu[start..<min(start + size, pdu.count)])
            _ = mask.mask(&fragment, isFirst: start == 0, of: stream)
            // The other direction does not disturb it.
            var other = hex("0300 0400 1e 06 00")
            #expect(!mask.mask(&other, isFirst: true, of: .init(connection: 0, isFromCentral: true)))
            result += fragment
        }
        #expect(result == hex("1100 0600 08 00000000000000000000000000000000"))
        #expect(mask.count == 1)
    }

    @Test func aFragmentThatIsRepeatedIsMaskedAgain() {
        var mask = SMPKeyMask()
        for isRepeated in [false, true] {
            var first = hex("1100 0600 08 a1a2a3a4")
            #expect(mask.mask(&first, isFirst: true, isRepeated: isRepeated, of: stream))
            #expect(first == hex("1100 0600 08 00000000"))
        }
        for isRepeated in [false, true] {
            var rest = hex("a5a6a7a8a9aaabacadaeafb0")
            #expect(mask.mask(&rest, isFirst: false, isRepeated: isRepeated, of: stream))
            #expect(rest.allSatisfy { $0 == 0 })
        }
        #expect(mask.count == 1)
    }

    @Test func aContinuationWithoutABeginningStays() {
        var mask = SMPKeyMask()
        var fragment = hex("a1a2a3")
        #expect(!mask.mask(&fragment, isFirst: false, of: stream))
        #expect(fragment == hex("a1a2a3"))
    }
}
