import Bluetooth
import BluetoothCrypto
import Bytes
import Captures
import Causes
import Conversation
import TestKit

/// A scripted connection of a central and a peripheral, in the log of one of the hosts or on the air.
final class SecurityScene {
    enum View: Sendable, CaseIterable {
        case central, peripheral, air
    }

    let view: View
    private let hci = HCISession()
    private let air = AirSession()
    private(set) var link: any ScriptedLink

    private static let puck = DeviceAddress(Address(value: 0xC000_0000_0001), .random)
    private static let phone = DeviceAddress(Address(value: 0x001B_DC00_0002), .public)

    init(_ view: View) {
        self.view = view
        switch view {
        case .central: link = hci.connect(to: Self.puck)
        case .peripheral: link = hci.connect(to: Self.phone, role: .peripheral)
        case .air: link = air.connect(Self.phone, to: Self.puck)
        }
    }

    var recording: Recording { link.recording }

    /// Opens another connection of the same devices.
    func reconnect() {
        switch view {
        case .central: link = hci.connect(to: Self.puck)
        case .peripheral: link = hci.connect(to: Self.phone, role: .peripheral)
        case .air: link = air.connect(Self.phone, to: Self.puck, accessAddress: 0x50C2_3B97)
        }
    }

    /// The direction in which the central sends.
    private var direction: Direction { view == .peripheral ? .received : .sent }

    func central(_ pdu: some SMP.PDU) { link.security(pdu, direction) }
    func peripheral(_ pdu: some SMP.PDU) { link.security(pdu, direction.opposite) }

    /// Advances time while the connection lives.
    func wait(seconds: Int64) {
        if let link = link as? AirLink {
            link.idle(seconds: seconds)
        } else {
            recording.wait(milliseconds: 1000 * seconds)
        }
    }

    func disconnect(_ reason: UInt8 = 0x13) {
        if let link = link as? AirLink {
            // The recorder has decrypted it.
            link.decryption = .unflagged
            link.disconnect(reason: ControllerError(rawValue: reason))
        } else {
            (link as? HCILink)?.disconnect(reason: HCI.ErrorCode(rawValue: reason))
        }
    }

    /// A notification whose last bytes the recorder cut.
    func gap() {
        link.notify(Handle(0x0030), [UInt8](repeating: 1, count: 12))
        recording.cutLast(to: recording.packets[recording.packets.count - 1].bytes.count - 6)
    }
}

// MARK: - Pairing

extension SecurityScene {
    static func features(
        _ capability: SMP.IOCapability, mitm: Bool = true, secure: Bool = false, oob: UInt8 = 0, size: UInt8 = 16
    ) -> SMP.PairingFeatures {
        SMP.PairingFeatures(
            ioCapability: capability, oobDataFlag: oob,
            requirements: SMP.AuthenticationRequirements(
                isBonding: true, needsMITMProtection: mitm, isSecureConnections: secure),
            maximumKeySize: size, initiatorKeys: SMP.KeyDistribution(), responderKeys: SMP.KeyDistribution())
    }

    /// Pairing Request and Pairing Response.
    func exchange(_ central: SMP.PairingFeatures, _ peripheral: SMP.PairingFeatures) {
        self.central(SMP.PairingRequest(features: central))
        self.peripheral(SMP.PairingResponse(features: peripheral))
    }

    /// The features of Just Works.
    func exchangeJustWorks(secure: Bool = false) {
        let features = Self.features(.noInputNoOutput, mitm: false, secure: secure)
        exchange(features, features)
    }

    /// The features of Passkey Entry: the peripheral displays.
    func exchangePasskey(secure: Bool = false) {
        exchange(Self.features(.keyboardOnly, secure: secure), Self.features(.displayOnly, secure: secure))
    }

    func fail(_ reason: SMP.FailureReason, byCentral: Bool = false) {
        if byCentral {
            central(SMP.PairingFailed(reason: reason))
        } else {
            peripheral(SMP.PairingFailed(reason: reason))
        }
    }

    /// The confirm values of LE legacy pairing, and the central's random value.
    func confirmLegacy() {
        central(SMP.PairingConfirm(value: 1))
        peripheral(SMP.PairingConfirm(value: 2))
        central(SMP.PairingRandom(value: 3))
    }

    /// LE legacy pairing up to the encryption.
    func pair() {
        exchangeJustWorks()
        confirmLegacy()
        peripheral(SMP.PairingRandom(value: 4))
        encrypt()
    }

    private static let (centralX, peripheralX) = (
        [UInt8](repeating: 0x11, count: 32), [UInt8](repeating: 0x22, count: 32)
    )

    func exchangePublicKeys() {
        central(SMP.PairingPublicKey(x: Self.centralX, y: Self.centralX))
        peripheral(SMP.PairingPublicKey(x: Self.peripheralX, y: Self.peripheralX))
    }

