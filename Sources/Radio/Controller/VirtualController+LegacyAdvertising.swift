import Bluetooth

/// Legacy advertising (Vol 4, Part E, 7.8.5 to 7.8.9).
extension VirtualController {
    /// Records the host's choice of legacy or extended commands; rejects a mix of both (Vol 4, Part E, 3.1.1).
    mutating func use(_ commands: AdvertisingCommands) throws(Refusal) {
        if let used = state.advertisingCommands, used != commands { throw .disallowed }
        state.advertisingCommands = commands
    }

    mutating func setAdvertisingParameters(_ command: Command) throws(Refusal) -> Returned {
        let parameters = try command.decode(HCI.LESetAdvertisingParameters.self)
        try use(.legacy)
        if state.legacySet.isEnabled { throw .disallowed }
        let properties: [AdvertisingProperties] = [
            [.legacy, .connectable, .scannable], [.legacy, .connectable, .directed, .highDutyCycle],
            [.legacy, .scannable], [.legacy], [.legacy, .connectable, .directed],
        ]
        guard parameters.type < 5, parameters.ownType.rawValue < 4, parameters.peerType.rawValue < 2,
            parameters.channelMap & 7 != 0, parameters.filterPolicy < 4,
            parameters.type == 1
                || (0x20...0x4000).contains(parameters.intervalMin) && (0x20...0x4000).contains(parameters.intervalMax)
                    && parameters.intervalMin <= parameters.intervalMax
        else { throw .invalidParameters }
        state.legacySet.properties = properties[Int(parameters.type)]
        state.legacySet.interval = UInt32(max(parameters.intervalMin, 0x20))
        state.legacySet.channels = parameters.channelMap & 7
        state.legacySet.ownType = parameters.ownType
        state.legacySet.peer = DeviceAddress(parameters.peer, parameters.peerType.kind ?? .public)
        state.legacySet.filterPolicy = parameters.filterPolicy
        return .success
    }

    mutating func readAdvertisingPower() throws(Refusal) -> Returned {
        try use(.legacy)
        return .values(["transmit_power_level": .number(UInt64(UInt8(bitPattern: configuration.power)))])
    }

    mutating func setAdvertisingData(_ command: Command) throws(Refusal) -> Returned {
        let data = try command.decode(HCI.LESetAdvertisingData.self).data
        try use(.legacy)
        state.legacySet.data = data
        return .success
    }

    mutating func setScanResponseData(_ command: Command) throws(Refusal) -> Returned {
        let data = try command.decode(HCI.LESetScanResponseData.self).data
        try use(.legacy)
        state.legacySet.scanResponse = data
        return .success
    }

    mutating func setAdvertisingEnable(_ command: Command) throws(Refusal) -> Returned {
        let enable = try command.decode(HCI.LESetAdvertisingEnable.self).enable
        try use(.legacy)
        if enable > 1 { throw .invalidParameters }
        if enable == 0 {
            stop(AdvertisingSet.legacyHandle)
            return .success
        }
        if state.legacySet.isEnabled { return .success }
        guard ownAddress(state.legacySet.ownType, state.randomAddress, peer: state.legacySet.peer) != nil else {
            throw .invalidParameters
        }
        var set = state.legacySet
        set.randomAddress = state.randomAddress
        set.power = configuration.power
        if set.properties.contains(.connectable), state.connections.count >= configuration.connections {
            throw Refusal(.connectionLimitExceeded)
        }
        start(set, duration: set.properties.contains(.highDutyCycle) ? 1_280 * Span.millisecond : 0)
        return .success
    }
}
