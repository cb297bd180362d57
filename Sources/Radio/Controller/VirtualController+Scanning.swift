import Bluetooth

/// Scanning with legacy and extended commands (Vol 4, Part E, 7.8.10, 7.8.11, 7.8.64 and 7.8.65).
extension VirtualController {
    mutating func setScanParameters(_ command: Command) throws(Refusal) -> Returned {
        let parameters = try command.decode(HCI.LESetScanParameters.self)
        try use(.legacy)
        if state.scanning.isEnabled { throw .disallowed }
        guard parameters.type < 2, parameters.ownType.rawValue < 4, parameters.filterPolicy < 4,
            Self.isWindow(parameters.window, of: parameters.interval)
        else { throw .invalidParameters }
        state.scanning.ownType = parameters.ownType
        state.scanning.filterPolicy = parameters.filterPolicy
        state.scanning.phys = [
            Scanning.PHYParameters(
                bit: 0, isActive: parameters.type == 1, interval: parameters.interval, window: parameters.window)
        ]
        return .success
    }

    mutating func setScanEnable(_ command: Command) throws(Refusal) -> Returned {
        let parameters = try command.decode(HCI.LESetScanEnable.self)
        try use(.legacy)
        guard parameters.enable < 2, parameters.filterDuplicates < 2 else { throw .invalidParameters }
        try enableScanning(parameters.enable == 1, filterDuplicates: parameters.filterDuplicates)
        return .success
    }

    mutating func setExtendedScanParameters(_ command: Command) throws(Refusal) -> Returned {
        let values = try command.values()
        try use(.extended)
        if state.scanning.isEnabled { throw .disallowed }
        let mask: UInt8 = values.integer("le_scan_phys")
        let ownType = HCI.AddressType(rawValue: values.integer("le_own_address_type"))
        let filterPolicy: UInt8 = values.integer("le_scan_filter_policy")
        guard mask != 0, ownType.rawValue < 4, filterPolicy < 4 else { throw .invalidParameters }
        if mask & ~0b101 != 0 { throw .unsupported }
        var phys: [Scanning.PHYParameters] = []
        let bits: [UInt8] = [0, 2].filter { mask >> $0 & 1 == 1 }
        for (bit, element) in zip(bits, values.list("le_scan_phy_param")) {
            let phy = Scanning.PHYParameters(
                bit: bit, isActive: element.number("le_scan_type") == 1, interval: element.integer("le_scan_interval"),
                window: element.integer("le_scan_window"))
            guard element.number("le_scan_type") < 2, Self.isWindow(phy.window, of: phy.interval) else {
                throw .invalidParameters
            }
            phys.append(phy)
        }
        state.scanning.ownType = ownType
        state.scanning.filterPolicy = filterPolicy
        state.scanning.phys = phys
        return .success
    }

    mutating func setExtendedScanEnable(_ command: Command) throws(Refusal) -> Returned {
        let values = try command.values()
        try use(.extended)
        let enable = values.number("le_scan_enable")
        let filter: UInt8 = values.integer("le_filter_duplicates")
        let duration = Int64(values.number("scan_duration")) * Span.centisecond
        let period = Int64(values.number("scan_period")) * 1_280 * Span.millisecond
        guard enable < 2, filter < 3 else { throw .invalidParameters }
        if enable == 1, period != 0, duration == 0 || duration >= period || filter == 1 && duration == 0 {
            throw .invalidParameters
        }
        if enable == 1, filter == 2, period == 0 { throw .invalidParameters }
        try enableScanning(enable == 1, filterDuplicates: filter, duration: duration, period: period)
        return .success
    }

    /// Whether a window is at least 4 slots and at most its interval. Legacy commands allow up to 0x4000 slots,
    /// extended ones more.
    static func isWindow(_ window: UInt16, of interval: UInt16) -> Bool {
        window >= 4 && window <= interval
    }

    private mutating func enableScanning(
        _ enable: Bool, filterDuplicates: UInt8, duration: Int64 = 0, period: Int64 = 0
    ) throws(Refusal) {
        guard enable else {
            if state.scanning.isEnabled { actions.append(.listen(.scanner, nil)) }
            state.scanning.isEnabled = false
            return
        }
        if state.scanning.ownType.rawValue == 1, state.randomAddress == nil { throw .invalidParameters }
        state.scanning.filtersDuplicates = filterDuplicates > 0
        state.scanning.forgetsEachPeriod = filterDuplicates == 2
        state.scanning.duplicates.removeAll()
        state.scanning.duration = duration
        state.scanning.period = period
        state.scanning.serial = nextSerial()
        state.scanning.isEnabled = true
        actions.append(.listen(.scanner, state.scanning.listening))
        scheduleScanEnd()
    }

    private mutating func scheduleScanEnd() {
        let serial = state.scanning.serial
        if state.scanning.duration > 0 {
            actions.append(.wake(.scanEnd(serial: serial), after: state.scanning.duration))
        }
        if state.scanning.period > 0 {
            actions.append(.wake(.scanPeriod(serial: serial), after: state.scanning.period))
        }
    }

    /// Ends the scan duration: stops scanning, or pauses it until the next period.
    mutating func endScanning(_ serial: UInt64) {
        guard state.scanning.isEnabled, state.scanning.serial == serial else { return }
        actions.append(.listen(.scanner, nil))
        if state.scanning.period > 0 { return }
        state.scanning.isEnabled = false
        send(HCI.LESubevent.scanTimeout, [:])
    }

