package import Bluetooth
package import BluetoothCrypto
package import Bytes

/// The Security Manager of one connection: pairs, in either role, by LE legacy pairing or LE Secure Connections
/// (Vol 3, Part H, 2.3 and 2.4).
package struct Pairing: Sendable {
    /// What is to be done, in order.
    package enum Action: Hashable, Sendable {
        /// A command to the peer.
        case send([UInt8])
        /// The central is to encrypt with this key; the peripheral has it ready for the controller's question.
        case encrypt(SecretKey)
        case ask(Prompt)
        /// Keys are exchanged.
        case finished(Bond)
        case failed(Failure)
    }

    /// An action of the user; `answer` takes its result.
    package enum Prompt: Hashable, Sendable {
        /// Show these six digits; nothing needs to be answered.
        case display(UInt32)
        /// Ask for the six digits that the peer shows.
        case enterPasskey
        /// Ask whether the peer shows the same six digits.
        case compare(UInt32)
    }

    package enum Answer: Hashable, Sendable {
        case passkey(UInt32)
        case same
        /// The user broke off, or the digits differ.
        case no
    }

    package enum Failure: Hashable, Sendable {
        /// This device has refused.
        case refused(SMP.FailureReason)
        /// The peer has refused.
        case refusedByPeer(SMP.FailureReason)
        /// Nothing came for 30 s: no more pairing on this connection (Vol 3, Part H, 3.4).
        case timedOut
        /// Encryption with the new key failed.
        case notEncrypted
        case disconnected

        package var words: String {
            switch self {
            case .refused(let reason): reason.name ?? "reason \(reason.rawValue)"
            case .refusedByPeer(let reason): "the device refused it: \(reason.name ?? "reason \(reason.rawValue)")"
            case .timedOut: "nothing came for 30 s"
            case .notEncrypted: "encryption with the new key failed"
            case .disconnected: "the connection was lost"
            }
        }
    }

    /// The two devices and what this one hands out.
    package struct Parties: Hashable, Sendable {
        /// Whether this device is the connection's central.
        package var isInitiator: Bool
        /// The address that this device uses on the connection.
        package var own: DeviceAddress
        package var peer: DeviceAddress
        package var ownIdentity: DeviceAddress
        package var ownIdentityKey: SecretKey

        package init(
            isInitiator: Bool, own: DeviceAddress, peer: DeviceAddress, ownIdentity: DeviceAddress,
            ownIdentityKey: SecretKey
        ) {
            self.isInitiator = isInitiator
            self.own = own
            self.peer = peer
            self.ownIdentity = ownIdentity
            self.ownIdentityKey = ownIdentityKey
        }
    }

    /// What the machine waits for.
    enum State: Hashable, Sendable {
        case idle
        /// The peripheral has asked for security: the central pairs or encrypts.
        case requested
        case response, publicKey, confirm, random, check
        /// Encryption with the key that pairing made.
        case encryption
        case keys
        /// Nothing came in time.
        case dead
    }

    /// Nothing came for so long: pairing has failed (Vol 3, Part H, 3.4).
    static let timeout = Duration.seconds(30)

    let parties: Parties
    package var settings: PairingSettings
    var state = State.idle
    package internal(set) var deadline: Timestamp?

    // What pairing has come to know; each pairing begins anew.
    var request: SMP.PairingFeatures?
    var response: SMP.PairingFeatures?
    var method = PairingMethod.justWorks
    var isSecureConnections = false
    var keySize: UInt8 = 16
    /// The number that the users have shown, typed or not needed; nil until it is known.
    var passkey: UInt32?
    /// Bit of the passkey that is being confirmed, 0 to 19.
    var round = 0
    var ownRandom: UInt128 = 0
    var peerRandom: UInt128 = 0
    var peerConfirm: UInt128?
    var keyPair: P256.KeyPair?
    var peerPublicKey: P256.PublicKey?
    var secret: SharedSecret?
    var macKey: SecretKey?
    var peerCheck: UInt128?
    /// Whether the users have found the numbers to be the same; true where none are compared.
    var isCompared = true
    /// The key that encrypts the connection at first: the short or the long term key.
    var key: SecretKey?
    var distribution = Distribution()
    var actions: [Action] = []

    package init(_ parties: Parties, settings: PairingSettings) {
        self.parties = parties
        self.settings = settings
    }

    /// Whether pairing is under way.
    package var isActive: Bool { ![.idle, .requested, .dead].contains(state) }

    /// The key for the controller's question, while the pairing waits for encryption.
    package var expectedKey: SecretKey? { state == .encryption ? key : nil }

    /// Whether encryption with `expectedKey` protects against a man in the middle, and how long the key is.
    package var expectedSecurity: LinkSecurity {
        LinkSecurity(
            level: method.isAuthenticated ? .authenticated : .encrypted, keySize: keySize,
            hasKey: isBonding)
    }
}

// MARK: - What goes in

