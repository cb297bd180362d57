import Bluetooth

/// State of initiating (Vol 6, Part B, 4.4.4).
struct Initiating: Sendable {
    var ownType: HCI.AddressType
    /// Nil for any device on the filter accept list.
    var peer: DeviceAddress?
    var timing: LinkTiming
    var listening: Listening
    var isExtended: Bool

    var usesAcceptList: Bool { peer == nil }
}

/// Connection creation with legacy and extended commands (Vol 4, Part E, 7.8.12, 7.8.13 and 7.8.66).
extension VirtualController {
    mutating func createConnection(_ command: Command) throws(Refusal) -> Returned {
        let parameters = try command.decode(HCI.LECreateConnection.self)
        try use(.legacy)
        let timing = try LinkTiming(
            parameters.timing.intervalMin, parameters.timing.intervalMax, parameters.timing.maxLatency,
            parameters.timing.supervisionTimeout)
        guard Self.isWindow(parameters.scanWindow, of: parameters.scanInterval), parameters.filterPolicy < 2,
            parameters.peerType.rawValue < 4, parameters.ownType.rawValue < 4
        else { throw .invalidParameters }
        try initiate(
            Initiating(
                ownType: parameters.ownType,
                peer: parameters.filterPolicy == 1
                    ? nil : DeviceAddress(parameters.peer, parameters.peerType.kind ?? .public),
                timing: timing,
                listening: Listening(
                    interval: Int64(parameters.scanInterval) * Span.slot,
                    window: Int64(parameters.scanWindow) * Span.slot, phys: 1), isExtended: false))
        return .success
    }

    mutating func extendedCreateConnection(_ command: Command) throws(Refusal) -> Returned {
        let values = try command.values()
        try use(.extended)
        let mask: UInt8 = values.integer("le_init_phys")
        let filterPolicy = values.number("le_initiator_filter_policy")
        let ownType = HCI.AddressType(rawValue: values.integer("le_own_address_type"))
        let peerType = HCI.AddressType(rawValue: values.integer("le_peer_address_type"))
        guard mask & 0b101 != 0, filterPolicy < 2, ownType.rawValue < 4, peerType.rawValue < 4 else {
            throw .invalidParameters
        }
        if mask & ~0b111 != 0 { throw .unsupported }
        for element in values.list("le_init_phy_param") {
            _ = try LinkTiming(element)
            guard Self.isWindow(element.integer("le_scan_window"), of: element.integer("le_scan_interval")) else {
                throw .invalidParameters
            }
        }
        guard let first = values.list("le_init_phy_param").first else { throw .invalidParameters }
        try initiate(
            Initiating(
                ownType: ownType,
                peer: filterPolicy == 1 ? nil : DeviceAddress(values.address, peerType.kind ?? .public),
                timing: try LinkTiming(first),
                listening: Listening(
                    interval: Int64(first.number("le_scan_interval")) * Span.slot,
                    window: Int64(first.number("le_scan_window")) * Span.slot, phys: mask & 0b101), isExtended: true))
        return .success
    }

    private mutating func initiate(_ initiating: Initiating) throws(Refusal) {
        if state.initiating != nil || state.connecting != nil { throw .disallowed }
        if state.connections.count >= configuration.connections { throw Refusal(.connectionLimitExceeded) }
        if let peer = initiating.peer, state.connections.contains(where: { $0.peer == peer }) {
            throw Refusal(.connectionAlreadyExists)
        }
        if initiating.ownType == .randomDevice, state.randomAddress == nil { throw .invalidParameters }
        state.initiating = initiating
        actions.append(.listen(.initiator, initiating.listening))
    }

    mutating func cancelCreateConnection() throws(Refusal) -> Returned {
        guard state.initiating != nil else { throw .disallowed }
        state.initiating = nil
        actions.append(.listen(.initiator, nil))
        sendConnectionComplete(failure: .unknownConnectionIdentifier, role: .central)
        return .success
    }

