public import Bytes

extension HCI {
    /// Opcode of a command: its group and its number in the group (Vol 4, Part E, 5.4.1).
    public struct Opcode: WireInteger {
        public var rawValue: UInt16

        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        init(_ rawValue: UInt16) {
            self.rawValue = rawValue
        }

        /// Opcode Group Field, 6 bits.
        public var group: UInt8 { UInt8(truncatingIfNeeded: rawValue >> 10) }

        /// Opcode Command Field, 10 bits.
        public var command: UInt16 { rawValue & 0x03FF }

        /// Whether it is a vendor-specific command.
        public var isVendorSpecific: Bool { group == 0x3F }

        /// Whether it is one of BTstack's pseudo-opcodes, with which applications control the stack. They appear in
        /// BTstack's logs but are never sent to a controller.
        public var isOfBTstack: Bool { group == 0x3D }

        /// The specification's name without its HCI prefix, such as "LE Create Connection"; nil for an opcode that the
        /// specification does not define.
        public var name: String? {
            if isVendorSpecific { return "Vendor Command" }
            return self == .none ? "No Operation" : CommandRow.table[self]?.name
        }

        /// Name of a command group.
        public static func groupName(_ group: UInt8) -> String? {
            switch group {
            case 0x01: "Link Control Commands"
            case 0x02: "Link Policy Commands"
            case 0x03: "Controller & Baseband Commands"
            case 0x04: "Informational Parameters"
            case 0x05: "Status Parameters"
            case 0x06: "Testing Commands"
            case 0x08: "LE Controller Commands"
            case 0x3F: "Vendor-Specific Commands"
            default: nil
            }
        }
    }
}

extension HCI.Opcode {
    /// No command. In a Command Complete or Command Status, it only updates the number of commands that the host may
    /// send.
    public static let none = Self(0x0000)
    public static let disconnect = Self(0x0406)
    public static let setEventMask = Self(0x0C01)
    public static let reset = Self(0x0C03)
    public static let writeLEHostSupport = Self(0x0C6D)
    public static let readLocalVersionInformation = Self(0x1001)
    public static let readLocalSupportedCommands = Self(0x1002)
    public static let readBufferSize = Self(0x1005)
    public static let readBDADDR = Self(0x1009)
    public static let leSetEventMask = Self(0x2001)
    public static let leReadBufferSize = Self(0x2002)
    public static let leReadLocalSupportedFeatures = Self(0x2003)
    public static let leSetRandomAddress = Self(0x2005)
    public static let leSetAdvertisingParameters = Self(0x2006)
    public static let leSetAdvertisingData = Self(0x2008)
    public static let leSetScanResponseData = Self(0x2009)
    public static let leSetAdvertisingEnable = Self(0x200A)
    public static let leSetScanParameters = Self(0x200B)
    public static let leSetScanEnable = Self(0x200C)
    public static let leCreateConnection = Self(0x200D)
    public static let leCreateConnectionCancel = Self(0x200E)
    public static let leConnectionUpdate = Self(0x2013)
    public static let leEnableEncryption = Self(0x2019)
    public static let leAddDeviceToResolvingList = Self(0x2027)
    public static let leLongTermKeyRequestReply = Self(0x201A)
    public static let leLongTermKeyRequestNegativeReply = Self(0x201B)
    public static let leSetDataLength = Self(0x2022)
    public static let leWriteSuggestedDefaultDataLength = Self(0x2024)
    public static let leReadPHY = Self(0x2030)
    public static let leSetPHY = Self(0x2032)
    public static let leSetAdvertisingSetRandomAddress = Self(0x2035)
    public static let leSetExtendedAdvertisingParameters = Self(0x2036)
    public static let leSetExtendedAdvertisingData = Self(0x2037)
    public static let leSetExtendedScanResponseData = Self(0x2038)
    public static let leSetExtendedAdvertisingEnable = Self(0x2039)
    public static let leReadMaximumAdvertisingDataLength = Self(0x203A)
    public static let leSetPeriodicAdvertisingData = Self(0x203F)
    public static let leSetExtendedScanParameters = Self(0x2041)
    public static let leSetExtendedScanEnable = Self(0x2042)
    public static let leExtendedCreateConnection = Self(0x2043)
    public static let leReadBufferSizeV2 = Self(0x2060)
}