    /// The confirm value of the central, or of the peripheral, in LE Secure Connections.
    static func confirm(ofCentral: Bool, random: UInt128, z: UInt8) -> UInt128 {
        guard let one = P256.Coordinate(wire: centralX), let other = P256.Coordinate(wire: peripheralX) else {
            return 0
        }
        return SecureConnections.f4(u: ofCentral ? one : other, v: ofCentral ? other : one, x: random, z: z)
    }

    /// Rounds of Passkey Entry whose confirm values fit the bit 1. The last one ends with the central's random value.
    func rounds(_ count: Int) {
        for round in 1...count {
            let random = UInt128(round)
            central(SMP.PairingConfirm(value: Self.confirm(ofCentral: true, random: random, z: 0x81)))
            peripheral(SMP.PairingConfirm(value: Self.confirm(ofCentral: false, random: random + 100, z: 0x81)))
            central(SMP.PairingRandom(value: random))
            if round < count { peripheral(SMP.PairingRandom(value: random + 100)) }
        }
    }

    /// The confirm value of the peripheral and the random values of Just Works and Numeric Comparison.
    func commit(_ confirm: UInt128) {
        peripheral(SMP.PairingConfirm(value: confirm))
        central(SMP.PairingRandom(value: 5))
        peripheral(SMP.PairingRandom(value: 6))
    }
}

// MARK: - Encryption

extension SecurityScene {
    /// The central asks for encryption.
    func startEncryption() {
        switch link {
        case let link as HCILink where view == .central: link.startEncryption()
        case let link as HCILink:
            hci.event(
                HCI.LELongTermKeyRequest(
                    handle: link.handle, randomNumber: [1, 2, 3, 4, 5, 6, 7, 8], encryptedDiversifier: 7))
        case let link as AirLink:
            link.control(
                LL.EncReq(random: 1, encryptedDiversifier: 7, sessionKeyDiversifier: 2, initializationVector: 3), .sent)
        default: break
        }
    }

    /// The peripheral has no key.
    func refuseEncryption() {
        startEncryption()
        switch link {
        case let link as HCILink where view == .central:
            hci.event(HCI.EncryptionChange(status: .pinOrKeyMissing, handle: link.handle, enabled: 0))
        case let link as HCILink: hci.command(HCI.LELongTermKeyRequestNegativeReply(handle: link.handle))
        case let link as AirLink:
            link.control(LL.EncRsp(sessionKeyDiversifier: 4, initializationVector: 5), .received)
            link.control(
                LL.RejectExtInd(rejectOpcode: .encReq, errorCode: ControllerError(rawValue: 0x06)), .received)
        default: break
        }
    }

    /// Encryption begins.
    func encrypt() {
        guard let link = link as? HCILink else {
            (self.link as? AirLink)?.encrypt()
            return
        }
        startEncryption()
        if view == .peripheral {
            hci.command(
                HCI.LELongTermKeyRequestReply(handle: link.handle, longTermKey: [UInt8](repeating: 0x5A, count: 16)))
        }
        link.encrypt()
    }

    /// On BR/EDR, the captured host has no link key, and authentication fails.
    static func failedAuthentication(hasLinkKey: Bool) -> Recording {
        let session = HCISession()
        let link = session.connectBREDR(to: phone)
        let address = ByteWriter.bytes { $0.write(phone.address) }
        if hasLinkKey {
            session.command([0x0B, 0x04, 22] + address + [UInt8](repeating: 0x5A, count: 16))
        } else {
            session.command([0x0C, 0x04, 6] + address)
        }
        session.event([0x06, 3, 0x06, UInt8(truncatingIfNeeded: link.handle.rawValue), 0])
        link.disconnect()
        return session.recording
    }
}

// MARK: - Incidents

extension SecurityScene {
    /// The incidents of pairing, encryption and refused requests; `drop` is the index of a packet before which the recorder
    /// dropped others.
    static func incidents(_ recording: Recording, drop: Int? = nil) -> [Incident] {
        var packets = recording.batch
        if let drop { packets.packets[drop].drops = 1 }
        var batch = TrackedBatch()
        batch.fill(packets)
        ConversationTracker(.none).follow(&batch)
        let analysis = CauseAnalysis(.none)
        analysis.add(batch)
        analysis.finish()
        let kinds: Set<Failure.Kind> = [.pairingFailed, .encryptionFailed, .procedureFailed]
        return analysis.takeIncidents().filter { kinds.contains($0.what) }
    }

    var incidents: [Incident] { Self.incidents(recording) }

    /// `passkey_wrong certain` for each incident.
    var causes: [String] { Self.causes(incidents) }

    static func causes(_ incidents: [Incident]) -> [String] {
        incidents.map { "\($0.cause ?? "none") \($0.confidence?.rawValue ?? "unsure")" }
    }
}
