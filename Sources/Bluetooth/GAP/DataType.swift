public import Bytes

extension GAP {
    /// Type of an AD structure (assigned numbers, 2.3).
    public struct DataType: WireInteger {
        public var rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        init(_ rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The assigned name, e.g. "Complete Local Name".
        public var name: String? { Self.table[self]?.name }

        /// Whether the value is key material: a key, or a value used to obtain one.
        var isSecret: Bool { Self.table[self]?.isSecret ?? false }
    }

    /// The properties of a type of AD structure.
    public struct DataTypeRow: Sendable {
        public let type: DataType
        public let name: String
        /// Whether the value is key material: a key, or a value used to obtain one. Output masks it.
        public let isSecret: Bool
        public let value: any Value.Type
    }
}

extension GAP.DataType {
    public static let flags = Self(0x01)
    public static let incompleteUUIDs16 = Self(0x02)
    public static let completeUUIDs16 = Self(0x03)
    public static let incompleteUUIDs32 = Self(0x04)
    public static let completeUUIDs32 = Self(0x05)
    public static let incompleteUUIDs128 = Self(0x06)
    public static let completeUUIDs128 = Self(0x07)
    public static let shortenedLocalName = Self(0x08)
    public static let completeLocalName = Self(0x09)
    public static let txPowerLevel = Self(0x0A)
    public static let oobOptionalDataLength = Self(0x0B)
    public static let deviceAddress = Self(0x0C)
    public static let classOfDevice = Self(0x0D)
    public static let pairingHash192 = Self(0x0E)
    public static let pairingRandomizer192 = Self(0x0F)
    /// Device ID in an extended inquiry response, Security Manager TK Value out of band.
    public static let deviceID = Self(0x10)
    public static let oobFlags = Self(0x11)
    public static let connectionIntervalRange = Self(0x12)
    public static let solicitedUUIDs16 = Self(0x14)
    public static let solicitedUUIDs128 = Self(0x15)
    public static let serviceData16 = Self(0x16)
    public static let publicTargetAddress = Self(0x17)
    public static let randomTargetAddress = Self(0x18)
    public static let appearance = Self(0x19)
    public static let advertisingInterval = Self(0x1A)
    public static let leDeviceAddress = Self(0x1B)
    public static let leRole = Self(0x1C)
    public static let pairingHash256 = Self(0x1D)
    public static let pairingRandomizer256 = Self(0x1E)
    public static let solicitedUUIDs32 = Self(0x1F)
    public static let serviceData32 = Self(0x20)
    public static let serviceData128 = Self(0x21)
    public static let confirmationValue = Self(0x22)
    public static let randomValue = Self(0x23)
    public static let uri = Self(0x24)
    public static let indoorPositioning = Self(0x25)
    public static let transportDiscoveryData = Self(0x26)
    public static let leSupportedFeatures = Self(0x27)
    public static let channelMapUpdate = Self(0x28)
    public static let pbADV = Self(0x29)
    public static let meshMessage = Self(0x2A)
    public static let meshBeacon = Self(0x2B)
    public static let bigInfo = Self(0x2C)
    public static let broadcastCode = Self(0x2D)
    public static let resolvableSetIdentifier = Self(0x2E)
    public static let advertisingIntervalLong = Self(0x2F)
    public static let broadcastName = Self(0x30)
    public static let encryptedData = Self(0x31)
    public static let periodicResponseTiming = Self(0x32)
    public static let electronicShelfLabel = Self(0x34)
    public static let information3D = Self(0x3D)
    public static let manufacturerData = Self(0xFF)
}

extension GAP.DataType {
    /// Every assigned type, and two that are no longer assigned (assigned numbers, 2.3).
    public static let table = Table([
        row(.flags, "Flags", GAP.Flags.self),
        row(.incompleteUUIDs16, "Incomplete List of 16-bit Service Class UUIDs", GAP.UUIDs16.self),
        row(.completeUUIDs16, "Complete List of 16-bit Service Class UUIDs", GAP.UUIDs16.self),
        row(.incompleteUUIDs32, "Incomplete List of 32-bit Service Class UUIDs", GAP.UUIDs32.self),
        row(.completeUUIDs32, "Complete List of 32-bit Service Class UUIDs", GAP.UUIDs32.self),
        row(.incompleteUUIDs128, "Incomplete List of 128-bit Service Class UUIDs", GAP.UUIDs128.self),
        row(.completeUUIDs128, "Complete List of 128-bit Service Class UUIDs", GAP.UUIDs128.self),
        row(.shortenedLocalName, "Shortened Local Name", GAP.LocalName.self),
        row(.completeLocalName, "Complete Local Name", GAP.LocalName.self),
        row(.txPowerLevel, "Tx Power Level", GAP.TxPowerLevel.self),
        row(.oobOptionalDataLength, "OOB Optional Data Length", GAP.OOBDataLength.self),
        row(.deviceAddress, "BD_ADDR", GAP.DeviceAddresses.self),
        row(.classOfDevice, "Class of Device", GAP.ClassOfDeviceValue.self),
        row(.pairingHash192, "Simple Pairing Hash C-192", GAP.PairingHash.self, isSecret: true),
        row(.pairingRandomizer192, "Simple Pairing Randomizer R-192", GAP.PairingRandomizer.self, isSecret: true),
        row(.deviceID, "Device ID / Security Manager TK Value", GAP.DeviceID.self, isSecret: true),
        row(.oobFlags, "Security Manager Out of Band Flags", GAP.OOBFlags.self),
        row(.connectionIntervalRange, "Peripheral Connection Interval Range", GAP.ConnectionIntervalRange.self),
        row(.solicitedUUIDs16, "List of 16-bit Service Solicitation UUIDs", GAP.UUIDs16.self),
        row(.solicitedUUIDs128, "List of 128-bit Service Solicitation UUIDs", GAP.UUIDs128.self),
        row(.serviceData16, "Service Data - 16-bit UUID", GAP.ServiceData16.self),
        row(.publicTargetAddress, "Public Target Address", GAP.DeviceAddresses.self),
        row(.randomTargetAddress, "Random Target Address", GAP.DeviceAddresses.self),
        row(.appearance, "Appearance", GAP.AppearanceValue.self),
        row(.advertisingInterval, "Advertising Interval", GAP.AdvertisingInterval.self),
        row(.leDeviceAddress, "LE Bluetooth Device Address", GAP.LEDeviceAddress.self),
        row(.leRole, "LE Role", GAP.LERole.self),
        row(.pairingHash256, "Simple Pairing Hash C-256", GAP.PairingHash.self, isSecret: true),
        row(.pairingRandomizer256, "Simple Pairing Randomizer R-256", GAP.PairingRandomizer.self, isSecret: true),
        row(.solicitedUUIDs32, "List of 32-bit Service Solicitation UUIDs", GAP.UUIDs32.self),
        row(.serviceData32, "Service Data - 32-bit UUID", GAP.ServiceData32.self),
        row(.serviceData128, "Service Data - 128-bit UUID", GAP.ServiceData128.self),
        row(.confirmationValue, "LE Secure Connections Confirmation Value", GAP.ConfirmationValue.self, isSecret: true),
        row(.randomValue, "LE Secure Connections Random Value", GAP.RandomValue.self, isSecret: true),
        row(.uri, "URI", GAP.URI.self),
        row(.indoorPositioning, "Indoor Positioning", GAP.IndoorPositioning.self),
        row(.transportDiscoveryData, "Transport Discovery Data", GAP.TransportDiscovery.self),
        row(.leSupportedFeatures, "LE Supported Features", GAP.LESupportedFeatures.self),
        row(.channelMapUpdate, "Channel Map Update Indication", GAP.ChannelMapUpdate.self),
        row(.pbADV, "PB-ADV", GAP.MeshProvisioning.self),
        row(.meshMessage, "Mesh Message", GAP.MeshMessage.self),
        row(.meshBeacon, "Mesh Beacon", GAP.MeshBeacon.self),
        row(.bigInfo, "BIGInfo", GAP.BIGInfo.self),
        row(.broadcastCode, "Broadcast_Code", GAP.BroadcastCode.self, isSecret: true),
        row(.resolvableSetIdentifier, "Resolvable Set Identifier", GAP.ResolvableSetIdentifier.self),
        row(.advertisingIntervalLong, "Advertising Interval - long", GAP.LongAdvertisingInterval.self),
        row(.broadcastName, "Broadcast_Name", GAP.BroadcastName.self),
        row(.encryptedData, "Encrypted Advertising Data", GAP.EncryptedData.self),
        row(
            .periodicResponseTiming, "Periodic Advertising Response Timing Information",
            GAP.PeriodicResponseTiming.self),
        row(.electronicShelfLabel, "Electronic Shelf Label", GAP.ElectronicShelfLabel.self),
        row(.information3D, "3D Information Data", GAP.Information3D.self),
        row(.manufacturerData, "Manufacturer Specific Data", GAP.ManufacturerData.self),
    ])

    private static func row(
        _ type: Self, _ name: String, _ value: any GAP.Value.Type, isSecret: Bool = false
    ) -> GAP.DataTypeRow {
        GAP.DataTypeRow(type: type, name: name, isSecret: isSecret, value: value)
    }

    /// The rows, indexed by type.
    public struct Table: Sendable {
        public let rows: [GAP.DataTypeRow]
        private let index: [UInt8]

        fileprivate init(_ rows: [GAP.DataTypeRow]) {
            self.rows = rows
            var index = [UInt8](repeating: .max, count: 256)
            for (position, row) in rows.enumerated() { index[Int(row.type.rawValue)] = UInt8(position) }
            self.index = index
        }

        public subscript(type: GAP.DataType) -> GAP.DataTypeRow? {
            let position = Int(index[Int(type.rawValue)])
            return position < rows.count ? rows[position] : nil
        }
    }
}
