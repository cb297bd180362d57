import Bluetooth

/// Extended advertising (Vol 4, Part E, 7.8.52 to 7.8.60).
extension VirtualController {
    /// The set with a command's advertising handle.
    private func namedSet(_ values: CommandValues) throws(Refusal) -> AdvertisingSet {
        guard let set = state.sets.first(where: { $0.handle == values.integer("advertising_handle") }) else {
            throw Refusal(.unknownAdvertisingIdentifier)
        }
        return set
    }

    mutating func setSetRandomAddress(_ command: Command) throws(Refusal) -> Returned {
        let values = try command.values()
        try use(.extended)
        var set = try namedSet(values)
        if set.isEnabled, set.properties.contains(.connectable) { throw .disallowed }
        set.randomAddress = values.address
        store(set)
        return .success
    }

    mutating func setExtendedParameters(_ command: Command) throws(Refusal) -> Returned {
        let values = try command.values()
        try use(.extended)
        let handle: UInt8 = values.integer("advertising_handle")
        guard handle <= 0xEF else { throw .invalidParameters }
        var set = set(handle) ?? AdvertisingSet(handle: handle)
        if set.isEnabled { throw .disallowed }
        let isNew = !state.sets.contains { $0.handle == handle }
        if isNew, state.sets.count >= Int(configuration.advertisingSets) { throw Refusal(.memoryCapacityExceeded) }
        let properties = AdvertisingProperties(rawValue: values.integer("advertising_properties"))
        let minimum: UInt32 = values.integer("le_advts_interval_min")
        let maximum: UInt32 = values.integer("le_advts_interval_max")
        let ownType = HCI.AddressType(rawValue: values.integer("le_own_address_type"))
        let channels: UInt8 = values.integer("le_advts_ch_map")
        let filterPolicy: UInt8 = values.integer("le_advts_filter_policy")
        let primary = HCI.PHY(rawValue: values.integer("primary_advertising_phy"))
        let secondary = HCI.PHY(rawValue: values.integer("secondary_advertising_phy"))
        let power: Int8 = values.integer("power_level")
        guard properties.isValid, minimum >= 0x20, minimum <= maximum, ownType.rawValue < 4, channels & 7 != 0,
            filterPolicy < 4, primary == .le1M || primary == .leCoded && !properties.contains(.legacy),
            properties.contains(.legacy) || (1...3).contains(secondary.rawValue)
        else { throw .invalidParameters }
        set.properties = properties
        set.interval = minimum
        set.channels = channels & 7
        set.ownType = ownType
        set.peer = DeviceAddress(
            values.address, values.integer("le_peer_address_type", as: UInt8.self) & 1 == 0 ? .public : .random)
        set.filterPolicy = filterPolicy
        set.power = power == 127 ? configuration.power : min(max(power, -40), 20)
        set.primaryPHY = primary
        set.secondaryPHY = secondary
        set.setID = values.integer("advertising_sid", as: UInt8.self) & 0x0F
        set.notifiesScanRequests = values.number("scan_request_notification_enable") == 1
        if set.data.count > set.capacity || set.scanResponse.count > set.capacity { throw .invalidParameters }
        store(set)
        return .values(["transmit_power_level": .number(UInt64(UInt8(bitPattern: set.power)))])
    }

    mutating func setExtendedData(_ command: Command) throws(Refusal) -> Returned {
        let values = try command.values()
        try use(.extended)
        var set = try namedSet(values)
        if set.properties.contains(.legacy), set.properties.contains(.directed) { throw .invalidParameters }
        try Self.put(
            values.bytes("advertising_data"), operation: values.integer("adv_data_operation"), into: &set.data,
            &set.dataIsPartial, set)
        set.dataID = (set.dataID + 1) & 0x0FFF
        store(set)
        return .success
    }

    mutating func setExtendedScanResponse(_ command: Command) throws(Refusal) -> Returned {
        let values = try command.values()
        try use(.extended)
        var set = try namedSet(values)
        guard set.properties.contains(.scannable) else { throw .invalidParameters }
        let operation: UInt8 = values.integer("adv_data_operation")
        if operation == 4 { throw .invalidParameters }
        try Self.put(
            values.bytes("scan_response_data"), operation: operation, into: &set.scanResponse,
            &set.scanResponseIsPartial, set)
        store(set)
        return .success
    }

