import PluginKit
import Testing

@testable import Emulation

struct EmulationEventTests {
    @Test(arguments: [(0, "000000"), (42, "000042"), (999_999, "999999")] as [(UInt32, String)])
    func aPasskeyHasSixDigits(_ passkey: UInt32, _ digits: String) {
        #expect(TwinNote.passkey(passkey) == TwinNote("passkey", ["digits": .text(digits)]))
    }
}