extension Pairing {
    /// Begins to pair: the central asks the peer, the peripheral asks the central to begin.
    package mutating func begin(at now: Timestamp, random: inout RandomSource) -> [Action] {
        guard state == .idle else { return [] }
        if parties.isInitiator {
            reset()
            let features = settings.features
            request = features
            state = .response
            send(SMP.PairingRequest(features: features), at: now)
        } else {
            state = .requested
            send(SMP.SecurityRequest(requirements: settings.requirements), at: now)
        }
        return takeActions()
    }

    /// Takes a command of the peer.
    package mutating func handle(_ command: [UInt8], at now: Timestamp, random: inout RandomSource) -> [Action] {
        guard state != .dead, let code = command.first else { return [] }
        var reader = ByteReader(command.span)
        do throws(DecodeError) {
            if let pdu = try SMP.read(&reader), reader.isAtEnd {
                if deadline != nil { deadline = now + Self.timeout }
                receive(pdu, at: now, &random)
            } else {
                // Reserved codes are ignored (Vol 3, Part H, 3.3).
                guard SMP.Opcode.table[SMP.Opcode(rawValue: code)] != nil else { return [] }
                fail(.invalidParameters, at: now)
            }
        } catch {
            fail(.invalidParameters, at: now)
        }
        return takeActions()
    }

    /// Takes what the user did.
    package mutating func answer(_ answer: Answer, at now: Timestamp, random: inout RandomSource) -> [Action] {
        guard isActive else { return [] }
        switch (answer, method) {
        case (.passkey(let digits), .passkey) where passkey == nil && digits <= 999_999:
            passkey = digits
            passkeyKnown(at: now, &random)
        case (.same, .numericComparison) where !isCompared:
            isCompared = true
            compared(at: now)
        case (.no, .numericComparison): fail(.numericComparisonFailed, at: now)
        case (.no, .passkey), (.passkey, .passkey): fail(.passkeyEntryFailed, at: now)
        default: break
        }
        return takeActions()
    }

    /// The controller has encrypted the connection, or could not.
    package mutating func encryptionChanged(
        _ isEncrypted: Bool, at now: Timestamp, random: inout RandomSource
    ) -> [Action] {
        if state == .requested, isEncrypted { end() }
        guard state == .encryption else { return takeActions() }
        if isEncrypted {
            state = .keys
            deadline = now + Self.timeout
            distribute(at: now, &random)
        } else {
            end()
            actions.append(.failed(.notEncrypted))
        }
        return takeActions()
    }

    /// Looks after a peer that keeps silent.
    package mutating func tick(at now: Timestamp) -> [Action] {
        guard let deadline, deadline <= now else { return [] }
        let wasActive = isActive
        end()
        if !wasActive { return [] }
        state = .dead
        return [.failed(.timedOut)]
    }

    /// The connection ended.
    package mutating func disconnected() -> [Action] {
        defer { end() }
        return isActive ? [.failed(.disconnected)] : []
    }
}

// MARK: - What all kinds of pairing share

extension Pairing {
    private mutating func receive(_ pdu: any SMP.PDU, at now: Timestamp, _ random: inout RandomSource) {
        switch pdu {
        case let failed as SMP.PairingFailed:
            guard isActive else { return }
            end()
            actions.append(.failed(.refusedByPeer(failed.reason)))
        case is SMP.PairingKeypressNotification: break
        // The owner decides what a security request leads to.
        case is SMP.SecurityRequest where parties.isInitiator: break
        case let pdu as SMP.PairingRequest where !parties.isInitiator && !isActive:
            requested(pdu.features, at: now, &random)
        case let pdu as SMP.PairingResponse where state == .response: responded(pdu.features, at: now, &random)
        case let pdu as SMP.PairingPublicKey where state == .publicKey: publicKeyReceived(pdu, at: now, &random)
        case let pdu as SMP.PairingConfirm where state == .confirm && peerConfirm == nil:
            confirmReceived(pdu.value, at: now, &random)
        case let pdu as SMP.PairingRandom where state == .random: randomReceived(pdu.value, at: now, &random)
        case let pdu as SMP.PairingDHKeyCheck where state == .check && peerCheck == nil:
            checkReceived(pdu.value, at: now)
        default:
            if state == .keys, keyReceived(pdu, at: now, &random) { return }
            // What comes after a pairing has failed, or was never begun, is passed over.
            if isActive { fail(.unspecifiedReason, at: now) }
        }
    }

    private mutating func requested(
        _ features: SMP.PairingFeatures, at now: Timestamp, _ random: inout RandomSource
    ) {
        reset()
        guard settings.isPairable else { return fail(.pairingNotSupported, at: now) }
        request = features
        var own = settings.features
        own.initiatorKeys = SMP.KeyDistribution(rawValue: own.initiatorKeys.rawValue & features.initiatorKeys.rawValue)
        own.responderKeys = SMP.KeyDistribution(rawValue: own.responderKeys.rawValue & features.responderKeys.rawValue)
        response = own
        guard agree(with: features, at: now) else { return }
        send(SMP.PairingResponse(features: own), at: now)
        beginAuthentication(at: now, &random)
    }