    /// Adds a fragment to a set's data. Operation: 0 intermediate, 1 first, 2 last, 3 complete, 4 unchanged data.
    private static func put(
        _ fragment: [UInt8], operation: UInt8, into data: inout [UInt8], _ isPartial: inout Bool, _ set: AdvertisingSet
    ) throws(Refusal) {
        if operation > 4 { throw .invalidParameters }
        if operation == 4 {
            guard set.isEnabled, !data.isEmpty, fragment.isEmpty else { throw .invalidParameters }
            return
        }
        if operation != 3 {
            if set.isEnabled { throw .disallowed }
            if set.isLegacy || fragment.isEmpty || operation != 1 && !isPartial { throw .invalidParameters }
        }
        let whole = operation == 0 || operation == 2 ? data + fragment : fragment
        if whole.count > set.capacity {
            if operation != 3 {
                data = []
                isPartial = false
            }
            throw set.isLegacy ? .invalidParameters : Refusal(.memoryCapacityExceeded)
        }
        data = whole
        isPartial = operation < 2
    }

    mutating func setExtendedEnable(_ command: Command) throws(Refusal) -> Returned {
        let values = try command.values()
        try use(.extended)
        let enable = values.number("le_advts_enable")
        let list = values.list("adv_num_sets")
        if enable > 1 || enable == 1 && list.isEmpty { throw .invalidParameters }
        let handles: [UInt8] = list.map { $0.integer("advertising_handle") }
        if Set(handles).count != handles.count { throw .invalidParameters }
        if enable == 0 {
            let stopped = list.isEmpty ? state.sets.map(\.handle) : handles
            for handle in stopped where set(handle) == nil { throw Refusal(.unknownAdvertisingIdentifier) }
            for handle in stopped { stop(handle) }
            return .success
        }
        var ready: [(set: AdvertisingSet, duration: Int64)] = []
        for element in list {
            var set = try namedSet(element)
            let duration = Int64(element.number("adv_duration")) * Span.centisecond
            if set.dataIsPartial || set.scanResponseIsPartial { throw .disallowed }
            if set.properties.contains(.highDutyCycle), !(1...1_280 * Span.millisecond).contains(duration) {
                throw .invalidParameters
            }
            guard ownAddress(set.ownType, set.randomAddress, peer: set.peer) != nil else { throw .invalidParameters }
            if set.properties.contains(.connectable), state.connections.count >= configuration.connections {
                throw Refusal(.connectionLimitExceeded)
            }
            set.maximumEvents = element.integer("max_extended_advertising_events")
            ready.append((set, duration))
        }
        for (set, duration) in ready { start(set, duration: duration) }
        return .success
    }

    mutating func readMaximumDataLength() throws(Refusal) -> Returned {
        try use(.extended)
        return .values(["max_adv_data_length": .number(UInt64(AdvertisingSet.maximumData))])
    }

    mutating func readNumberOfSets() throws(Refusal) -> Returned {
        try use(.extended)
        return .values(["num_supported_adv_sets": .number(UInt64(configuration.advertisingSets))])
    }

    mutating func removeSet(_ command: Command) throws(Refusal) -> Returned {
        let values = try command.values()
        try use(.extended)
        let set = try namedSet(values)
        if set.isEnabled { throw .disallowed }
        state.sets.removeAll { $0.handle == set.handle }
        return .success
    }

    mutating func clearSets() throws(Refusal) -> Returned {
        try use(.extended)
        if state.sets.contains(where: \.isEnabled) { throw .disallowed }
        state.sets = []
        return .success
    }
}

extension AdvertisingProperties {
    /// Whether the combination is valid (Vol 4, Part E, 7.8.53).
    var isValid: Bool {
        guard isSubset(of: .all) else { return false }
        if contains(.legacy) {
            let kinds: [AdvertisingProperties] = [
                [.connectable, .scannable], [.connectable, .directed], [.connectable, .directed, .highDutyCycle],
                [.scannable], [],
            ]
            return kinds.contains(subtracting(.legacy))
        }
        return !(contains(.connectable) && contains(.scannable)) && !contains(.highDutyCycle)
            && !(contains(.anonymous) && !isDisjoint(with: [.connectable, .scannable]))
    }
}
