import Bluetooth
import Bytes
import Host
import PDUTestKit
import Radio
import Testing

/// A method of pairing that both hosts have.
struct AirPairing: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var central: PairingSettings
    var peripheral: PairingSettings

    init(_ name: String, _ central: PairingSettings, _ peripheral: PairingSettings, isSecureConnections: Bool) {
        testDescription = name + (isSecureConnections ? ", Secure Connections" : ", legacy")
        self.central = central
        self.peripheral = peripheral
        self.central.supportsSecureConnections = isSecureConnections
        self.peripheral.supportsSecureConnections = isSecureConnections
    }

    private static let comparing = PairingSettings(.displayYesNo, needsMITMProtection: true)

    static let all: [AirPairing] =
        [true, false].flatMap { isSecureConnections in
            [
                AirPairing(
                    "Just Works", PairingSettings(), PairingSettings(), isSecureConnections: isSecureConnections),
                AirPairing(
                    "passkey of the peripheral", .typingPasskey, .displayingPasskey,
                    isSecureConnections: isSecureConnections),
                AirPairing(
                    "passkey of the central", .displayingPasskey, .typingPasskey,
                    isSecureConnections: isSecureConnections),
            ]
        } + [AirPairing("numeric comparison", comparing, comparing, isSecureConnections: true)]
}

extension RadioScene {
    /// Pairs, with both users answering their prompts.
    mutating func pair(_ handle: ConnectionHandle) -> Bool {
        request(0, .secure(handle))
        wait(0, seconds: 10) { if case .paired = $0 { true } else { false } }.map { events[0].append($0) }
        var digits: UInt32 = 0
        for index in 0...1 {
            for case .pairingPrompt(_, .display(let shown)) in events[index] { digits = shown }
        }
        for index in 0...1 {
            for case .pairingPrompt(let handle, let prompt) in events[index] {
                switch prompt {
                case .display: break
                case .enterPasskey: request(index, .answerPairing(handle, .passkey(digits)))
                case .compare: request(index, .answerPairing(handle, .same))
                }
            }
        }
        return wait(0, for: { if case .paired = $0 { true } else { false } }) != nil
    }

    /// The keys of LE Enable Encryption, in order.
    var keys: [[UInt8]] {
        sent[0].filter { $0.starts(with: [1, 0x19, 0x20]) && $0.count == 32 }.map { Array($0[16...]) }
    }

    /// Payloads of the ACL packets that a host has received: the fragments on the air.
    func fragments(to index: Int) -> [[UInt8]] {
        received[index].filter { $0[0] == 2 }.map { Array($0[5...]) }
    }

    /// All ACL data that a host has sent.
    func data(from index: Int) -> [UInt8] { sent[index].filter { $0[0] == 2 }.flatMap { $0[5...] } }
}

/// The air and the hosts agree: every packet is opened with the host's keys and is the same on both.
@Suite struct AirTests {
    /// Pairs, reads and writes, and checks the recording.
    private func check(
        _ pairing: AirPairing, pace: Radio.Pace = .air, path: Path = Path(), reconnects: Bool = false
    ) throws -> AirDecoder {
        var scene = RadioScene(pace, pairing: [pairing.central, pairing.peripheral])
        scene.radio.recordAir()
        scene.request(1, .advertise(advertised))
        let connected = scene.connect()
        var handle = try #require(connected)
        scene.radio.setPath(0, 1, path)
        let isPaired = scene.pair(handle)
        #expect(isPaired)
        let value = (0..<200).map { UInt8($0) }
        let written = scene.client(handle, .write(0x23, value))
        #expect(written == .success(.written))
        let read = scene.client(handle, .read(0x23))
        #expect(read == .success(.value(value)))
        if reconnects {
            scene.request(0, .disconnect(handle, .remoteUserTerminatedConnection))
            scene.wait(0) { if case .disconnected = $0 { true } else { false } }
            scene.wait(1, seconds: 1)
            let second = scene.connect()
            handle = try #require(second)
            scene.request(0, .secure(handle))
            scene.wait(0) { if case .securityChanged = $0 { true } else { false } }
            let again = scene.client(handle, .read(0x2A))
            #expect(again == .success(.value([4])))
        }
        // Until both ends have acknowledged everything.
        scene.wait(0, seconds: 2)
        let decoder = try AirDecoder(scene.radio.finishAir(), keys: scene.keys)
        for index in 0...1 {
            let onAir = decoder.pdus.filter { !$0.isControl && $0.isFromCentral == (index == 0) }.map(\.payload)
            #expect(onAir == scene.fragments(to: 1 - index))
            #expect(onAir.flatMap { $0 } == scene.data(from: index))
        }
        #expect(decoder.pdus.contains { $0.isEncrypted && !$0.isControl && $0.payload.count > 20 })
        return decoder
    }

    @Test(arguments: AirPairing.all)
    func everyPairingIsOpenedWithTheHostsKeys(pairing: AirPairing) throws {
        let decoder = try check(pairing)
        #expect(decoder.connections.count == 1)
        #expect(decoder.retransmissions == 0)
    }

    @Test(arguments: AirPairing.all)
    func lostPacketsAreSentAgain(pairing: AirPairing) throws {
        let decoder = try check(pairing, path: Path(loss: 0.1))
        #expect(decoder.retransmissions > 0)
    }

    @Test func anImmediateRadioIsRecordedToo() throws {
        _ = try check(AirPairing.all[0], pace: .immediate)
    }

    @Test(arguments: [AirPairing.all[0], AirPairing.all[3]])
    func theBondOpensTheNextConnection(pairing: AirPairing) throws {
        let decoder = try check(pairing, reconnects: true)
        #expect(decoder.connections.count == 2)
        #expect(Set(decoder.connections.map(\.accessAddress)).count == 2)
        #expect(decoder.pdus.contains { $0.connection == 2 && $0.isEncrypted })
    }
}