    mutating func beginScanPeriod(_ serial: UInt64) {
        guard state.scanning.isEnabled, state.scanning.serial == serial else { return }
        if state.scanning.forgetsEachPeriod { state.scanning.duplicates.removeAll() }
        actions.append(.listen(.scanner, state.scanning.listening))
        scheduleScanEnd()
    }

    /// Handles a received advertisement.
    mutating func receive(_ advertisement: Advertisement, _ reception: Reception) {
        if reception.isForScanner { scan(advertisement, reception) }
        if reception.isForInitiator { initiate(advertisement, reception) }
    }

    private mutating func scan(_ advertisement: Advertisement, _ reception: Reception) {
        guard report(advertisement, reception, isScanResponse: false),
            advertisement.properties.contains(.scannable),
            state.scanning.isActive(on: advertisement.primaryPHY), let advertiser = advertisement.advertiser,
            let own = ownAddress(state.scanning.ownType, state.randomAddress, peer: resolved(advertiser))
        else { return }
        actions.append(.requestScan(ScanRequest(target: advertisement.source, scanner: own)))
    }

    /// Reports an advertisement to the host; returns false if it does not match this scanner.
    @discardableResult
    mutating func report(_ advertisement: Advertisement, _ reception: Reception, isScanResponse: Bool) -> Bool {
        let isLegacyHost = state.advertisingCommands != .extended
        guard state.scanning.isEnabled, !isLegacyHost || advertisement.properties.contains(.legacy) else {
            return false
        }
        let identity = advertisement.advertiser.map { resolved($0) }
        if let identity, let address = advertisement.advertiser, !mayUse(identity, as: address) { return false }
        if state.scanning.filterPolicy & 1 == 1, !isAccepted(identity) { return false }
        if let target = advertisement.target, !isOwn(target) { return false }
        // Scannable extended advertising has data only in the scan response.
        if !isScanResponse, !advertisement.properties.contains(.legacy), advertisement.properties.contains(.scannable),
            state.scanning.isActive(on: advertisement.primaryPHY)
        {
            return true
        }
        let key = DuplicateFilter.Key(
            address: identity, isScanResponse: isScanResponse, setID: advertisement.setID, dataID: advertisement.dataID,
            properties: advertisement.properties)
        if state.scanning.filtersDuplicates, !state.scanning.duplicates.insert(key) { return true }
        if isLegacyHost {
            sendLegacyReport(advertisement, identity, reception, isScanResponse)
        } else {
            sendExtendedReports(advertisement, identity, reception, isScanResponse)
        }
        return true
    }
}

extension VirtualController {
    private mutating func sendLegacyReport(
        _ advertisement: Advertisement, _ identity: DeviceAddress?, _ reception: Reception, _ isScanResponse: Bool
    ) {
        guard let identity, let address = advertisement.advertiser else { return }
        let properties = advertisement.properties
        let type: UInt8 =
            if isScanResponse { 4 } else if properties.contains(.directed) {
                1
            } else if properties.contains(.connectable) {
                0
            } else { properties.contains(.scannable) ? 2 : 3 }
        send(
            HCI.LEAdvertisingReport(reports: [
                HCI.LEAdvertisingReport.Report(
                    eventType: type, addressType: eventType(of: identity, seenAs: address), address: identity.address,
                    data: type == 1 ? [] : advertisement.data, rssi: reception.rssi)
            ]))
    }

    /// Maximum data in one extended report, in bytes.
    private static let reportCapacity = 229

    /// Sends extended reports, splitting long data across several.
    private mutating func sendExtendedReports(
        _ advertisement: Advertisement, _ identity: DeviceAddress?, _ reception: Reception, _ isScanResponse: Bool
    ) {
        let isLegacy = advertisement.properties.contains(.legacy)
        var eventType = advertisement.properties.intersection([.connectable, .scannable, .directed]).rawValue
        if isScanResponse { eventType |= 0x0008 }
        if isLegacy { eventType |= 0x0010 }
        let addressType =
            if let identity, let address = advertisement.advertiser {
                self.eventType(of: identity, seenAs: address)
            } else {
                HCI.AddressType.anonymous
            }
        var rest = advertisement.data[...]
        repeat {
            let part = rest.prefix(Self.reportCapacity)
            rest = rest.dropFirst(part.count)
            let status: UInt16 = rest.isEmpty ? 0 : 0x0020
            send(
                HCI.LEExtendedAdvertisingReport(reports: [
                    HCI.LEExtendedAdvertisingReport.Report(
                        eventType: eventType | status, addressType: addressType,
                        address: identity?.address ?? Address(value: 0), primaryPHY: advertisement.primaryPHY,
                        secondaryPHY: advertisement.secondaryPHY, sid: isLegacy ? 0xFF : advertisement.setID,
                        txPower: advertisement.properties.contains(.includesPower) ? advertisement.power : 127,
                        rssi: reception.rssi,
                        directType: advertisement.target.map { HCI.AddressType(rawValue: $0.kind.rawValue) }
                            ?? .publicDevice,
                        direct: advertisement.target?.address ?? Address(value: 0), data: Array(part))
                ]))
        } while !rest.isEmpty
    }
}