    /// Handles an advertisement received while initiating: connects if it matches.
    mutating func initiate(_ advertisement: Advertisement, _ reception: Reception) {
        guard let initiating = state.initiating, advertisement.properties.contains(.connectable),
            let address = advertisement.advertiser,
            initiating.isExtended || advertisement.properties.contains(.legacy)
        else { return }
        let identity = resolved(address)
        guard mayUse(identity, as: address), initiating.peer.map({ $0 == identity }) ?? isAccepted(identity),
            advertisement.target.map({ isOwn($0) }) ?? true,
            !state.connections.contains(where: { $0.peer == identity }),
            let own = ownAddress(initiating.ownType, state.randomAddress, peer: identity)
        else { return }
        state.initiating = nil
        state.connecting = initiating
        actions.append(.listen(.initiator, nil))
        let isLegacy = advertisement.properties.contains(.legacy)
        let supportsAlgorithm2 = configuration.features.contains(.channelSelection2)
        actions.append(
            .connect(
                ConnectRequest(
                    target: advertisement.source, initiator: own, advertiser: address, timing: initiating.timing,
                    channelMap: state.channelMap, clockAccuracy: 5,
                    phy: isLegacy ? .le1M : advertisement.secondaryPHY, isLegacy: isLegacy,
                    supportsAlgorithm2: supportsAlgorithm2,
                    // Connections from auxiliary PDUs always use it (Vol 6, Part B, 4.5.8).
                    usesAlgorithm2: !isLegacy || supportsAlgorithm2 && advertisement.supportsAlgorithm2)))
    }

    /// Resumes initiating because the advertiser did not answer.
    mutating func connectFailed() {
        guard let initiating = state.connecting else { return }
        state.connecting = nil
        state.initiating = initiating
        actions.append(.listen(.initiator, initiating.listening))
    }

    mutating func connected(by request: ConnectRequest, _ link: LinkID, _ reception: Reception) {
        guard state.connecting != nil else { return actions.append(.leave(link)) }
        state.connecting = nil
        open(link, request, role: .central, reception)
    }

    /// Handles a connection request to one of this controller's sets.
    mutating func receive(_ request: ConnectRequest, _ link: LinkID, _ reception: Reception) {
        guard let set = set(request.target.set), set.isEnabled, set.properties.contains(.connectable) else { return }
        let identity = resolved(request.initiator)
        guard mayUse(identity, as: request.initiator), set.filterPolicy & 2 == 0 || isAccepted(identity),
            !set.properties.contains(.directed) || set.peer == identity,
            state.connections.count < configuration.connections
        else { return }
        stop(set.handle)
        actions.append(.accept(link))
        open(link, request, role: .peripheral, reception)
        guard set.handle != AdvertisingSet.legacyHandle, let connection = state.connections.last else { return }
        send(.advertisingSetTerminated, terminated(set, .success, connection.handle))
    }
}

extension LinkTiming {
    /// Selects the timing within the host's limits: the shortest interval (Vol 4, Part E, 7.8.12).
    init(_ minimum: UInt16, _ maximum: UInt16, _ latency: UInt16, _ timeout: UInt16) throws(Refusal) {
        // The timeout, in units of 10 ms, must exceed twice (1 + latency) intervals of 1.25 ms.
        guard (6...3200).contains(minimum), (minimum...3200).contains(maximum), latency <= 499,
            (10...3200).contains(timeout), UInt32(timeout) * 4 > (1 + UInt32(latency)) * UInt32(maximum)
        else { throw .invalidParameters }
        self.init(interval: minimum, latency: latency, timeout: timeout)
    }

    /// The timing requested by a command's parameters.
    init(_ values: CommandValues) throws(Refusal) {
        try self.init(
            values.integer("le_con_interval_min"), values.integer("le_con_interval_max"),
            values.integer("le_con_latency"), values.integer("le_supv_timeout"))
    }
}
