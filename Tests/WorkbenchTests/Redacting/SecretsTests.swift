import Bluetooth
import BluetoothCrypto
import Bytes
import Captures
import Conversation
import Foundation
import PDUTestKit
import Redaction
import TestKit
import Testing

@testable import Workbench

/// Secrets of every kind are put into captures; no redacted file, report or error has one of them in any form.
struct SecretsTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    // MARK: Secrets

    /// Sixteen bytes that occur nowhere else.
    private static func key(_ description: String, _ number: UInt8) -> Secret {
        Secret(description, (0..<16).map { (number &* 31) ^ UInt8($0) &* 37 &+ 0x53 })
    }

    private static let confirm = key("Confirm Value", 1)
    private static let random = key("Random Value", 2)
    private static let publicX = key("public key", 3)
    private static let publicY = key("public key, other half", 4)
    private static let dhKeyCheck = key("DHKey Check", 5)
    private static let longTermKey = key("Long Term Key", 6)
    private static let identityKey = key("Identity Resolving Key", 7)
    private static let signatureKey = key("signature key", 8)
    private static let hostKey = key("key of LE Enable Encryption", 9)
    private static let replyKey = key("key of a reply", 10)
    private static let linkKey = key("link key", 11)
    private static let pin = key("PIN", 12)
    private static let listKey = key("key of the resolving list", 13)
    private static let cipherKey = key("key of LE Encrypt", 14)
    private static let value = key("value", 15)
    private static let vendor = key("vendor parameter", 16)
    private static let advertised = key("manufacturer data", 17)
    private static let longValue = Secret("long value", (0..<40).map { UInt8($0) &* 41 ^ 0xC6 })
    private static let randomNumber = Secret("Rand", hex("e1b4c7920d5f6a38"))
    private static let name = Secret("name", text: "Annegret's Phone")
    private static let localName = Secret("local name", text: "wintermute-laptop")
    private static let remoteName = Secret("remote name", text: "Headset of Bertram")
    /// Latitude and longitude (Indoor Positioning Service, 2.1).
    private static let position = Secret("position", hex("71a25b3f 0d94c7e6"))
    private static let heartRate = Secret("heart rate, energy and intervals", hex("e9 7d31 9403 b702"))
    private static let comment = Secret("comment", text: "recorded in Elm Street 12")
    private static let interface = Secret("interface", text: "usb-serial-7F3A99")
    private static let note = Secret("note", text: "host deepthought ready")
    private static let peer = Address(value: 0xD4_B5C6_A7E819)
    private static let ownAddress = Address(value: 0x3C_9F71_0B62D5)

    private static func secret(_ address: Address) -> Secret {
        Secret("address", (0..<6).map { UInt8(truncatingIfNeeded: address.value >> (8 * UInt64($0))) })
    }

    private func number(_ secret: Secret) -> UInt128 { secret.bytes.reversed().reduce(0) { $0 << 8 | UInt128($1) } }

    // MARK: Sessions

    private func hostSession() -> (recording: Recording, secrets: [Secret]) {
        let session = HCISession()
        session.readAddress(Self.ownAddress)
        let addressBytes = Self.secret(Self.peer).bytes
        let padding = [UInt8](repeating: 0, count: 248)
        session.command([0x13, 0x0C, 248] + (Self.localName.bytes + padding).prefix(248))
        session.event([0x07, 255, 0] + addressBytes + (Self.remoteName.bytes + padding).prefix(248))
        session.command([0x0B, 0x04, 22] + addressBytes + Self.linkKey.bytes)
        session.event([0x18, 23] + addressBytes + Self.linkKey.bytes + [4])
        session.command([0x0D, 0x04, 23] + addressBytes + [16] + Self.pin.bytes)
        session.command([0x27, 0x20, 39, 1] + addressBytes + Self.listKey.bytes + Self.identityKey.bytes)
        session.command([0x17, 0x20, 32] + Self.cipherKey.bytes + Self.value.bytes)
        session.command([0x01, 0xFC, 16] + Self.vendor.bytes)
        let device = DeviceAddress(Self.peer, .random)
        session.report(
            device,
            [
                .flags([]), .completeLocalName(String(decoding: Self.name.bytes, as: UTF8.self)),
            ])
        session.report(device, [.manufacturerData(company: 0x004C, Self.advertised.bytes)], type: 4)
        session.report(device, [.init(.indoorPositioning, [0x01] + Self.position.bytes)])
        let link = session.connect(to: device)
        link.discover(Cast.battery)
        link.read(Cast.battery[0x2A00], Self.name.bytes)
        pair(link)
        let handle = ByteWriter.bytes { $0.write(link.handle) }
        session.command(
            [0x19, 0x20, 28] + handle + Self.randomNumber.bytes + [0x5A, 0xA5] + Self.hostKey.bytes)
        session.command([0x1A, 0x20, 18] + handle + Self.replyKey.bytes)
        link.write(Handle(0x0030), Self.value.bytes)
        link.writeLong(Handle(0x0032), Self.longValue.bytes)
        link.notify(Handle(0x0034), [1, 2] + addressBytes.reversed() + [3])
        link.disconnect()
        session.recording.comment(String(decoding: Self.comment.bytes, as: UTF8.self))
        let secrets = [
            Self.confirm, Self.random, Self.publicX, Self.publicY, Self.dhKeyCheck, Self.longTermKey,
            Self.identityKey, Self.signatureKey, Self.hostKey, Self.replyKey, Self.linkKey, Self.pin, Self.listKey,
            Self.cipherKey, Self.value, Self.vendor, Self.advertised, Self.randomNumber, Self.name, Self.localName,
            Self.remoteName, Self.secret(Self.peer), Self.secret(Self.ownAddress), Self.position,
        ]
        return (session.recording, secrets)
    }

    /// A pairing that shows all that pairings can show.
    private func pair(_ link: some ScriptedLink) {
        link.security(SMP.PairingConfirm(value: number(Self.confirm)), .sent)
        link.security(SMP.PairingRandom(value: number(Self.random)), .received)
        let half = Self.publicX.bytes
        link.security(SMP.PairingPublicKey(x: half + half, y: Self.publicY.bytes + Self.publicY.bytes), .sent)
        link.security(SMP.PairingDHKeyCheck(value: number(Self.dhKeyCheck)), .received)
        link.security(SMP.EncryptionInformation(longTermKey: number(Self.longTermKey)), .received)
        let random = Self.randomNumber.bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        link.security(SMP.CentralIdentification(ediv: 0x1234, random: random), .received)
        link.security(SMP.IdentityInformation(identityResolvingKey: number(Self.identityKey)), .received)
        link.security(SMP.IdentityAddressInformation(addressType: 1, address: Self.peer), .received)
        link.security(SMP.SigningInformation(signatureKey: number(Self.signatureKey)), .received)
    }

    // MARK: Search

    private func redact(_ source: String, to name: String) async throws -> [[UInt8]] {
        var job = RedactJob()
        job.plugins = try PluginLibrary.builtIn().plugins
        let format = try #require(CaptureFormat(forPath: name))
        let report = try await job.run(CaptureReader(path: source), to: folder.path(name), as: format)
        #expect(report.packets > 0)
        return [try folder.bytes(name), Array(report.json.utf8), Array(report.lines.joined(separator: "\n").utf8)]
    }

    /// Searches the outputs, and the source: a secret that it does not have proves nothing.
    private func search(_ secrets: [Secret], in outputs: [[UInt8]], from source: [UInt8]) {
        for secret in secrets {
            #expect(secret.isFound(in: source), "\(secret) is not in the source")
            for output in outputs { #expect(!secret.isFound(in: output), "\(secret) is in an output") }
        }
    }

    @Test(arguments: ["share.btsnoop", "share.pklg", "share.pcap", "share.pcapng"])
    func noOutputOfAHostsLogHasASecret(output: String) async throws {
        let (recording, secrets) = hostSession()
        let source = try folder.file("source.pcapng", recording.file(.pcapng, .h4WithDirection))
        let outputs = try await redact(source, to: output)
        search(secrets + [Self.comment], in: outputs, from: try folder.bytes("source.pcapng"))
        // The long value is in several packets; its parts must not be there either.
        for part in [Self.longValue.bytes[0..<12], Self.longValue.bytes[20..<32]] {
            #expect(!outputs[0].contains(Array(part)))
        }
    }

    @Test(arguments: [1, 3, 5, 11])
    func fragmentsHaveNoSecretEither(size: Int) async throws {
        let session = HCISession()
        let link = session.connect(to: DeviceAddress(Self.peer, .random))
        link.fragmentation = .every(size)
        pair(link)
        link.write(Handle(0x0030), Self.value.bytes)
        let source = try folder.file("source.btsnoop", session.recording.btsnoop())
        var parts: [Secret] = []
        for secret in [Self.confirm, Self.longTermKey, Self.identityKey, Self.value] where size >= 5 {
            for start in stride(from: 0, to: 12, by: 4) {
                parts.append(Secret("\(secret) from \(start)", Array(secret.bytes[start..<(start + 4)])))
            }
        }
        let outputs = try await redact(source, to: "share.btsnoop")
        let before = try folder.bytes("source.btsnoop")
        for part in parts where before.contains(part.bytes) { #expect(!outputs[0].contains(part.bytes), "\(part)") }
        let (original, redacted) = (try pdus(source), try pdus(folder.path("share.btsnoop")))
        #expect(original.map(\.count) == redacted.map(\.count))
        for secret in [Self.confirm, Self.random, Self.longTermKey, Self.identityKey, Self.value] {
            #expect(original.contains { $0.contains(secret.bytes) })
            #expect(!redacted.contains { secret.isFound(in: $0) }, "\(secret)")
        }
    }

    /// The L2CAP PDUs of a capture.
    private func pdus(_ path: String) throws -> [[UInt8]] {
        var tracker = Tracker()
        let reader = try CaptureReader(path: path)
        var pdus: [[UInt8]] = []
        while let packets = try reader.next() {
            let batch = tracker.track(packets)
            for metadata in batch.metadata where metadata.pdu.isPresent {
                pdus.append(Array(batch.bytes(of: metadata.pdu)))
            }
        }
        return pdus
    }

    @Test func noPacketOfTheAirHasASecret() async throws {
        let air = AirSession()
        let device = DeviceAddress(Self.peer, .random)
        let phone = DeviceAddress(Self.ownAddress, .public)
        air.advertise(device, [.flags([]), .completeLocalName(String(decoding: Self.name.bytes, as: UTF8.self))])
        air.advertise(device, [.manufacturerData(company: 0x0075, Self.advertised.bytes)])
        air.scan(phone, device)
        let link = air.connect(phone, to: device)
        pair(link)
        link.carry([19, 0, 4, 0, 0x1B, 0x30, 0] + Self.value.bytes, .received)
        let random = Self.randomNumber.bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        link.control(
            LL.EncReq(
                random: random, encryptedDiversifier: 0x1234, sessionKeyDiversifier: 0x1122_3344_5566_7788,
                initializationVector: 0x99AA_BBCC), .sent)
        let source = try folder.file("source.pcap", air.recording.airPcap())
        let outputs = try await redact(source, to: "share.pcap")
        search(
            [
                Self.confirm, Self.random, Self.publicX, Self.publicY, Self.dhKeyCheck, Self.longTermKey,
                Self.identityKey, Self.signatureKey, Self.value, Self.advertised, Self.randomNumber, Self.name,
                Self.secret(Self.peer), Self.secret(Self.ownAddress),
                Secret("SKD", hex("8877665544332211")), Secret("IV", hex("ccbbaa99")),
            ], in: outputs, from: try folder.bytes("source.pcap"))
    }

    /// Values that the profile of the standard services explains and marks.
    @Test func noMeasurementOfAPersonIsLeft() async throws {
        let session = HCISession()
        let link = session.connect(to: DeviceAddress(Self.peer, .random))
        link.discover(Cast.heartRate)
        // Energy Expended and RR-Intervals are present.
        link.notify(Cast.heartRate[0x2A37], [0x18] + Self.heartRate.bytes)
        link.disconnect()
        let source = try folder.file("source.btsnoop", session.recording.btsnoop())
        let outputs = try await redact(source, to: "share.btsnoop")
        search([Self.heartRate, Self.secret(Self.peer)], in: outputs, from: try folder.bytes("source.btsnoop"))
        // The flags say which fields follow.
        let values = try pdus(folder.path("share.btsnoop")).filter { $0.count == 15 && $0[4] == 0x1B }
        #expect(values.map { $0[7] } == [0x18])
    }

    /// What recorders write beside packets.
    @Test func noNameOfAHostOrAnInterfaceIsLeft() async throws {
        let path = folder.path("source.pcapng")
        let interfaces = [
            StatedInterface(
                name: String(decoding: Self.interface.bytes, as: UTF8.self),
                description: String(decoding: Self.localName.bytes, as: UTF8.self), holding: .monitor)
        ]
        let writer = try CaptureWriter(path: path, interfaces: interfaces)
        let adapter = Self.secret(Self.ownAddress).bytes + Array("hci0\0\0\0\0".utf8)
        for (opcode, body) in [
            (MonitorOpcode.newIndex, [0, 1] + adapter), (.systemNote, Self.note.bytes + [0]),
            (.userLogging, [6, 5] + Array("bluez".utf8) + Self.name.bytes + [0]),
            (.command, hex("030c00")),
        ] {
            let packet = CapturedPacket(
                number: 1, time: Timestamp(nanoseconds: 1_772_366_400_000_000_000), encapsulation: .monitor,
                recordType: opcode.rawValue, originalLength: body.count, start: 0, count: body.count)
            try writer.write(packet, of: PacketBatch(bytes: body, packets: [packet]), on: 0, comments: [])
        }
        try writer.flush()
        let outputs = try await redact(path, to: "share.pcapng")
        search(
            [Self.interface, Self.localName, Self.note, Self.name, Self.secret(Self.ownAddress)], in: outputs,
            from: try folder.bytes("source.pcapng"))
    }

    /// An address resolves with the key of its device, before and after, but not across.
    @Test func aPrivateAddressStillBelongsToItsIdentity() async throws {
        let session = HCISession()
        let key = SecretKey(number(Self.identityKey))
        let privateAddress = PrivateAddress.resolvable(key: key, random: 0x2A_5C31)
        session.report(DeviceAddress(privateAddress, .random), [.flags([])])
        let link = session.connect(to: DeviceAddress(privateAddress, .random))
        link.security(SMP.IdentityInformation(identityResolvingKey: number(Self.identityKey)), .received)
        link.security(SMP.IdentityAddressInformation(addressType: 1, address: Self.peer), .received)
        link.disconnect()
        let source = try folder.file("source.btsnoop", session.recording.btsnoop())
        let outputs = try await redact(source, to: "share.btsnoop")
        search(
            [Self.identityKey, Self.secret(Self.peer), Self.secret(privateAddress)], in: outputs,
            from: try folder.bytes("source.btsnoop"))
        var (keys, addresses): ([SecretKey], Set<UInt64>) = ([], [])
        for pdu in try pdus(folder.path("share.btsnoop")) where pdu.count == 21 && pdu[4] == 0x08 {
            keys.append(SecretKey(wireBytes: Array(pdu[5...])))
        }
        var tracker = Tracker()
        let reader = try CaptureReader(path: folder.path("share.btsnoop"))
        while let packets = try reader.next() { _ = tracker.track(packets) }
        for device in tracker.devices.devices { addresses.insert(device.address?.address.value ?? 0) }
        let replaced = try #require(keys.first)
        #expect(
            addresses.contains {
                PrivateAddress.isResolved(DeviceAddress(Address(value: $0), .random), by: replaced)
            })
    }
}
