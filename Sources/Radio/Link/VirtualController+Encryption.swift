import Bluetooth
import BluetoothCrypto
import Bytes

/// Encryption of connections (Vol 4, Part E, 7.8.24 to 7.8.26; Vol 6, Part B, 5.1.3).
extension VirtualController {
    mutating func enableEncryption(_ command: Command) throws(Refusal) -> Returned {
        let parameters = try command.decode(HCI.LEEnableEncryption.self)
        let index = try index(of: parameters.handle)
        guard state.connections[index].role == .central else { throw .disallowed }
        try begin(
            .encryption(
                EncryptionKey(
                    random: parameters.randomNumber.reversed().reduce(0) { $0 << 8 | UInt64($1) },
                    diversifier: parameters.encryptedDiversifier, key: SecretKey(wire: parameters.longTermKey))),
            at: index)
        return .success
    }

    /// Central: starts encryption; on an encrypted connection, requests a pause first.
    mutating func startEncryption(with key: EncryptionKey, at index: Int) {
        if state.connections[index].encryption.txSession != nil {
            state.connections[index].encryption.isRefresh = true
            state.connections[index].encryption.step = .pauseResponse
            sendControl(LL.PauseEncReq(), at: index)
        } else {
            state.connections[index].encryption.isRefresh = false
            requestEncryption(with: key, at: index)
        }
    }

    private mutating func requestEncryption(with key: EncryptionKey, at index: Int) {
        let diversifier = random.next()
        let vector = UInt32(truncatingIfNeeded: random.next())
        state.connections[index].encryption.request = (diversifier, vector)
        state.connections[index].encryption.step = .response
        sendControl(
            LL.EncReq(
                random: key.random, encryptedDiversifier: key.diversifier, sessionKeyDiversifier: diversifier,
                initializationVector: vector), at: index)
    }

    /// Peripheral: handles an encryption request by asking the host for the key.
    mutating func receive(_ request: LL.EncReq, at index: Int) {
        let connection = state.connections[index]
        guard connection.role == .peripheral, [.idle, .request].contains(connection.encryption.step),
            connection.encryption.rxSession == nil
        else { return end(connection.link, reason: HCI.ErrorCode(rawValue: 0x24)) }
        let diversifier = random.next()
        let vector = UInt32(truncatingIfNeeded: random.next())
        state.connections[index].encryption.request = (request.sessionKeyDiversifier, request.initializationVector)
        state.connections[index].encryption.response = (diversifier, vector)
        state.connections[index].encryption.isRefresh = connection.encryption.step == .request
        state.connections[index].encryption.step = .key
        sendControl(LL.EncRsp(sessionKeyDiversifier: diversifier, initializationVector: vector), at: index)
        guard wants(.longTermKeyRequest) else { return refuseKey(at: index) }
        send(
            HCI.LELongTermKeyRequest(
                handle: connection.handle,
                randomNumber: (0..<8).map { UInt8(truncatingIfNeeded: request.random >> (8 * $0)) },
                encryptedDiversifier: request.encryptedDiversifier))
    }

    /// Central: handles the response to its encryption request.
    mutating func receive(_ response: LL.EncRsp, at index: Int) {
        guard state.connections[index].encryption.step == .response else { return }
        state.connections[index].encryption.response = (
            response.sessionKeyDiversifier, response.initializationVector
        )
        state.connections[index].encryption.step = .startRequest
    }

    mutating func replyWithKey(_ command: Command) throws(Refusal) -> Returned {
        let parameters = try command.decode(HCI.LELongTermKeyRequestReply.self)
        let index = try index(of: parameters.handle)
        guard state.connections[index].encryption.step == .key else { throw .disallowed }
        let session = state.connections[index].encryption.session(SecretKey(wire: parameters.longTermKey))
        sendControl(LL.StartEncReq(), at: index)
        state.connections[index].encryption.rxSession = session
        state.connections[index].encryption.step = .startResponse
        return .handle(parameters.handle)
    }

    mutating func replyWithoutKey(_ command: Command) throws(Refusal) -> Returned {
        let parameters = try command.decode(HCI.LELongTermKeyRequestNegativeReply.self)
        let index = try index(of: parameters.handle)
        guard state.connections[index].encryption.step == .key else { throw .disallowed }
        refuseKey(at: index)
        return .handle(parameters.handle)
    }

    /// Rejects encryption without a key. An already encrypted connection ends (Vol 6, Part B, 5.1.3.1 and 5.1.3.2).
    private mutating func refuseKey(at index: Int) {
        state.connections[index].encryption.step = .idle
        if state.connections[index].encryption.isRefresh {
            return terminate(at: index, sending: .pinOrKeyMissing, reason: .pinOrKeyMissing)
        }
        sendControl(LL.RejectExtInd(rejectOpcode: .encReq, errorCode: .pinOrKeyMissing), at: index)
        releaseHeldData(at: index)
    }

    /// Central: the peripheral has no key or does not support encryption.
    mutating func encryptionRefused(_ reason: HCI.ErrorCode, at index: Int) {
        state.connections[index].encryption.step = .idle
        send(HCI.EncryptionChange(status: reason, handle: state.connections[index].handle, enabled: 0))
        releaseHeldData(at: index)
        finishProcedure(at: index)
    }

    /// Central: the peripheral has its key. From now on, both directions are encrypted.
    mutating func receiveStartRequest(at index: Int) {
        guard case .encryption(let key)? = state.connections[index].procedure,
            state.connections[index].encryption.step == .startRequest
        else { return }
        let session = state.connections[index].encryption.session(key.key)
        state.connections[index].encryption.txSession = session
        state.connections[index].encryption.rxSession = session
        state.connections[index].encryption.step = .startResponse
        sendControl(LL.StartEncRsp(), at: index)
    }

    /// Handles LL_START_ENC_RSP: encryption has started.
    mutating func receiveStartResponse(at index: Int) {
        let connection = state.connections[index]
        guard connection.encryption.step == .startResponse else { return }
        if connection.role == .peripheral {
            state.connections[index].encryption.txSession = connection.encryption.rxSession
            sendControl(LL.StartEncRsp(), at: index)
        }
        state.connections[index].encryption.step = .idle
        if connection.encryption.isRefresh {
            send(
                .encryptionKeyRefreshComplete,
                ["status": 0, "connection_handle": .number(UInt64(connection.handle.rawValue))])
        } else {
            send(HCI.EncryptionChange(handle: connection.handle, enabled: 1))
        }
        releaseHeldData(at: index)
        if case .encryption? = connection.procedure { finishProcedure(at: index) }
    }

    /// Peripheral: the central pauses encryption to change the key.
    mutating func receivePauseRequest(at index: Int) {
        guard state.connections[index].role == .peripheral, state.connections[index].encryption.step == .idle else {
            return
        }
        sendControl(LL.PauseEncRsp(), at: index)
        state.connections[index].encryption.rxSession = nil
        state.connections[index].encryption.step = .request
    }

    /// Both roles: the peer has paused too; the following PDUs are unencrypted.
    mutating func receivePauseResponse(at index: Int) {
        let connection = state.connections[index]
        if connection.role == .central {
            guard connection.encryption.step == .pauseResponse, case .encryption(let key)? = connection.procedure else {
                return
            }
            state.connections[index].encryption.txSession = nil
            state.connections[index].encryption.rxSession = nil
            sendControl(LL.PauseEncRsp(), at: index)
            requestEncryption(with: key, at: index)
        } else if connection.encryption.step == .request {
            state.connections[index].encryption.txSession = nil
        }
    }
}
