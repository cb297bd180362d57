package import Bluetooth
package import BluetoothCrypto
package import Bytes

/// The Security Manager of one connection: pairs in either role, with LE legacy pairing or LE Secure Connections (Vol
/// 3, Part H, 2.3 and 2.4).
package struct Pairing: Sendable {
    /// An action for the owner to perform, in order.
    package enum Action: Hashable, Sendable {
        /// A command to the peer.
        case send([UInt8])
        /// Encrypt with this key: the central starts encryption, the peripheral provides the key when its controller
        /// requests it.
        case encrypt(SecretKey)
        case ask(Prompt)
        /// Pairing is complete, including key distribution.
        case finished(Bond)
        case failed(Failure)
    }

    /// An action required of the user; `answer` accepts its result.
    package enum Prompt: Hashable, Sendable {
        /// Display these six digits; needs no answer.
        case display(UInt32)
        /// Ask for the six digits that the peer displays.
        case enterPasskey
        /// Ask whether the peer displays the same six digits.
        case compare(UInt32)
    }

    package enum Answer: Hashable, Sendable {
        case passkey(UInt32)
        case same
        /// The user cancelled, or the digits differ.
        case no
    }

    package enum Failure: Hashable, Sendable {
        /// This device rejected pairing.
        case refused(SMP.FailureReason)
        /// The peer rejected pairing.
        case refusedByPeer(SMP.FailureReason)
        /// No command for 30 s: no more pairing is possible on this connection (Vol 3, Part H, 3.4).
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

    /// The two devices, and the identity that this one distributes.
    package struct Parties: Hashable, Sendable {
        /// Whether this device is the connection's central.
        package var isInitiator: Bool
        /// This device's address on the connection.
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

    /// State of the pairing: the next expected input.
    enum State: Hashable, Sendable {
        case idle
        /// The peripheral has sent a Security Request: the central pairs or encrypts.
        case requested
        case response, publicKey, confirm, random, check
        /// Encryption with the new key.
        case encryption
        case keys
        /// Pairing timed out.
        case dead
    }

    /// Timeout between commands (Vol 3, Part H, 3.4).
    static let timeout = Duration.seconds(30)

    let parties: Parties
    package var settings: PairingSettings
    var state = State.idle
    package internal(set) var deadline: Timestamp?

    // State of the current pairing, reset for each pairing.
    var request: SMP.PairingFeatures?
    var response: SMP.PairingFeatures?
    var method = PairingMethod.justWorks
    var isSecureConnections = false
    var keySize: UInt8 = 16
    /// The passkey displayed or entered, 0 if none is needed; nil until known.
    var passkey: UInt32?
    /// Current passkey round, 0 to 19.
    var round = 0
    var ownRandom: UInt128 = 0
    var peerRandom: UInt128 = 0
    var peerConfirm: UInt128?
    var keyPair: P256.KeyPair?
    var peerPublicKey: P256.PublicKey?
    var secret: SharedSecret?
    var macKey: SecretKey?
    var peerCheck: UInt128?
    /// Whether the user has confirmed that the numbers match; true if none are compared.
    var isCompared = true
    /// The key for encrypting the connection: the short term key or the long term key.
    var key: SecretKey?
    var distribution = Distribution()
    var actions: [Action] = []

    package init(_ parties: Parties, settings: PairingSettings) {
        self.parties = parties
        self.settings = settings
    }

    /// Whether pairing is in progress.
    package var isActive: Bool { ![.idle, .requested, .dead].contains(state) }

    /// The key for the controller's request, while pairing waits for encryption.
    package var expectedKey: SecretKey? { state == .encryption ? key : nil }

    /// The security that encryption with `expectedKey` provides.
    package var expectedSecurity: LinkSecurity {
        LinkSecurity(
            level: method.isAuthenticated ? .authenticated : .encrypted, keySize: keySize,
            hasKey: isBonding)
    }
}

// MARK: - Inputs

extension Pairing {
    /// Starts pairing: the central sends a Pairing Request, the peripheral a Security Request.
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

    /// Handles a command from the peer.
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

    /// Handles the user's answer.
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

    /// Handles a change of encryption, or its failure.
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

    /// Handles the pairing timeout.
    package mutating func tick(at now: Timestamp) -> [Action] {
        guard let deadline, deadline <= now else { return [] }
        let wasActive = isActive
        end()
        if !wasActive { return [] }
        state = .dead
        return [.failed(.timedOut)]
    }

    /// Handles a disconnection.
    package mutating func disconnected() -> [Action] {
        defer { end() }
        return isActive ? [.failed(.disconnected)] : []
    }
}

// MARK: - Common procedures

extension Pairing {
    private mutating func receive(_ pdu: any SMP.PDU, at now: Timestamp, _ random: inout RandomSource) {
        switch pdu {
        case let failed as SMP.PairingFailed:
            guard isActive else { return }
            end()
            actions.append(.failed(.refusedByPeer(failed.reason)))
        case is SMP.PairingKeypressNotification: break
        // The owner decides how to respond to a Security Request.
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
            // Ignore commands outside a pairing.
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

    /// Whether both devices' features allow a pairing that meets this device's requirements; otherwise rejects the
    /// pairing.
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

    /// Displays a passkey, asks for one, or continues without one.
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
            // The initiator sends its confirm value first.
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

    /// Encrypts the connection with the new key.
    mutating func encrypt(with key: SecretKey, at now: Timestamp) {
        self.key = key
        state = .encryption
        actions.append(.encrypt(key))
    }

    /// Rejects pairing.
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

    /// Ends the pairing.
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
