import Bluetooth

/// An advertising set: data and parameters (Vol 6, Part B, 4.4.2.3).
struct AdvertisingSet: Sendable {
    /// Handle of the set configured by legacy commands; invalid as a handle of the host.
    static let legacyHandle: UInt8 = 0xFF
    /// Maximum data of a set, in bytes.
    static let maximumData = 1650
    /// Maximum data of legacy PDUs, in bytes.
    static let maximumLegacyData = 31

    let handle: UInt8
    var properties: AdvertisingProperties = [.legacy, .connectable, .scannable]
    /// In units of 0.625 ms.
    var interval: UInt32 = 0x0800
    /// Bits 0 to 2: channels 37 to 39.
    var channels: UInt8 = 7
    var ownType = HCI.AddressType.publicDevice
    /// Target of directed advertising; its resolving list entry also provides the keys for private addresses.
    var peer = DeviceAddress(Address(value: 0), .public)
    /// Filter policy for scan requests (bit 0) and connection requests (bit 1): 0 any device, 1 devices on the filter
    /// accept list.
    var filterPolicy: UInt8 = 0
    /// In dBm.
    var power: Int8 = 0
    var primaryPHY = HCI.PHY.le1M
    var secondaryPHY = HCI.PHY(rawValue: 0)
    /// 0 to 15.
    var setID: UInt8 = 0
    var notifiesScanRequests = false
    var randomAddress: Address?
    var data: [UInt8] = []
    /// Changes with the data, 12 bits.
    var dataID: UInt16 = 0
    var scanResponse: [UInt8] = []
    /// Whether more fragments of the data are pending.
    var dataIsPartial = false
    /// Whether more fragments of the scan response are pending.
    var scanResponseIsPartial = false
    var isEnabled = false
    /// Maximum number of events; 0 for no limit.
    var maximumEvents: UInt8 = 0
    /// Number of events since the set was enabled, at most 255.
    var events: UInt8 = 0
    /// Identifies the last enabling, to detect stale alarms.
    var serial: UInt64 = 0

    var isLegacy: Bool { properties.contains(.legacy) }
    /// Maximum data, in bytes.
    var capacity: Int { isLegacy ? Self.maximumLegacyData : Self.maximumData }

    init(handle: UInt8) {
        self.handle = handle
    }
}

extension VirtualController {
    /// Index of a set; nil for the legacy set and for unknown handles.
    private func index(of handle: UInt8) -> Int? { state.sets.firstIndex { $0.handle == handle } }

    /// The set with this handle; nil if there is none.
    func set(_ handle: UInt8) -> AdvertisingSet? {
        handle == AdvertisingSet.legacyHandle ? state.legacySet : index(of: handle).map { state.sets[$0] }
    }

    /// Replaces the set with the same handle, or adds it.
    mutating func store(_ set: AdvertisingSet) {
        if set.handle == AdvertisingSet.legacyHandle {
            state.legacySet = set
        } else if let index = index(of: set.handle) {
            state.sets[index] = set
        } else {
            state.sets.append(set)
        }
    }

    /// Starts advertising; `duration` is in nanoseconds, 0 for unlimited.
    mutating func start(_ set: AdvertisingSet, duration: Int64) {
        var set = set
        set.isEnabled = true
        set.events = 0
        set.serial = nextSerial()
        store(set)
        let isHighDutyCycle = set.properties.contains(.highDutyCycle)
        actions.append(
            .startAdvertising(
                set: set.handle,
                interval: isHighDutyCycle ? 3_750 * Span.microsecond : Int64(set.interval) * Span.slot,
                everyEventCounts: set.maximumEvents != 0, isHighDutyCycle: isHighDutyCycle))
        if duration > 0 {
            actions.append(.wake(.advertisingEnd(set: set.handle, serial: set.serial), after: duration))
        }
    }

    /// Stops advertising without notifying the host.
    mutating func stop(_ handle: UInt8) {
        guard var set = set(handle), set.isEnabled else { return }
        set.isEnabled = false
        store(set)
        actions.append(.stopAdvertising(set: handle))
    }

    /// Sends the advertisement of a set's event.
    mutating func advertise(_ handle: UInt8) {
        guard var set = set(handle), set.isEnabled else { return }
        if let advertisement = advertisement(of: set, data: set.data) { actions.append(.advertise(advertisement)) }
        if set.maximumEvents == 0 { return }
        set.events += 1
        store(set)
        if set.events >= set.maximumEvents {
            stop(handle)
            sendTerminated(set, .limitReached)
        }
    }

    /// The current advertisement of a set; nil if the set has no address.
    private func advertisement(of set: AdvertisingSet, data: [UInt8]) -> Advertisement? {
        guard let own = ownAddress(set.ownType, set.randomAddress, peer: set.peer) else { return nil }
        let isDirected = set.properties.contains(.directed)
        return Advertisement(
            source: Advertisement.Source(controller: 0, set: set.handle),
            advertiser: set.properties.contains(.anonymous) ? nil : own,
            target: isDirected ? airAddress(of: set.peer) : nil, properties: set.properties, channels: set.channels,
            primaryPHY: set.primaryPHY, secondaryPHY: set.isLegacy ? HCI.PHY(rawValue: 0) : set.secondaryPHY,
            setID: set.setID, dataID: set.dataID,
            supportsAlgorithm2: configuration.features.contains(.channelSelection2), power: set.power, data: data)
    }

    /// Ends advertising when its duration has elapsed.
    mutating func endAdvertising(_ handle: UInt8, _ serial: UInt64) {
        guard let set = set(handle), set.isEnabled, set.serial == serial else { return }
        stop(handle)
        if handle == AdvertisingSet.legacyHandle {
            sendConnectionComplete(failure: .advertisingTimeout, role: .peripheral)
        } else {
            sendTerminated(set, .advertisingTimeout)
        }
    }

    /// Parameters of the event LE Advertising Set Terminated (Vol 4, Part E, 7.7.65.18).
    func terminated(_ set: AdvertisingSet, _ status: HCI.ErrorCode, _ handle: ConnectionHandle) -> [String: HCI.Value] {
        [
            "status": .number(UInt64(status.rawValue)), "adv_handle": .number(UInt64(set.handle)),
            "connection_handle": .number(UInt64(handle.rawValue)),
            "num_compl_ext_adv_events": .number(UInt64(set.events)),
        ]
    }

    private mutating func sendTerminated(_ set: AdvertisingSet, _ status: HCI.ErrorCode) {
        send(.advertisingSetTerminated, terminated(set, status, ConnectionHandle(rawValue: 0)))
    }

    /// Handles a scan request to a set.
    mutating func receive(_ request: ScanRequest) {
        guard let set = set(request.target.set), set.isEnabled, set.properties.contains(.scannable) else { return }
        let scanner = resolved(request.scanner)
        guard mayUse(scanner, as: request.scanner), set.filterPolicy & 1 == 0 || isAccepted(scanner) else { return }
        if set.notifiesScanRequests {
            let type = scanner == request.scanner ? UInt64(scanner.kind.rawValue) : UInt64(scanner.kind.rawValue) + 2
            send(
                .scanRequestReceived,
                [
                    "adv_handle": .number(UInt64(set.handle)), "le_address_type": .number(type),
                    "bd_addr": .number(scanner.address.value),
                ])
        }
        guard let response = advertisement(of: set, data: set.scanResponse) else { return }
        actions.append(.answerScan(response))
    }
}
