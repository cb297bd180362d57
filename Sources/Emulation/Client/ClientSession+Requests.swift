import Bluetooth
import Bytes
import Host
import PluginKit

/// Performs the client's actions, one after the other.
extension ClientSession {
    /// Identifier of the client's procedures, of which one is outstanding at a time.
    private static let procedure: UInt64 = 1
    static let discovery: UInt64 = 2
    static let serviceChangedSubscription: UInt64 = 3

    /// Performs actions until one has to wait.
    mutating func proceed(at now: Timestamp) {
        while request == nil, isUp, let wish = wishes.popFirst() {
            switch wish {
            case .connect: connect(within: Self.searchTime, at: now)
            case .search(let time): connect(within: time, at: now)
            case .requestConnection(let search): requestConnection(search, at: now)
            case .disconnect: disconnect(at: now)
            case .event(let note): emit(.note(note))
            case .commit: break
            case .read, .write, .writeCommand, .subscribe: request(wish, at: now)
            }
        }
    }

    private mutating func connect(within searchTime: Duration, at now: Timestamp) {
        guard stage == .idle else { return }
        if let address {
            stage = .connecting
            return ask(.connect(Host.ConnectSettings(address)))
        }
        stage = .scanning(until: now + searchTime)
        searchStart = now
        finder.forgetAll()
        steps.append(.scan)
    }

    /// All requests on the connection have completed at this point. Also ends a search for the device, and a request
    /// left with the system.
    private mutating func disconnect(at now: Timestamp) {
        switch stage {
        case .idle: break
        case .scanning, .pausing:
            if isScanning { ask(.stopScanning) }
            stage = .idle
            systemRequest = nil
            feed(.disconnected, at: now)
        case .connecting: ask(.cancelConnecting)
        case .discovering(let handle), .connected(let handle):
            ask(.disconnect(handle, .remoteUserTerminatedConnection))
        }
    }

    private mutating func request(_ wish: ClientAction, at now: Timestamp) {
        // The client makes its requests anew after a discovery.
        if isRediscovering { return }
        guard case .connected(let connection) = stage else { return end(wish, .lost, at: now) }
        guard let name = wish.characteristic, let remote = characteristics[name] else {
            return end(wish, .absent, at: now)
        }
        let operation: AttributeClient.Operation
        switch wish {
        case .read: operation = .read(remote.handle)
        case .write(_, let value): operation = .write(remote.handle, value)
        case .writeCommand(_, let value): operation = .writeCommand(remote.handle, value)
        case .subscribe(_, let isOn):
            operation = .subscribe(
                remote.handle, isOn ? (remote.indicates ? .indications : .notifications) : [])
        default: return
        }
        if case .write(_, let value) = wish { emit(.value(.write, name, value)) }
        if case .writeCommand(_, let value) = wish { emit(.value(.write, name, value)) }
        request = wish
        ask(.client(connection, operation, id: Self.procedure))
    }

    /// Handles the end of a request, successful or not.
    mutating func finished(
        _ result: Result<AttributeClient.Outcome, AttributeClient.Failure>, at now: Timestamp
    ) {
        guard let request else { return }
        if case .failure(.refused(let code, _)) = result,
            pairs(for: code) || isOutdated(by: code, for: request) && rediscover()
        {
            return
        }
        self.request = nil
        switch result {
        case .success(.value(let value)):
            guard let name = request.characteristic else { break }
            emit(.value(.read, name, value))
            feed(.read(name, .success(value)), at: now)
        case .success: if let name = request.characteristic { feed(.written(name, nil), at: now) }
        case .failure(.refused(let code, _)): end(request, .refused(code.rawValue), at: now)
        case .failure(.notConfigurable): end(request, .absent, at: now)
        case .failure: end(request, .lost, at: now)
        }
        proceed(at: now)
    }

    // MARK: - Pairing

    /// Begins to pair, or to encrypt with a bond, if an error demands it; returns whether it does. The outstanding
    /// request is repeated afterwards. Pairing is tried once in a connection: a device may go on refusing.
    private mutating func pairs(for code: ATT.ErrorCode) -> Bool {
        guard pairsOnDemand, !hasTriedPairing, case .connected(let handle) = stage,
            [.insufficientAuthentication, .insufficientEncryption].contains(code)
        else { return false }
        (hasTriedPairing, pairingDemand) = (true, code)
        ask(.secure(handle))
        return true
    }

    /// Repeats the request for which the connection was encrypted.
    mutating func secured(at now: Timestamp) {
        guard pairingDemand != nil, let request else { return }
        pairingDemand = nil
        self.request = nil
        self.request(request, at: now)
        proceed(at: now)
    }

    /// Reports that pairing, or encryption, has failed, and fails the request with the error that demanded it.
    mutating func securingFailed(_ reason: String, at now: Timestamp) {
        guard let code = pairingDemand, let request else { return }
        pairingDemand = nil
        self.request = nil
        emit(.note(TwinNote("pairing_failed", ["reason": .text(reason)])))
        end(request, .refused(code.rawValue), at: now)
        proceed(at: now)
    }

    /// The input that reports a failed request to the client.
    func failed(_ wish: ClientAction, _ fault: ClientFault) -> ClientInput? {
        guard let name = wish.characteristic else { return nil }
        if case .read = wish { return .read(name, .failure(fault)) }
        return .written(name, fault)
    }

    private mutating func end(_ wish: ClientAction, _ fault: ClientFault, at now: Timestamp) {
        if let input = failed(wish, fault) { feed(input, at: now) }
    }
}

extension ClientAction {
    /// Name of the characteristic concerned; nil for actions without one.
    var characteristic: String? {
        switch self {
        case .read(let name), .write(let name, _), .writeCommand(let name, _), .subscribe(let name, _): name
        case .connect, .search, .requestConnection, .disconnect, .commit, .event: nil
        }
    }
}