    private mutating func responded(
        _ features: SMP.PairingFeatures, at now: Timestamp, _ random: inout RandomSource
    ) {
        response = features
        let asked = settings.features
        guard features.initiatorKeys.rawValue & ~asked.initiatorKeys.rawValue == 0,
            features.responderKeys.rawValue & ~asked.responderKeys.rawValue == 0
        else { return fail(.invalidParameters, at: now) }
        guard agree(with: features, at: now) else { return }
        beginAuthentication(at: now, &random)
    }

    /// Whether both sides' features allow a pairing that this device wants; if not it has refused.
    private mutating func agree(with peer: SMP.PairingFeatures, at now: Timestamp) -> Bool {
        guard let request, let response else { return false }
        guard (7...16).contains(peer.maximumKeySize), peer.ioCapability.rawValue <= 4, peer.oobDataFlag <= 1 else {
            fail(.invalidParameters, at: now)
            return false
        }
        isSecureConnections = request.requirements.isSecureConnections && response.requirements.isSecureConnections
        method = PairingMethod(initiator: request, responder: response, isSecureConnections: isSecureConnections)
        keySize = min(request.maximumKeySize, response.maximumKeySize)
        let reason: SMP.FailureReason?
        if settings.requiresSecureConnections, !isSecureConnections {
            reason = .authenticationRequirements
        } else if isSecureConnections, peer.oobDataFlag == 1 {
            reason = .oobNotAvailable
        } else if settings.needsMITMProtection, !method.isAuthenticated {
            reason = .authenticationRequirements
        } else {
            reason = keySize < settings.keySizes.lowerBound ? .encryptionKeySize : nil
        }
        if let reason { fail(reason, at: now) }
        return reason == nil
    }

    private mutating func beginAuthentication(at now: Timestamp, _ random: inout RandomSource) {
        isCompared = method != .numericComparison
        if isSecureConnections {
            beginSecureConnections(at: now, &random)
        } else {
            state = .confirm
            settlePasskey(at: now, &random)
        }
    }

    /// Shows a passkey, asks for one, or does without.
    mutating func settlePasskey(at now: Timestamp, _ random: inout RandomSource) {
        let ownSide: PairingMethod.Side = parties.isInitiator ? .initiator : .responder
        switch method {
        case .justWorks, .numericComparison: passkey = 0
        case .passkey(displayedBy: ownSide):
            let digits = UInt32.random(in: 0...999_999, using: &random)
            passkey = digits
            actions.append(.ask(.display(digits)))
        case .passkey: actions.append(.ask(.enterPasskey))
        }
        if passkey != nil { passkeyKnown(at: now, &random) }
    }

    private mutating func passkeyKnown(at now: Timestamp, _ random: inout RandomSource) {
        if isSecureConnections {
            if case .passkey = method { beginRound(at: now, &random) }
        } else {
            confirmLegacy(at: now, &random)
        }
    }

    private mutating func confirmReceived(_ value: UInt128, at now: Timestamp, _ random: inout RandomSource) {
        peerConfirm = value
        if isSecureConnections {
            secureConfirmReceived(at: now)
        } else if parties.isInitiator, passkey == nil {
            // The initiator confirms first.
            fail(.unspecifiedReason, at: now)
        } else {
            confirmLegacy(at: now, &random)
        }
    }

    private mutating func randomReceived(_ value: UInt128, at now: Timestamp, _ random: inout RandomSource) {
        peerRandom = value
        if isSecureConnections {
            secureRandomReceived(at: now, &random)
        } else {
            legacyRandomReceived(at: now)
        }
    }

    /// Waits for the connection to be encrypted with the key that pairing has made.
    mutating func encrypt(with key: SecretKey, at now: Timestamp) {
        self.key = key
        state = .encryption
        actions.append(.encrypt(key))
    }

    /// Refuses.
    mutating func fail(_ reason: SMP.FailureReason, at now: Timestamp) {
        let wasActive = isActive || request != nil
        send(SMP.PairingFailed(reason: reason), at: now)
        end()
        if wasActive { actions.append(.failed(.refused(reason))) }
    }

    var isBonding: Bool {
        (request?.requirements.isBonding ?? false) && (response?.requirements.isBonding ?? false)
    }

    mutating func send(_ pdu: some SMP.PDU, at now: Timestamp) {
        actions.append(.send(SMP.encode(pdu)))
        deadline = now + Self.timeout
    }

    /// Nothing is under way any more.
    mutating func end() {
        let before = actions
        reset()
        actions = before
    }

    private mutating func reset() {
        let isDead = state == .dead
        self = Pairing(parties, settings: settings)
        if isDead { state = .dead }
    }

    private mutating func takeActions() -> [Action] {
        defer { actions = [] }
        return actions
    }
}
