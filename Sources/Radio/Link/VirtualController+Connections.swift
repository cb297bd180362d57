import Bluetooth

/// Commands for connections (Vol 4, Part E, 7.1.6, 7.1.23, 7.5.4, 7.8.19 to 7.8.21).
extension VirtualController {
    mutating func disconnect(_ command: Command) throws(Refusal) -> Returned {
        let parameters = try command.decode(HCI.Disconnect.self)
        let index = try index(of: parameters.handle)
        let reasons: [HCI.ErrorCode] = [
            .authenticationFailure, .remoteUserTerminatedConnection, .remoteDeviceLowResources,
            .remoteDevicePowerOff, .unsupportedRemoteFeature, HCI.ErrorCode(rawValue: 0x29),
            .unacceptableConnectionParameters,
        ]
        guard reasons.contains(parameters.reason) else { throw .invalidParameters }
        if state.connections[index].endReason != nil { throw .disallowed }
        terminate(at: index, sending: parameters.reason, reason: .connectionTerminatedByLocalHost)
        return .success
    }

    mutating func readRemoteVersion(_ command: Command) throws(Refusal) -> Returned {
        try begin(.version, at: index(of: command.values().handle))
        return .success
    }

    mutating func readRemoteFeatures(_ command: Command) throws(Refusal) -> Returned {
        let index = try index(of: command.values().handle)
        if state.connections[index].role == .peripheral, !configuration.features.contains(.peripheralFeatureExchange) {
            throw .disallowed
        }
        try begin(.features, at: index)
        return .success
    }

    func readRSSI(_ command: Command) throws(Refusal) -> Returned {
        let connection = state.connections[try index(of: command.values().handle)]
        return .values([
            "connection_handle": .number(UInt64(connection.handle.rawValue)),
            "rssi": .number(UInt64(UInt8(bitPattern: connection.rssi))),
        ])
    }

    func readChannelMap(_ command: Command) throws(Refusal) -> Returned {
        let connection = state.connections[try index(of: command.values().handle)]
        return .values([
            "connection_handle": .number(UInt64(connection.handle.rawValue)),
            "le_channel_map": .bytes((0..<5).map { UInt8(truncatingIfNeeded: connection.channelMap.bits >> (8 * $0)) }),
        ])
    }

    /// Updates the channel map of all connections in which this controller is the central.
    mutating func setChannelClassification(_ command: Command) throws(Refusal) -> Returned {
        let bytes = try command.values().bytes("le_channel_map")
        let map = ChannelMap(bits: bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) })
        guard map.usedCount >= 2, map.bits & ~ChannelMap.all.bits == 0 else { throw .invalidParameters }
        state.channelMap = map
        for index in state.connections.indices where state.connections[index].role == .central {
            try? begin(.channelMap(map), at: index)
        }
        return .success
    }

    /// Starts the termination procedure; the connection ends when the peer acknowledges.
    mutating func terminate(at index: Int, sending sent: HCI.ErrorCode, reason: HCI.ErrorCode) {
        guard state.connections[index].endReason == nil else { return }
        if let running = state.connections[index].procedure { state.connections[index].waiting.insert(running, at: 0) }
        state.connections[index].procedure = .end
        startTimeout(at: index)
        sendControl(LL.TerminateInd(errorCode: ControllerError(rawValue: sent.rawValue)), at: index)
        state.connections[index].endReason = reason
    }
}
