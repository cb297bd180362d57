import Bluetooth
import BluetoothCrypto
import Captures
import Conversation
import Keys
import PDUTestKit
import TestKit
import Testing

/// The air of Bumble's hosts on our radio, opened with the keys that they gave to their controllers: everything opens, and
/// it is what the hosts sent. A script of ours in Python, with CCM of the package cryptography, opens as much.
@Suite(
    .serialized,
    .enabled(
        if: Bumble.interpreter(importing: "bumble.device, cryptography") != nil,
        "no Python here has bumble and cryptography: pip install bumble"))
struct AirDecryptionTests {
    @Test(arguments: [
        "legacy-advertising+secure-connections", "legacy-advertising+passkey", "extended-advertising+legacy-pairing",
        "extended-advertising+numeric-comparison",
    ])
    func theAirIsWhatTheHostsSent(mode: String) async throws {
        let folder = try TemporaryFolder()
        let (hosts, air) = (folder.path("radio.btsnoop"), folder.path("air.pcap"))
        let radio = try RunningRadio(record: hosts, recordAir: air)
        let (status, output) = try Bumble.run("bumble_pair.py", radio.clients + [mode])
        try await radio.end()
        try #require(status == 0, "\(output)")

        let keys = try Self.keys(of: hosts)
        try #require(!keys.isEmpty)
        let ring = KeyRing(keys.map { KnownKey(.longTerm(SecretKey(wireBytes: $0)), origin: .given) })
        let (sent, decryption) = try Self.pdus(of: air, ring)
        #expect(decryption.encrypted > 10)
        #expect(decryption.decrypted == decryption.encrypted)
        #expect(try sent.sorted(by: Self.order) == Self.pdus(of: hosts, KeyRing()).pdus.sorted(by: Self.order))

        let python = Bumble.interpreter(importing: "bumble.device, cryptography")
        let script = try Bumble.run(
            "air_decrypt.py", [air] + keys.map { hexText($0.reversed()) }, python: python)
        #expect(script.status == 0, "\(script.output)")
        #expect(
            script.output.split(separator: "\n").last
                == "opened \(decryption.decrypted) of \(decryption.encrypted)")
    }

    /// The keys of LE Enable Encryption in a capture, least significant byte first.
    private static func keys(of capture: String) throws -> [[UInt8]] {
        var keys: [[UInt8]] = []
        let reader = try CaptureReader(path: capture)
        while let batch = try reader.next() {
            for packet in batch.packets {
                let bytes = Array(batch.bytes[packet.range])
                guard bytes.starts(with: [0x19, 0x20]), bytes.count == 31, !keys.contains(Array(bytes[15...])) else {
                    continue
                }
                keys.append(Array(bytes[15...]))
            }
        }
        return keys
    }

    /// The L2CAP PDUs of a capture: all of the air, those that a host has received.
    private static func pdus(
        of capture: String, _ keys: KeyRing
    ) throws -> (pdus: [[UInt8]], decryption: DecryptionSummary) {
        var pdus: [[UInt8]] = []
        var tracker = Tracker(keys: keys)
        let reader = try CaptureReader(path: capture)
        while let packets = try reader.next() {
            let batch = tracker.track(packets)
            for metadata in batch.metadata where metadata.pdu.isPresent {
                if metadata.kind == .acl, metadata.direction != .received { continue }
                pdus.append(Array(batch.bytes(of: metadata.pdu)))
            }
        }
        return (pdus, tracker.decryption)
    }

    private static func order(_ one: [UInt8], _ other: [UInt8]) -> Bool { one.lexicographicallyPrecedes(other) }
}
