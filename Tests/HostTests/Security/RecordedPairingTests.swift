import Bluetooth
import Bytes
import Host
import PDUTestKit
import Testing

/// A recorded pairing session between our host and Bumble's, from the interoperability tests.
///
/// Lines with `>` are packets of the controller, lines with `!` requests of the owner, both after the time in
/// nanoseconds; lines with `<` are the packets that the host then sent. With the same seed, the host must send the same
/// bytes again: Bumble has accepted its confirm values, keys and encryption.
private struct PairingRecording {
    var settings = PairingSettings()
    var seed: UInt64 = 0
    var isAuthenticated = false
    var lines: [String] = []

    static let names = [
        "just-works", "legacy-just-works", "legacy-passkey-shown", "legacy-passkey-typed", "numeric-comparison",
        "passkey-shown", "passkey-typed",
    ].flatMap { ["central-\($0)", "peripheral-\($0)"] }

    init(named name: String) throws {
        let text = try Repository.text("Tests/HostTests/Security/Recordings/\(name).txt")
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            switch words[0] {
            case "#": break
            case "seed": seed = try #require(UInt64(words[1]))
            case "capability": settings.ioCapability = SMP.IOCapability(rawValue: try #require(UInt8(words[1])))
            case "mitm": settings.needsMITMProtection = words[1] == "true"
            case "secure-connections": settings.supportsSecureConnections = words[1] == "true"
            case "authenticated": isAuthenticated = words[1] == "true"
            default: lines.append(String(line))
            }
        }
    }

    /// The host's input in a line.
    func input(_ words: [Substring]) throws -> Host.Input {
        if words[1] == ">" { return .packet(hex(String(words[2]))) }
        func number<Number: FixedWidthInteger>(_ index: Int, radix: Int = 10) throws -> Number {
            try #require(Number(words[index], radix: radix))
        }
        switch words[2] {
        case "time": return .time
        case "start": return .request(.start)
        case "advertise":
            // Flags and the name, as in the interoperability tests.
            let data = hex("02 01 06 0b 09") + Array("radio test".utf8)
            return .request(.advertise(Host.AdvertisingSettings(data: data)))
        case "connect":
            let kind = try #require(DeviceAddress.Kind(rawValue: try number(4)))
            let peer = DeviceAddress(Address(value: try number(3, radix: 16)), kind)
            return .request(.connect(Host.ConnectSettings(peer)))
        case "secure": return .request(.secure(ConnectionHandle(try number(3))))
        case "passkey": return .request(.answerPairing(ConnectionHandle(try number(3)), .passkey(try number(4))))
        case "same": return .request(.answerPairing(ConnectionHandle(try number(3)), .same))
        case "disconnect":
            let reason = HCI.ErrorCode(rawValue: try number(4))
            return .request(.disconnect(ConnectionHandle(try number(3)), reason))
        default: throw UnknownWord(word: String(words[2]))
        }
    }

    struct UnknownWord: Error { var word: String }
}

@Test(arguments: PairingRecording.names)
func recordedPairingIsRepeatedByteForByte(name: String) throws {
    let recording = try PairingRecording(named: name)
    var configuration = Host.Configuration()
    configuration.pairing = recording.settings
    var host = Host(configuration, database: .recorded, random: .seeded(recording.seed))
    var events: [Host.Event] = []
    var expected: [String] = []
    var sent: [String] = []
    for line in recording.lines {
        guard !line.hasPrefix("<") else {
            expected.append(line)
            continue
        }
        #expect(sent == expected, "before \(line)")
        expected = []
        let words = line.split(separator: " ")
        let now = Timestamp(nanoseconds: try #require(Int64(words[0])))
        sent = []
        for action in host.handle(try recording.input(words), at: now) {
            switch action {
            case .send(let packet): sent.append("< " + hexText(packet))
            case .event(let event): events.append(event)
            }
        }
    }
    #expect(sent == expected)
    let bonds = events.compactMap { if case .paired(_, let bond) = $0 { bond } else { nil } }
    #expect(bonds.map(\.isAuthenticated) == [recording.isAuthenticated])
    #expect(bonds.map(\.isSecureConnections) == [recording.settings.supportsSecureConnections])
}

extension AttributeDatabase {
    /// The attribute database of the recorded sessions.
    fileprivate static let recorded = try! AttributeDatabase([
        .genericAccess(name: "radio test"), .genericAttribute,
        .init(
            UUID("5a3b0001-0d5f-4b6e-9f43-3e6a4c1d7f10")!,
            [
                .init(
                    UUID("5a3b0002-0d5f-4b6e-9f43-3e6a4c1d7f10")!, [.read, .write], value: Array("begin".utf8)),
                .init(UUID("5a3b0003-0d5f-4b6e-9f43-3e6a4c1d7f10")!, .notify),
                .init(
                    UUID("5a3b0004-0d5f-4b6e-9f43-3e6a4c1d7f10")!, .read, value: Array("only for friends".utf8),
                    read: .encrypted),
            ]),
    ])
}
