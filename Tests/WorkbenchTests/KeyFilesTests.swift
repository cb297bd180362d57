import Bluetooth
import BluetoothCrypto
import Captures
import Glibc
import Keys
import PDUTestKit
import TestKit
import Testing
import Workbench

/// Files of keys on disk, and the list of keys that `gattbench keys` prints.
struct KeyFilesTests {
    private let line = "ltk:0102030405060708090a0b0c0d0e0f10@c0:11:22:33:44:55\n"
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The warnings about a file with these permissions.
    private func warnings(_ permissions: mode_t, shownAs name: String? = nil) throws -> [String] {
        let path = try folder.file("my.keys", line.utf8)
        chmod(path, permissions)
        var warnings: [String] = []
        let keys = try KeyFiles.read(path, shownAs: name) { warnings.append($0) }
        #expect(keys.count == 1)
        #expect(keys.first?.origin == (name == nil ? .file(path) : .given))
        return warnings
    }

    @Test func aFileThatOthersMayReadGetsAWarning() throws {
        #expect(try warnings(0o600).isEmpty)
        #expect(try warnings(0o640).count == 1)
        let path = folder.path("my.keys")
        #expect(try warnings(0o604) == ["\(path): other users may read its keys; forbid it: chmod 600 \(path)"])
    }

    @Test func aPathThatIsNotShownIsInNoMessage() throws {
        let warning = "GATTBENCH_KEYS: other users may read its keys; forbid it: chmod 600 FILE"
        #expect(try warnings(0o644, shownAs: "GATTBENCH_KEYS") == [warning])
        do {
            _ = try KeyFiles.read(folder.path("missing"), shownAs: "GATTBENCH_KEYS") { _ in }
            Issue.record("the file was read")
        } catch {
            #expect("\(error)".hasPrefix("GATTBENCH_KEYS: "))
            #expect(!"\(error)".contains("missing"))
        }
    }

    @Test func keysAreListedMaskedUnlessTheyAreShown() throws {
        let key = SecretKey(0x0102_0304_0506_0708_090a_0b0c_0d0e_0f10)
        let name = KnownKey.LegacyName(encryptedDiversifier: 7, random: 9)
        var ring = KeyRing([
            KnownKey(.longTerm(key), address: Address("c0:11:22:33:44:55"), name: name, origin: .file("info"))
        ])
        ring.addReversedCandidates()
        var listing = KeyListing(ring)
        listing.add([KnownKey(.passkey(123_456), origin: .given), KnownKey(.longTerm(key), origin: .given)])
        #expect(listing.count == 2)
        #expect(
            listing.text(isShown: false) == """
                KIND     KEY    DEVICE             SOURCE  OPENS
                ltk      0102…  c0:11:22:33:44:55  info    encrypted connections
                passkey  …      any                given   legacy pairings

                """)
        #expect(listing.text(isShown: true).contains("0102030405060708090a0b0c0d0e0f10"))
        #expect(
            listing.json(isShown: false) == """
                {
                  "keys": [
                    {
                      "kind": "ltk",
                      "key": "0102…",
                      "device": "c0:11:22:33:44:55",
                      "ediv": 7,
                      "rand": "0000000000000009",
                      "source": "info",
                      "opens": "encrypted connections"
                    },
                    {
                      "kind": "passkey",
                      "key": "…",
                      "source": "given",
                      "opens": "legacy pairings"
                    }
                  ]
                }

                """)
        #expect(listing.json(isShown: true).contains("\"123456\""))
    }
}
