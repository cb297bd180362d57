extension HCI {
    /// Sets the random address of an advertising set (Vol 4, Part E, 7.8.52).
    public struct LESetAdvertisingSetRandomAddress: RowCommand {
        public static let opcode = Opcode.leSetAdvertisingSetRandomAddress
        /// The advertising set, 0 to 0xEF.
        public var set: UInt8
        public var address: Address

        public init(set: UInt8, address: Address) { (self.set, self.address) = (set, address) }

        public var values: [String: Value] {
            ["bthci_cmd.advertising_handle": Value(set), "bthci_cmd.bd_addr": Value(address.value)]
        }
    }

    /// Sets the parameters of an advertising set on LE 1M (Vol 4, Part E, 7.8.53).
    public struct LESetExtendedAdvertisingParameters: RowCommand {
        public static let opcode = Opcode.leSetExtendedAdvertisingParameters
        /// The advertising set, 0 to 0xEF.
        public var set: UInt8
        public var properties: Properties
        /// At least 0x20, in 0.625 ms.
        public var interval: ClosedRange<UInt16>
        public var ownType: AddressType
        /// Target of directed advertising.
        public var peerType: AddressType
        public var peer: Address

        /// Advertising event properties.
        public struct Properties: OptionSet, Hashable, Sendable {
            public let rawValue: UInt16
            public init(rawValue: UInt16) { self.rawValue = rawValue }

            public static let connectable = Self(rawValue: 0x01)
            public static let scannable = Self(rawValue: 0x02)
            public static let directed = Self(rawValue: 0x04)
            /// Legacy PDUs, which devices before Bluetooth 5 support.
            public static let legacy = Self(rawValue: 0x10)
        }

        public init(
            set: UInt8, properties: Properties, interval: ClosedRange<UInt16>, ownType: AddressType,
            peerType: AddressType = .publicDevice, peer: Address = Address(value: 0)
        ) {
            self.set = set
            self.properties = properties
            self.interval = interval
            self.ownType = ownType
            self.peerType = peerType
            self.peer = peer
        }

        public var values: [String: Value] {
            [
                "bthci_cmd.advertising_handle": Value(set),
                "bthci_cmd.advertising_properties": Value(properties.rawValue),
                "bthci_cmd.le_advts_interval_min": Value(interval.lowerBound),
                "bthci_cmd.le_advts_interval_max": Value(interval.upperBound),
                // All three primary channels, no filter, no preferred power.
                "bthci_cmd.le_advts_ch_map": 7, "bthci_cmd.le_advts_filter_policy": 0, "bthci_cmd.power_level": 0x7F,
                "bthci_cmd.le_own_address_type": Value(ownType.rawValue),
                "bthci_cmd.le_peer_address_type": Value(peerType.rawValue), "bthci_cmd.bd_addr": Value(peer.value),
                "bthci_cmd.primary_advertising_phy": 1, "bthci_cmd.secondary_advertising_phy": 1,
                "bthci_cmd.secondary_advertising_max_skip": 0, "bthci_cmd.advertising_sid": 0,
                "bthci_cmd.scan_request_notification_enable": 0,
            ]
        }
    }

    /// Sets a fragment of a set's advertising data (Vol 4, Part E, 7.8.54).
    public struct LESetExtendedAdvertisingData: RowCommand {
        public static let opcode = Opcode.leSetExtendedAdvertisingData
        public var fragment: DataFragment

        public init(_ fragment: DataFragment) { self.fragment = fragment }

        public var values: [String: Value] { fragment.values(as: "bthci_cmd.advertising_data") }
    }

    /// Sets a fragment of a set's scan response data (Vol 4, Part E, 7.8.55).
    public struct LESetExtendedScanResponseData: RowCommand {
        public static let opcode = Opcode.leSetExtendedScanResponseData
        public var fragment: DataFragment

        public init(_ fragment: DataFragment) { self.fragment = fragment }

        public var values: [String: Value] { fragment.values(as: "bthci_cmd.scan_response_data") }
    }

    /// A fragment of an advertising set's data.
    public struct DataFragment: Hashable, Sendable {
        /// The advertising set, 0 to 0xEF.
        public var set: UInt8
        public var operation: Operation
        /// At most 251 bytes.
        public var bytes: [UInt8]

        /// The fragment's position in the data.
        public enum Operation: UInt8, Sendable {
            case intermediate, first, last, complete
        }

        public init(set: UInt8, operation: Operation, bytes: [UInt8]) {
            (self.set, self.operation, self.bytes) = (set, operation, bytes)
        }

        fileprivate func values(as name: String) -> [String: Value] {
            [
                "bthci_cmd.advertising_handle": Value(set), "bthci_cmd.adv_data_operation": Value(operation.rawValue),
                // The controller must not fragment the data further.
                "bthci_cmd.adv_fragment_preference": 1, name: .bytes(bytes),
            ]
        }
    }

    /// Starts or stops an advertising set (Vol 4, Part E, 7.8.56).
    public struct LESetExtendedAdvertisingEnable: RowCommand {
        public static let opcode = Opcode.leSetExtendedAdvertisingEnable
        public var isEnabled: Bool
        /// The advertising set, 0 to 0xEF.
        public var set: UInt8

        public init(isEnabled: Bool, set: UInt8) { (self.isEnabled, self.set) = (isEnabled, set) }

        public var values: [String: Value] {
            let set: [String: Value] = [
                "bthci_cmd.advertising_handle": Value(set), "bthci_cmd.adv_duration": 0,
                "bthci_cmd.max_extended_advertising_events": 0,
            ]
            return ["bthci_cmd.le_advts_enable": isEnabled ? 1 : 0, "bthci_cmd.adv_num_sets": .list([set])]
        }
    }

    /// Sets the scan parameters on LE 1M (Vol 4, Part E, 7.8.64).
    public struct LESetExtendedScanParameters: RowCommand {
        public static let opcode = Opcode.leSetExtendedScanParameters
        public var ownType: AddressType
        /// Whether it sends scan requests.
        public var isActive: Bool
        /// At least 4, in 0.625 ms.
        public var interval: UInt16
        /// At least 4, in 0.625 ms.
        public var window: UInt16

        public init(ownType: AddressType, isActive: Bool, interval: UInt16, window: UInt16) {
            self.ownType = ownType
            self.isActive = isActive
            self.interval = interval
            self.window = window
        }

        public var values: [String: Value] {
            let phy: [String: Value] = [
                "bthci_cmd.le_scan_type": isActive ? 1 : 0, "bthci_cmd.le_scan_interval": Value(interval),
                "bthci_cmd.le_scan_window": Value(window),
            ]
            return [
                "bthci_cmd.le_own_address_type": Value(ownType.rawValue), "bthci_cmd.le_scan_filter_policy": 0,
                "bthci_cmd.le_scan_phys": 1, "bthci_cmd.le_scan_phy_param": .list([phy]),
            ]
        }
    }

    /// Starts or stops scanning (Vol 4, Part E, 7.8.65).
    public struct LESetExtendedScanEnable: RowCommand {
        public static let opcode = Opcode.leSetExtendedScanEnable
        public var isEnabled: Bool
        /// Whether each advertiser is reported only once.
        public var filtersDuplicates: Bool

        public init(isEnabled: Bool, filtersDuplicates: Bool) {
            (self.isEnabled, self.filtersDuplicates) = (isEnabled, filtersDuplicates)
        }

        public var values: [String: Value] {
            [
                "bthci_cmd.le_scan_enable": isEnabled ? 1 : 0,
                "bthci_cmd.le_filter_duplicates": filtersDuplicates ? 1 : 0, "bthci_cmd.scan_duration": 0,
                "bthci_cmd.scan_period": 0,
            ]
        }
    }

    /// Connects to an advertiser on LE 1M (Vol 4, Part E, 7.8.66).
    public struct LEExtendedCreateConnection: RowCommand {
        public static let opcode = Opcode.leExtendedCreateConnection
        /// At least 4, in 0.625 ms.
        public var scanInterval: UInt16
        /// At least 4, in 0.625 ms.
        public var scanWindow: UInt16
        public var peerType: AddressType
        public var peer: Address
        public var ownType: AddressType
        public var timing: ConnectionTiming

        public init(
            scanInterval: UInt16, scanWindow: UInt16, peerType: AddressType, peer: Address, ownType: AddressType,
            timing: ConnectionTiming
        ) {
            self.scanInterval = scanInterval
            self.scanWindow = scanWindow
            self.peerType = peerType
            self.peer = peer
            self.ownType = ownType
            self.timing = timing
        }

        public var values: [String: Value] {
            let phy: [String: Value] = [
                "bthci_cmd.le_scan_interval": Value(scanInterval), "bthci_cmd.le_scan_window": Value(scanWindow),
                "bthci_cmd.le_con_interval_min": Value(timing.intervalMin),
                "bthci_cmd.le_con_interval_max": Value(timing.intervalMax),
                "bthci_cmd.le_con_latency": Value(timing.maxLatency),
                "bthci_cmd.le_supv_timeout": Value(timing.supervisionTimeout),
                "bthci_cmd.le_min_ce_length": Value(timing.minEventLength),
                "bthci_cmd.le_max_ce_length": Value(timing.maxEventLength),
            ]
            return [
                "bthci_cmd.le_initiator_filter_policy": 0, "bthci_cmd.le_own_address_type": Value(ownType.rawValue),
                "bthci_cmd.le_peer_address_type": Value(peerType.rawValue), "bthci_cmd.bd_addr": Value(peer.value),
                "bthci_cmd.le_init_phys": 1, "bthci_cmd.le_init_phy_param": .list([phy]),
            ]
        }
    }

    /// Sets the preferred PHYs of a connection (Vol 4, Part E, 7.8.49).
    public struct LESetPHY: RowCommand {
        public static let opcode = Opcode.leSetPHY
        public var handle: ConnectionHandle
        /// Bit 0: LE 1M, 1: LE 2M, 2: LE Coded; 0 for no preference.
        public var tx: UInt8
        /// Bit 0: LE 1M, 1: LE 2M, 2: LE Coded; 0 for no preference.
        public var rx: UInt8

        public init(handle: ConnectionHandle, tx: UInt8, rx: UInt8) {
            (self.handle, self.tx, self.rx) = (handle, tx, rx)
        }

        public var values: [String: Value] {
            [
                "bthci_cmd.connection_handle": Value(handle.rawValue),
                "bthci_cmd.all_phys": .number((tx == 0 ? 1 : 0) | (rx == 0 ? 2 : 0)),
                "bthci_cmd.tx_phys": Value(tx), "bthci_cmd.rx_phys": Value(rx), "bthci_cmd.phy_options": 0,
            ]
        }
    }
}
