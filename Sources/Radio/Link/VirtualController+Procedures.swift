import Bluetooth

/// Link layer procedures: this end runs one at a time and queues the others (Vol 6, Part B, 5.1 and 5.2).
extension VirtualController {
    /// Procedure response timeout, 40 s (Vol 6, Part B, 5.2).
    private static let responseTimeout = 40 * Span.second

    /// Starts a procedure, or queues it behind the running one. Rejects a second procedure of a kind with a completion
    /// event for each; of other kinds, the last one queued replaces the one before it.
    mutating func begin(_ procedure: Procedure, at index: Int) throws(Refusal) {
        let connection = state.connections[index]
        if connection.endReason != nil { throw .unknownConnection }
        guard let running = connection.procedure else { return run(procedure, at: index) }
        let queued = connection.waiting.firstIndex { $0.isSameKind(as: procedure) }
        if !procedure.isRepeatable, queued != nil || running.isSameKind(as: procedure) { throw .disallowed }
        if let queued {
            state.connections[index].waiting[queued] = procedure
        } else {
            state.connections[index].waiting.append(procedure)
        }
    }

    private mutating func run(_ procedure: Procedure, at index: Int) {
        let connection = state.connections[index]
        state.connections[index].procedure = procedure
        startTimeout(at: index)
        switch procedure {
        case .version:
            if connection.peerVersion != nil { return sendRemoteVersion(at: index) }
            sendVersion(at: index)
        case .features:
            if connection.role == .central {
                sendControl(LL.FeatureReq(features: configuration.features), at: index)
            } else {
                sendControl(LL.PeripheralFeatureReq(features: configuration.features), at: index)
            }
        case .dataLength(let lengths): sendControl(LL.LengthReq(lengths: lengths), at: index)
        case .phys(let request): sendControl(request, at: index)
        case .timing(let timing):
            sendControl(
                LL.ConnectionUpdateInd(
                    windowSize: 1, windowOffset: 0, interval: timing.interval, latency: timing.latency,
                    timeout: timing.timeout, instant: 0), at: index)
        case .parameters(let parameters): sendControl(LL.ConnectionParamReq(parameters: parameters), at: index)
        case .channelMap(let map): sendControl(LL.ChannelMapInd(channelMap: map, instant: 0), at: index)
        case .encryption(let key): startEncryption(with: key, at: index)
        case .end: break
        }
    }

    /// Completes the running procedure and starts the next one.
    mutating func finishProcedure(at index: Int) {
        state.connections[index].procedure = nil
        if state.connections[index].waiting.isEmpty { return }
        run(state.connections[index].waiting.removeFirst(), at: index)
    }

    mutating func startTimeout(at index: Int) {
        let serial = nextSerial()
        state.connections[index].procedureSerial = serial
        actions.append(
            .wake(.procedureTimeout(state.connections[index].link, serial: serial), after: Self.responseTimeout))
    }

    /// Handles a response timeout: the connection ends (Vol 6, Part B, 5.2).
    mutating func procedureTimedOut(_ link: LinkID, _ serial: UInt64) {
        guard awaits(.procedureTimeout(link, serial: serial)), let index = index(of: link) else { return }
        end(link, reason: state.connections[index].endReason ?? .responseTimeout)
    }

    /// Reports a failed procedure to the host.
    mutating func fail(_ procedure: Procedure, of connection: Connection, _ reason: HCI.ErrorCode) {
        let status: [String: HCI.Value] = [
            "status": .number(UInt64(reason.rawValue)),
            "connection_handle": .number(UInt64(connection.handle.rawValue)),
        ]
        switch procedure {
        case .features: send(.readRemoteFeaturesComplete, status.merging(["le_features": 0]) { $1 })
        case .version:
            send(
                .readRemoteVersionInformationComplete,
                status.merging(["lmp_vers_nr": 0, "comp_id": 0, "lmp_sub_vers_nr": 0]) { $1 })
        case .timing, .parameters:
            send(
                HCI.LEConnectionUpdateComplete(
                    status: reason, handle: connection.handle, interval: connection.timing.interval,
                    latency: connection.timing.latency, supervisionTimeout: connection.timing.timeout))
        case .phys:
            send(
                HCI.LEPHYUpdateComplete(
                    status: reason, handle: connection.handle, txPHY: connection.phys.tx, rxPHY: connection.phys.rx))
        case .encryption:
            send(HCI.EncryptionChange(status: reason, handle: connection.handle, enabled: 0))
        case .dataLength, .channelMap, .end: break
        }
    }

