import BluetoothCrypto
import Captures
import Conversation
import Foundation
import Keys
import PDUTestKit
import Testing

private enum CrackleTests {
    static let folder = ProcessInfo.processInfo.environment["GATTBENCH_CRACKLE"]
}

/// Encrypted captures of the tests of crackle (https://github.com/mikeryan/crackle, folder `tests`), whose documents name the
/// keys. They are not part of this project: GATTBENCH_CRACKLE names a checkout's folder.
@Suite(.enabled(if: CrackleTests.folder != nil, "GATTBENCH_CRACKLE does not name the tests folder of crackle"))
struct PublicCapturesTests {
    private func decryption(of file: String, _ keys: KeyRing) throws -> DecryptionSummary {
        var tracker = Tracker(keys: keys)
        let reader = try CaptureReader(path: "\(CrackleTests.folder ?? "")/\(file)")
        while let packets = try reader.next() { _ = tracker.track(packets) }
        return tracker.decryption
    }

    private static func ring(_ key: String) -> KeyRing {
        KeyRing([KnownKey(.longTerm(SecretKey(number(key))), origin: .given)])
    }

    /// Just Works: the keys follow from the pairing in the capture.
    @Test(arguments: ["01_crack/pairing_and_ltk_exchange.pcap", "03_stk_brute/missing_confirms.pcap"])
    func pairingIsOpened(file: String) throws {
        let decryption = try decryption(of: file, KeyRing())
        #expect(decryption.encrypted > 0)
        #expect(decryption.decrypted == decryption.encrypted)
    }

    @Test func aGivenKeyOpens() throws {
        let file = "02_ltk_decrypt/known_ltk.pcap"
        let decryption = try decryption(of: file, Self.ring("7f62c053f104a5bbe68b1d896a2ed49c"))
        #expect(decryption.encrypted > 0)
        #expect(decryption.decrypted == decryption.encrypted)
        let wrong = try self.decryption(of: file, Self.ring("00112233445566778899aabbccddeeff"))
        #expect(wrong.decrypted == 0)
        #expect(wrong.undecrypted.map(\.reason) == [.noKeyFits])
    }

    @Test func aPasskeyIsCracked() throws {
        let file = "05_numeric_pin/numeric_pin.pcap"
        #expect(try decryption(of: file, KeyRing()).decrypted == 0)
        var ring = KeyRing()
        ring.isCracking = true
        let decryption = try decryption(of: file, ring)
        #expect(decryption.encrypted > 50)
        #expect(decryption.decrypted == decryption.encrypted)
    }

    @Test func secureConnectionsStayClosed() throws {
        let decryption = try decryption(of: "04_le_secure_connections/le_secure_connections.pcapng", KeyRing())
        #expect(decryption.encrypted > 50)
        #expect(decryption.decrypted == 0)
        #expect(decryption.undecrypted.map(\.reason) == [.noKey])
    }
}
