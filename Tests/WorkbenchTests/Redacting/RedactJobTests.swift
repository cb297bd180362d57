import Bluetooth
import BluetoothCrypto
import Bytes
import Captures
import Conversation
import Foundation
import Keys
import PDUTestKit
import Redaction
import TestKit
import Testing

@testable import Workbench

/// Redacted captures: what stays, what is replaced, and how it is undone.
struct RedactJobTests {
    private static let longTermKey = SecretKey(0x4C68_3841_39F5_74D8_36BC_F34E_9DFB_01BF)
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func redact(
        _ source: String, to name: String, _ change: (inout RedactJob) -> Void = { _ in }
    ) async throws -> (path: String, report: RedactJob.Report) {
        var job = RedactJob()
        job.plugins = try PluginLibrary.builtIn().plugins
        job.options = RedactionOptions(secret: SecretKey(0x0102_0304_0506_0708), weeks: 100)
        change(&job)
        let path = folder.path(name)
        let format = try #require(CaptureFormat(forPath: name))
        return (path, try await job.run(CaptureReader(path: source), to: path, as: format))
    }

    private func tracked(_ path: String, _ keys: KeyRing = KeyRing()) throws -> [TrackedBatch] {
        var tracker = Tracker(keys: keys)
        let reader = try CaptureReader(path: path)
        var batches: [TrackedBatch] = []
        while let batch = try reader.next() { batches.append(tracker.track(batch)) }
        return batches
    }

    private func packets(_ path: String) throws -> [[UInt8]] {
        try tracked(path).flatMap { batch in batch.packets.packets.map { Array(batch.packets.bytes(of: $0)) } }
    }

    private func times(_ path: String) throws -> [Timestamp] {
        try tracked(path).flatMap { $0.packets.packets.map(\.time) }
    }

    /// A session of a heart rate sensor, with its discovery, over HCI.
    private func session() -> HCISession {
        let session = HCISession()
        session.readAddress(Cast.phone.address)
        session.report(Cast.puck, [.flags([]), .completeLocalName("Anna's Belt 4711")])
        let link = session.connect(to: Cast.puck)
        link.discover(Cast.heartRate)
        link.notify(Cast.heartRate[0x2A37], [0x00, 143])
        link.write(Handle(0x0020), Array("geheim".utf8))
        link.disconnect()
        return session
    }

    @Test func lengthsHandlesAndOrderStay() async throws {
        let source = try folder.file("source.btsnoop", session().recording.btsnoop())
        let (path, report) = try await redact(source, to: "share.btsnoop")
        let (before, after) = (try packets(source), try packets(path))
        #expect(before.count == after.count && report.packets == before.count)
        #expect(before.map(\.count) == after.map(\.count))
        #expect(before != after)
        let (opcodes, redacted) = (try attributes(source), try attributes(path))
        #expect(opcodes == redacted && opcodes.count > 8)
    }

    /// Opcode and handle of each ATT PDU.
    private func attributes(_ path: String) throws -> [[UInt16]] {
        try tracked(path).flatMap { batch in
            batch.metadata.compactMap { metadata in
                metadata.attribute.map { [UInt16($0.opcode.rawValue), $0.handle.rawValue] }
            }
        }
    }

    @Test func allTimesMoveByTheSameWeeks() async throws {
        let source = try folder.file("source.btsnoop", session().recording.btsnoop())
        let (path, _) = try await redact(source, to: "share.btsnoop")
        let shift = TimeSpan(nanoseconds: 100 * 7 * 86_400 * 1_000_000_000)
        #expect(try times(path) == times(source).map { $0 - shift })
    }

    @Test func equalCapturesDifferWithAnotherSecret() async throws {
        let source = try folder.file("source.btsnoop", session().recording.btsnoop())
        let first = try await redact(source, to: "first.btsnoop").path
        let again = try await redact(source, to: "again.btsnoop").path
        let other = try await redact(source, to: "other.btsnoop") {
            $0.options = RedactionOptions(secret: SecretKey(77), weeks: 100)
        }.path
        #expect(try packets(first) == packets(again))
        #expect(try packets(first) != packets(other))
    }

    @Test func theMapUndoesIt() async throws {
        let recording = session().recording
        recording.comment("at Anna's desk")
        let source = try folder.file("source.pcapng", recording.file(.pcapng, .h4WithDirection))
        let map = folder.path("private.map")
        let (path, report) = try await redact(source, to: "share.pcapng") { $0.map = map }
        #expect(report.counts[.comment] == 1)
        let mode = try FileManager.default.attributesOfItem(atPath: map)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let restored = folder.path("restored.pcapng")
        let count = try RestoreJob().run(CaptureReader(path: path), map: map, to: restored, as: .pcapng)
        #expect(count == report.packets)
        #expect(try packets(restored) == packets(source))
        #expect(try times(restored) == times(source))
        #expect(try comments(restored) == ["at Anna's desk"])
        #expect(try comments(path) == [])
    }

    private func comments(_ path: String) throws -> [String] {
        try tracked(path).flatMap { batch in batch.packets.packets.flatMap { batch.packets.comments(of: $0) } }
    }