    /// Handles a control PDU from the peer (Vol 6, Part B, 2.4.2).
    mutating func receive(_ pdu: any LL.ControlPDU, at index: Int) {
        switch pdu {
        case let pdu as LL.TerminateInd:
            end(state.connections[index].link, reason: HCI.ErrorCode(rawValue: pdu.errorCode.rawValue))
        case let pdu as LL.VersionInd: receive(pdu, at: index)
        case let pdu as LL.FeatureReq: receiveFeatureRequest(pdu.features, at: index)
        case let pdu as LL.PeripheralFeatureReq where configuration.features.contains(.peripheralFeatureExchange):
            receiveFeatureRequest(pdu.features, at: index)
        case let pdu as LL.FeatureRsp: receive(pdu, at: index)
        case let pdu as LL.LengthReq where configuration.features.contains(.dataLength): receive(pdu, at: index)
        case let pdu as LL.LengthRsp: receive(pdu, at: index)
        case let pdu as LL.PHYReq where configuration.features.contains(.phy2M): receive(pdu, at: index)
        case let pdu as LL.PHYRsp: receive(pdu, at: index)
        case let pdu as LL.ConnectionParamReq where configuration.features.contains(.connectionParameterRequest):
            receive(pdu, at: index)
        // Their changes take effect at the instant, which the radio reports to both ends.
        case is LL.ConnectionUpdateInd, is LL.ChannelMapInd: break
        case let pdu as LL.PHYUpdateInd: receive(pdu, at: index)
        case let pdu as LL.EncReq where configuration.features.contains(.encryption): receive(pdu, at: index)
        case let pdu as LL.EncRsp: receive(pdu, at: index)
        case is LL.StartEncReq: receiveStartRequest(at: index)
        case is LL.StartEncRsp: receiveStartResponse(at: index)
        case is LL.PauseEncReq: receivePauseRequest(at: index)
        case is LL.PauseEncRsp: receivePauseResponse(at: index)
        case let pdu as LL.RejectExtInd: receive(rejected: pdu.rejectOpcode, pdu.errorCode, at: index)
        case let pdu as LL.UnknownRsp: receive(rejected: pdu.unknownType, .unsupportedRemoteFeature, at: index)
        default: sendControl(LL.UnknownRsp(unknownType: type(of: pdu).opcode), at: index)
        }
    }

    /// Handles the peer's rejection of a procedure that this end started.
    private mutating func receive(rejected opcode: LL.ControlOpcode, _ code: ControllerError, at index: Int) {
        guard let procedure = state.connections[index].procedure, procedure.opcodes.contains(opcode) else { return }
        let connection = state.connections[index]
        if case .encryption = procedure { return encryptionRefused(HCI.ErrorCode(rawValue: code.rawValue), at: index) }
        fail(procedure, of: connection, HCI.ErrorCode(rawValue: code.rawValue))
        finishProcedure(at: index)
    }
}

extension Procedure {
    /// The PDUs that start the procedure.
    fileprivate var opcodes: [LL.ControlOpcode] {
        switch self {
        case .features: [.featureReq, .peripheralFeatureReq]
        case .version: [.versionInd]
        case .dataLength: [.lengthReq]
        case .phys: [.phyReq]
        case .timing: [.connectionUpdateInd]
        case .parameters: [.connectionParamReq]
        case .channelMap: [.channelMapInd]
        case .encryption: [.encReq, .startEncReq, .pauseEncReq]
        case .end: [.terminateInd]
        }
    }
}
