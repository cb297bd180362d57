import Bluetooth
import BluetoothCrypto
import Bytes
import Captures
import Conversation
import Foundation
import Keys
import PDUTestKit
import TestKit
import Testing
import Workbench

/// Conversion of encrypted captures to plain text.
struct ConvertJobTests {
    private static let identityKey = hex("a1a2a3a4a5a6a7a8a9aaabacadaeafb0")
    private static let longTermKey = SecretKey(0x4C68_3841_39F5_74D8_36BC_F34E_9DFB_01BF)
    private let ring = KeyRing([KnownKey(.longTerm(longTermKey), origin: .given)])
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A session with an ATT request and response, a long notification in fragments, retransmissions, and a key
    /// that the peripheral distributes.
    private func session(repeats: Bool = true) -> AirSession {
        let air = AirSession()
        let link = air.connect(Cast.phone, to: Cast.puck)
        link.carry(hex("0300 0400 02 1700"), .sent)
        link.encrypt(with: Self.longTermKey)
        if repeats { link.fate = .missed }
        link.carry(hex("1100 0600 08") + Self.identityKey, .received)
        link.carry(hex("0300 0400 0a 0600"), .sent)
        link.carry(hex("0300 0400 0b 6263"), .received)
        if repeats { link.fate = .missed }
        link.carry(hex("0700 0400 1b 0600 64656667"), .received)
        link.carry(hex("2100 0400 1b 0600") + Array(1...30), .received)
        link.disconnect()
        return air
    }

    private func convert(_ source: String, to name: String, _ change: (inout ConvertJob) -> Void = { _ in }) throws
        -> (path: String, report: ConvertJob.Report)
    {
        var job = ConvertJob(.pcapng)
        job.keys = ring
        change(&job)
        let path = folder.path(name)
        return (path, try job.run(try CaptureReader(path: source), to: path))
    }

    private func source(_ linkType: LinkType = .linkLayerWithHeader, repeats: Bool = true) throws -> String {
        try folder.file("source.pcapng", session(repeats: repeats).recording.file(.pcapng, linkType))
    }

    /// The bytes of the packets of a file.
    private func packets(_ path: String) throws -> [[UInt8]] {
        try tracked(path).flatMap { batch in batch.packets.packets.map { Array(batch.packets.bytes(of: $0)) } }
    }

    /// The packets of a file as it was tracked.
    private func tracked(_ path: String, _ keys: KeyRing = KeyRing()) throws -> [TrackedBatch] {
        var tracker = Tracker(keys: keys)
        let reader = try CaptureReader(path: path)
        var batches: [TrackedBatch] = []
        while let batch = try reader.next() { batches.append(tracker.track(batch)) }
        return batches
    }

    /// The ATT PDUs, by frame.
    private func attributes(_ path: String, _ keys: KeyRing = KeyRing()) throws -> [[UInt8]] {
        try tracked(path, keys).flatMap { batch in
            batch.metadata.filter { $0.attribute != nil }.map { Array(batch.bytes(of: $0.attPDU)) }
        }
    }

    /// The number of PDUs of a file that the key opens, retransmissions included.
    private func decrypted(_ path: String) throws -> Int {
        let count = try tracked(path, ring).reduce(0) { $0 + $1.metadata.count(where: \.plain.isPresent) }
        try #require(count > 8)
        return count
    }

    @Test(arguments: [LinkType.linkLayerWithHeader, .linkLayer])
    func theResultHasTheSameATTPDUsWithoutKeys(linkType: LinkType) throws {
        let source = try source(linkType)
        let (path, report) = try convert(source, to: "plain.pcapng")
        let expected = try attributes(source, ring)
        #expect(expected.count == 5)
        #expect(try attributes(path) == expected)
        #expect(try attributes(source).count == 1)
        #expect(report.conversion.target.linkType == .linkLayerWithHeader)
        #expect(report.conversion.packetsWritten == report.conversion.packetsRead)
        #expect(try report.decrypted == decrypted(source))
    }

