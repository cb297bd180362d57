import Bluetooth
import Captures
import Conformance
import Conversation
import PDUTestKit
import TestKit
import Testing
import Workbench

/// Two third-party hosts on our radio: they find each other, connect, exchange data, pair and reconnect.
@Suite(.serialized, .enabled(if: Bumble.python != nil, "\(Bumble.isMissing)"))
struct BumbleRadioTests {
    @Test(arguments: [
        "legacy-advertising+secure-connections", "legacy-advertising+passkey", "extended-advertising+legacy-pairing",
        "extended-advertising+numeric-comparison",
    ])
    func twoHostsMeet(mode: String) async throws {
        let folder = try TemporaryFolder()
        let capture = folder.path("radio.btsnoop")
        let air = folder.path("air.pcapng")
        let radio = try RunningRadio(record: capture, recordAir: air)
        let (status, output) = try Bumble.run("bumble_pair.py", radio.clients + [mode])
        try await radio.end()
        #expect(status == 0, "\(output)")
        #expect(output.split(separator: "\n").count { $0.hasPrefix("ok ") } >= 11, "\(output)")
        var packets = 0
        let reader = try CaptureReader(path: capture)
        while let batch = try reader.next() { packets += batch.packets.count }
        #expect(packets > 500)
        if Tshark.path != nil {
            #expect(try Tshark.run(["-r", capture, "-Y", "_ws.malformed"]).isEmpty)
            // Ciphertext that tshark takes for plain text is malformed; AirDecryptionTests opens it.
            let faulty = "btle.crc.incorrect || (_ws.malformed && btle.advertising_header)"
            #expect(try Tshark.run(["-r", air, "-Y", faulty]).isEmpty)
        }
        try expectAir(air, agreesWith: capture)
    }

    /// Each connection of the hosts' capture is on the air, and encryption starts when the hosts enable it.
    private func expectAir(_ air: String, agreesWith capture: String) throws {
        var enabled = 0
        var connections = 0
        let hosts = try CaptureReader(path: capture)
        while let batch = try hosts.next() {
            for packet in batch.packets {
                let bytes = Array(batch.bytes[packet.range])
                // LE Enable Encryption; LE Enhanced Connection Complete of a central, with success.
                if bytes.starts(with: [0x19, 0x20]) { enabled += 1 }
                if bytes.count > 6, bytes[0] == 0x3E, bytes[2] == 0x0A || bytes[2] == 0x01, bytes[3] == 0, bytes[6] == 0
                {
                    connections += 1
                }
            }
        }
        var (requests, starts) = (Set<[UInt8]>(), 0)
        var last: [UInt8] = []
        let sniffer = try CaptureReader(path: air)
        while let batch = try sniffer.next() {
            for packet in batch.packets {
                // Without the pseudo-header; LE Coded is not used.
                let bytes = Array(batch.bytes[packet.range].dropFirst(10))
                let isAdvertising = bytes.starts(with: [0xD6, 0xBE, 0x89, 0x8E])
                if isAdvertising, bytes[4] & 0x0F == 5 { requests.insert(Array(bytes[18..<22])) }
                // LL_START_ENC_REQ is not encrypted; NESN, SN and MD are bits 2 to 4.
                if !isAdvertising, bytes[4] & 3 == 3, bytes[5] == 1, bytes[6] == 5, bytes != last { starts += 1 }
                last = bytes
            }
        }
        #expect(connections > 0 && requests.count == connections)
        #expect(starts > 0 && starts <= enabled)
    }

    /// The capture has both ends of the link, so each PDU occurs twice.
    @Test func enhancedBearersAreReadAndJudged() async throws {
        let folder = try TemporaryFolder()
        let capture = folder.path("radio.btsnoop")
        let radio = try RunningRadio(record: capture)
        let (status, output) = try Bumble.run("bumble_eatt.py", radio.clients)
        try await radio.end()
        #expect(status == 0, "\(output)")
        let follower = ConversationTracker(.none)
        var longValues: Set<UInt8> = []
        var notifications = 0
        let reader = try CaptureReader(path: capture)
        while let packets = try reader.next() {
            var batch = TrackedBatch()
            batch.fill(packets)
            follower.follow(&batch)
            for metadata in batch.metadata where metadata.bearer > 0 {
                switch metadata.attribute?.opcode {
                case .readResponse? where batch.value(of: metadata)?.count == 200: longValues.insert(metadata.bearer)
                case .handleValueNotification? where batch.value(of: metadata)?.count == 20: notifications += 1
                default: break
                }
            }
        }
        #expect(longValues.count == 2)
        #expect(notifications == 200)
        let outcome = try await CheckJob().run(CaptureReader(path: capture)) { _ in true }
        #expect(outcome.report.outcome(isStrict: true) == .obeyed)
    }
}