    @Test func aMapOfAnotherCaptureIsRefused() async throws {
        let source = try folder.file("source.btsnoop", session().recording.btsnoop())
        let map = folder.path("private.map")
        _ = try await redact(source, to: "share.btsnoop") { $0.map = map }
        let other = try await redact(source, to: "other.btsnoop") {
            $0.options = RedactionOptions(secret: SecretKey(5), weeks: 60)
        }.path
        let error = #expect(throws: CaptureError.self) {
            try RestoreJob().run(
                CaptureReader(path: other), map: map, to: folder.path("restored.btsnoop"), as: .btsnoop)
        }
        #expect(error?.description.contains("are not those that the map has") ?? false)
    }

    @Test(arguments: ["", "no map\n", "{\"format\":\"gattbench redaction map\",\"version\":2}\n"])
    func aFileThatIsNoMapIsRefused(text: String) throws {
        #expect(throws: CaptureError.self) { try RedactionMap.read(Array(text.utf8), file: "x.map") }
    }

    @Test func theInputIsNotOverwritten() async throws {
        let source = try folder.file("source.btsnoop", session().recording.btsnoop())
        await #expect(throws: CaptureError.self) { try await redact(source, to: "source.btsnoop") }
        await #expect(throws: CaptureError.self) { try await redact(source, to: "a.btsnoop") { $0.map = source } }
    }

    // MARK: On the air

    private func airSession() -> AirSession {
        let air = AirSession()
        air.advertise(Cast.puck, [.flags([]), .completeLocalName("Anna's Belt 4711")])
        let link = air.connect(Cast.phone, to: Cast.puck)
        link.carry(hex("0300 0400 02 1700"), .sent)
        link.encrypt(with: Self.longTermKey)
        link.carry(hex("0300 0400 0a 0600"), .sent)
        link.fate = .missed
        link.carry(hex("0900 0400 0b 6263646566676869"), .received)
        link.disconnect()
        return air
    }

    @Test(arguments: [LinkType.linkLayer, .linkLayerWithHeader])
    func everyCRCIsRightAgain(linkType: LinkType) async throws {
        let source = try folder.file("source.pcapng", airSession().recording.file(.pcapng, linkType))
        let (path, _) = try await redact(source, to: "share.pcapng")
        var count = 0
        for batch in try tracked(path) {
            for metadata in batch.metadata {
                let packet = try #require(batch.linkLayer(of: metadata))
                let isAdvertising = packet.header.accessAddress == .advertising
                let frame = batch.packets.bytes.span.extracting(metadata.packet.range)
                let initial = isAdvertising ? LL.advertisingCRCInit : 0x3C_5AA5
                #expect(packet.header.check(in: frame.rawBytes, initial: initial) == .valid)
                count += 1
            }
        }
        #expect(count > 8)
    }

    @Test func encryptedPacketsStayEncryptedWithoutAKey() async throws {
        let source = try folder.file("source.pcapng", airSession().recording.file(.pcapng, .linkLayerWithHeader))
        let (path, report) = try await redact(source, to: "share.pcapng")
        #expect(report.counts[.decrypted] == 0 && report.counts[.encrypted] > 0)
        #expect(try notes(path, .encrypted) == notes(source, .encrypted))
        #expect(try notes(path, .retransmission) == notes(source, .retransmission))
    }

    @Test func packetsThatAKeyOpensAreWrittenAsRedactedPlainText() async throws {
        let source = try folder.file("source.pcapng", airSession().recording.file(.pcapng, .linkLayerWithHeader))
        let map = folder.path("private.map")
        let (path, report) = try await redact(source, to: "share.pcapng") {
            $0.keys = KeyRing([KnownKey(.longTerm(Self.longTermKey), origin: .given)])
            $0.map = map
        }
        #expect(report.counts[.decrypted] > 0)
        #expect(try notes(path, .encrypted) == [])
        #expect(try attributes(path).contains([0x0B, 0x0006]))
        #expect(try !folder.bytes("share.pcapng").contains(hex("6263646566676869")))
        let restored = folder.path("restored.pcapng")
        _ = try RestoreJob().run(CaptureReader(path: path), map: map, to: restored, as: .pcapng)
        #expect(try packets(restored) == packets(source))
    }

    /// The numbers of the frames with a note.
    private func notes(_ path: String, _ note: FrameMetadata.Notes) throws -> [Int] {
        try tracked(path).flatMap { $0.metadata.filter { $0.notes.contains(note) }.map(\.packet.number) }
    }

    // MARK: Several packets

    @Test func aFragmentedPDUIsRedactedAsAWhole() async throws {
        let session = HCISession()
        let link = session.connect(to: Cast.puck)
        link.discover(Cast.battery)
        link.fragmentation = .every(7)
        link.read(Cast.battery[0x2A00], Array("Anna's Belt 4711".utf8))
        link.notify(Cast.battery[0x2A19], [98])
        let source = try folder.file("source.btsnoop", session.recording.btsnoop())
        let (path, _) = try await redact(source, to: "share.btsnoop")
        #expect(try attributes(path) == attributes(source))
        var values: [[UInt8]] = []
        for batch in try tracked(path) {
            for metadata in batch.metadata where metadata.attribute?.opcode == .readResponse {
                values.append(Array(batch.bytes(of: metadata.attPDU).dropFirst()))
            }
        }
        let name = try #require(values.first { $0.count == 16 })
        #expect(String(validating: name, as: UTF8.self)?.contains("'") ?? false)
        #expect(name != Array("Anna's Belt 4711".utf8))
    }
}