    @Test func decryptedPacketsAreMarkedAndHaveTheirOwnCRC() throws {
        let source = try source()
        let (path, _) = try convert(source, to: "plain.pcapng")
        var count = 0
        for batch in try tracked(path) {
            for metadata in batch.metadata {
                let packet = try #require(batch.linkLayer(of: metadata))
                guard packet.header.accessAddress != .advertising else { continue }
                #expect(packet.capture.crc == .valid)
                let frame = batch.packets.bytes.span.extracting(metadata.packet.range)
                #expect(packet.header.check(in: frame.rawBytes, initial: 0x3C_5AA5) == .valid)
                #expect(metadata.notes.isDisjoint(with: [.encrypted, .undecidedEncryption]))
                if packet.capture.isDecrypted {
                    count += 1
                    #expect(packet.capture.mic == .valid)
                }
            }
        }
        #expect(try count == decrypted(source))
    }

    @Test func distributedKeysAreZerosUnlessTheyAreWanted() throws {
        let source = try source()
        let masked = try convert(source, to: "masked.pcapng")
        #expect(masked.report.maskedKeys == 1)
        #expect(try !folder.bytes("masked.pcapng").contains(Self.identityKey))
        let whole = try convert(source, to: "whole.pcapng") { $0.keepsDistributedKeys = true }
        #expect(whole.report.maskedKeys == 0)
        #expect(try folder.bytes("whole.pcapng").contains(Self.identityKey))
    }

    @Test func aKeyThatTheRecorderDecryptedIsMaskedToo() throws {
        let air = AirSession()
        let link = air.connect(Cast.phone, to: Cast.puck)
        link.encrypt()
        link.decryption = .flagged
        link.carry(hex("1100 0600 08") + Self.identityKey, .received)
        let source = try folder.file("source.pcapng", air.recording.file(.pcapng, .linkLayerWithHeader))
        let (_, report) = try convert(source, to: "masked.pcapng")
        #expect(report.maskedKeys == 1)
        #expect(try !folder.bytes("masked.pcapng").contains(Self.identityKey))
    }

    @Test func whatNoKeyOpensIsWrittenAsItIs() throws {
        let source = try source()
        let (path, report) = try convert(source, to: "closed.pcapng") {
            $0.keys = KeyRing([KnownKey(.longTerm(SecretKey(1)), origin: .given)])
        }
        #expect(report.decrypted == 0)
        #expect(try packets(path) == packets(source))
    }

    @Test func onlyItsOwnerCanReadTheFile() throws {
        let source = try source()
        try folder.file("plain.pcapng", [])
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: folder.path("plain.pcapng"))
        for name in ["plain.pcapng", "new.pcapng"] {
            let (path, _) = try convert(source, to: name)
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test func aLinkTypeWithoutMarksIsRefused() throws {
        let source = try source()
        #expect {
            try convert(source, to: "plain.pcapng") { $0.linkType = .linkLayer }
        } throws: { error in
            (error as? CaptureError)?.kind == .wrongTarget
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path("plain.pcapng")))
    }

    @Test func anHCICaptureIsCopied() throws {
        let capture = try Capture([(.received, "02 4020 0700 0300 0400 0a 0600")])
        let plain = try convert(capture.path, to: "plain.pcapng")
        let copy = try convert(capture.path, to: "copy.pcapng") { $0.keys = nil }
        #expect(plain.report.decrypted == 0)
        #expect(try folder.bytes("plain.pcapng") == folder.bytes("copy.pcapng"))
        #expect(plain.report.conversion.target == copy.report.conversion.target)
    }

    @Test(.enabled(if: Tshark.path != nil, "tshark is not installed"))
    func tsharkReadsTheSameATTPDUs() async throws {
        // tshark dissects retransmissions again.
        let (path, _) = try convert(try source(repeats: false), to: "plain.pcapng")
        let fields = ["frame.number", "btatt.opcode", "btatt.handle", "btatt.value", "btsmp.opcode"]
        var options = DecodeOptions()
        options.format = .fields
        options.fields = fields
        let own = try await decode(path, options).split(separator: "\n").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
        #expect(own.filter { !$0[1].isEmpty }.count == 5)
        #expect(try Tshark.fields(fields, of: path) == own)
    }
}
