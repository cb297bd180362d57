import Bytes

extension HCI {
    /// What names a command: its group and its number in the group (Vol 4, Part E, 5.4.1).
    package struct Opcode: WireInteger {
        package var rawValue: UInt16

        package init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        init(_ rawValue: UInt16) {
            self.rawValue = rawValue
        }

        /// Opcode Group Field, 6 bits.
        package var group: UInt8 { UInt8(truncatingIfNeeded: rawValue >> 10) }

        /// Opcode Command Field, 10 bits.
        package var command: UInt16 { rawValue & 0x03FF }

        /// Whether the manufacturer defines it.
        package var isVendorSpecific: Bool { group == 0x3F }

        /// The specification's name without its HCI prefix, as "LE Create Connection"; nil for an opcode that it does
        /// not define.
        package var name: String? {
            if isVendorSpecific { return "Vendor Command" }
            return self == .none ? "No Operation" : CommandRow.table[self]?.name
        }

        /// What a group of commands is called.
        package static func groupName(_ group: UInt8) -> String? {
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
    /// No command: a Command Complete or Command Status with it tells only how many commands the controller takes.
    package static let none = Self(0x0000)
    package static let disconnect = Self(0x0406)
    package static let setEventMask = Self(0x0C01)
    package static let reset = Self(0x0C03)
    package static let readBDADDR = Self(0x1009)
    package static let readBufferSize = Self(0x1005)
    package static let leSetEventMask = Self(0x2001)
    package static let leReadBufferSize = Self(0x2002)
    package static let leSetRandomAddress = Self(0x2005)
    package static let leSetAdvertisingParameters = Self(0x2006)
    package static let leSetAdvertisingData = Self(0x2008)
    package static let leSetScanResponseData = Self(0x2009)
    package static let leSetAdvertisingEnable = Self(0x200A)
    package static let leSetScanParameters = Self(0x200B)
    package static let leSetScanEnable = Self(0x200C)
    package static let leCreateConnection = Self(0x200D)
    package static let leCreateConnectionCancel = Self(0x200E)
    package static let leConnectionUpdate = Self(0x2013)
    package static let leEnableEncryption = Self(0x2019)
    package static let leLongTermKeyRequestReply = Self(0x201A)
    package static let leLongTermKeyRequestNegativeReply = Self(0x201B)
    package static let leSetDataLength = Self(0x2022)
    package static let leSetAdvertisingSetRandomAddress = Self(0x2035)
    package static let leSetExtendedAdvertisingParameters = Self(0x2036)
    package static let leSetExtendedAdvertisingData = Self(0x2037)
    package static let leSetExtendedScanResponseData = Self(0x2038)
    package static let leSetExtendedAdvertisingEnable = Self(0x2039)
    package static let leExtendedCreateConnection = Self(0x2043)
    package static let leReadBufferSizeV2 = Self(0x2060)
}
