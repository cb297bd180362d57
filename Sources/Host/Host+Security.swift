import Bluetooth
import BluetoothCrypto
import Bytes

/// Pairing, encryption and bonds of the connections.
extension Host {
    /// As central, encrypts with the bond's key if that is sufficient, otherwise pairs. As peripheral, sends a Security
    /// Request.
    mutating func secure(_ handle: ConnectionHandle, at now: Timestamp) {
        guard let link = links[handle] else { return }
        let isCentral = link.connection.role == .central
        let wanted: SecurityLevel = configuration.pairing.needsMITMProtection ? .authenticated : .encrypted
        if link.security.level >= wanted { return report(.securityChanged(handle, link.security)) }
        guard isCentral, let bond = bonds.bond(at: link.connection.peer), let key = bond.peerKey,
            bond.security.level >= wanted
        else { return pair(handle, at: now) }
        links[handle]?.isResuming = true
        encrypt(handle, with: key)
    }

    mutating func pair(_ handle: ConnectionHandle, at now: Timestamp) {
        if let actions = links[handle]?.pairing.begin(at: now, random: &random) {
            perform(actions, of: handle, at: now)
        }
    }

    mutating func answerPairing(_ handle: ConnectionHandle, _ answer: Pairing.Answer, at now: Timestamp) {
        if let actions = links[handle]?.pairing.answer(answer, at: now, random: &random) {
            perform(actions, of: handle, at: now)
        }
    }

    mutating func receiveSecurityCommand(_ command: [UInt8], from handle: ConnectionHandle, at now: Timestamp) {
        guard let actions = links[handle]?.pairing.handle(command, at: now, random: &random) else { return }
        perform(actions, of: handle, at: now)
        guard links[handle]?.connection.role == .central, links[handle]?.pairing.isActive == false,
            command.first == SMP.Opcode.securityRequest.rawValue,
            let request = try? SMP.SecurityRequest(decoding: Array(command.dropFirst()))
        else { return }
        report(.securityRequested(handle, request.requirements))
    }

    mutating func perform(_ actions: [Pairing.Action], of handle: ConnectionHandle, at now: Timestamp) {
        for action in actions {
            switch action {
            case .send(let command): send(command, on: .smp, to: handle)
            case .encrypt(let key):
                links[handle]?.isResuming = false
                if links[handle]?.connection.role == .central {
                    encrypt(handle, with: Bond.EncryptionKey(key: key))
                }
            case .ask(let question): report(.pairingPrompt(handle, question))
            case .failed(let failure): report(.pairingFailed(handle, failure))
            case .finished(let bond): paired(handle, bond, at: now)
            }
        }
    }

    private mutating func paired(_ handle: ConnectionHandle, _ bond: Bond, at now: Timestamp) {
        report(.paired(handle, bond))
        guard let link = links[handle], bond.ownKey != nil || bond.peerKey != nil else { return }
        var bond = bond
        if let before = bonds[bond.peer] {
            bond.table = before.table
            bond.databaseHash = before.databaseHash
        }
        links[handle]?.connection.identity = bond.peer
        if !link.client.table.isEmpty {
            bond.table = link.client.table
            bond.databaseHash = link.client.databaseHash
        }
        let actions = server.identify(handle, as: bond.peer, isNewBond: true, at: now)
        bond.client = server.client(bond.peer) ?? ClientState()
        keep(bond)
        perform(actions)
    }

    private mutating func encrypt(_ handle: ConnectionHandle, with key: Bond.EncryptionKey) {
        command(
            HCI.LEEnableEncryption(
                handle: handle, randomNumber: ByteWriter.bytes { $0.write(key.random) },
                encryptedDiversifier: key.ediv, longTermKey: key.key.wireBytes), for: .encryption(handle))
    }

    /// Provides the key for encryption started by the central: that of the pairing in progress, or the bond's key that
    /// the event identifies.
    mutating func keyRequested(_ event: HCI.LELongTermKeyRequest) {
        guard let link = links[event.handle] else { return }
        let number = event.randomNumber.reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        if let key = link.pairing.expectedKey, number == 0, event.encryptedDiversifier == 0 {
            links[event.handle]?.isResuming = false
            return command(HCI.LELongTermKeyRequestReply(handle: event.handle, longTermKey: key.wireBytes))
        }
        guard let key = bonds.bond(at: link.connection.peer)?.ownKey, key.random == number,
            key.ediv == event.encryptedDiversifier
        else { return command(HCI.LELongTermKeyRequestNegativeReply(handle: event.handle)) }
        links[event.handle]?.isResuming = true
        command(HCI.LELongTermKeyRequestReply(handle: event.handle, longTermKey: key.key.wireBytes))
    }

    mutating func encryptionChanged(
        _ handle: ConnectionHandle, _ status: HCI.ErrorCode, isOn: Bool, at now: Timestamp
    ) {
        guard let link = links[handle] else { return }
        guard status == .success else { return encryptionFailed(handle, status, at: now) }
        let bond = bonds.bond(at: link.connection.peer)
        var security = LinkSecurity(hasKey: bond != nil)
        if isOn { security = link.isResuming ? bond?.security ?? security : link.pairing.expectedSecurity }
        links[handle]?.security = security
        server.setSecurity(security, of: handle)
        report(.securityChanged(handle, security))
        if isOn, link.isResuming, let bond {
            links[handle]?.connection.identity = bond.peer
            perform(server.identify(handle, as: bond.peer, at: now))
        }
        if let actions = links[handle]?.pairing.encryptionChanged(isOn, at: now, random: &random) {
            perform(actions, of: handle, at: now)
        }
    }

    mutating func encryptionFailed(_ handle: ConnectionHandle, _ status: HCI.ErrorCode, at now: Timestamp) {
        guard links[handle] != nil else { return }
        report(.encryptionFailed(handle, status))
        if let actions = links[handle]?.pairing.encryptionChanged(false, at: now, random: &random) {
            perform(actions, of: handle, at: now)
        }
    }
}

extension Bond {
    /// The encryption key for connections in which this device has the given role.
    func key(asCentral isCentral: Bool) -> EncryptionKey? { isCentral ? peerKey : ownKey }
}
