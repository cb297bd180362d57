public import Bytes

extension HCI {
    /// Event code (Vol 4, Part E, 7.7).
    public struct EventCode: WireInteger {
        public var rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        init(_ rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The specification's name without its HCI prefix, such as "Disconnection Complete".
        public var name: String? { EventRow.table[self]?.name }
    }

    /// Subevent code: the first parameter of an LE Meta event (Vol 4, Part E, 7.7.65).
    public struct LESubevent: WireInteger {
        public var rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        init(_ rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The specification's name without its HCI prefix, such as "LE Connection Complete".
        public var name: String? { LEEventRow.table[self]?.name }
    }
}

extension HCI.EventCode {
    public static let connectionComplete = Self(0x03)
    public static let connectionRequest = Self(0x04)
    public static let disconnectionComplete = Self(0x05)
    public static let remoteNameRequestComplete = Self(0x07)
    public static let encryptionChange = Self(0x08)
    public static let readRemoteVersionInformationComplete = Self(0x0C)
    public static let commandComplete = Self(0x0E)
    public static let commandStatus = Self(0x0F)
    public static let hardwareError = Self(0x10)
    public static let numberOfCompletedPackets = Self(0x13)
    public static let dataBufferOverflow = Self(0x1A)
    public static let synchronousConnectionComplete = Self(0x2C)
    public static let extendedInquiryResult = Self(0x2F)
    public static let encryptionKeyRefreshComplete = Self(0x30)
    public static let leMeta = Self(0x3E)
    public static let encryptionChangeV2 = Self(0x59)
    public static let vendorSpecific = Self(0xFF)
}

extension HCI.LESubevent {
    public static let connectionComplete = Self(0x01)
    public static let advertisingReport = Self(0x02)
    public static let connectionUpdateComplete = Self(0x03)
    public static let readRemoteFeaturesComplete = Self(0x04)
    public static let longTermKeyRequest = Self(0x05)
    public static let remoteConnectionParameterRequest = Self(0x06)
    public static let dataLengthChange = Self(0x07)
    public static let readLocalP256PublicKeyComplete = Self(0x08)
    public static let generateDHKeyComplete = Self(0x09)
    public static let enhancedConnectionComplete = Self(0x0A)
    public static let directedAdvertisingReport = Self(0x0B)
    public static let phyUpdateComplete = Self(0x0C)
    public static let extendedAdvertisingReport = Self(0x0D)
    public static let periodicAdvertisingReport = Self(0x0F)
    public static let scanTimeout = Self(0x11)
    public static let advertisingSetTerminated = Self(0x12)
    public static let scanRequestReceived = Self(0x13)
    public static let channelSelectionAlgorithm = Self(0x14)
    public static let cisEstablished = Self(0x19)
    public static let cisRequest = Self(0x1A)
    public static let createBIGComplete = Self(0x1B)
    public static let bigSyncEstablished = Self(0x1D)
    public static let transmitPowerReporting = Self(0x21)
    public static let subrateChange = Self(0x23)
    public static let periodicAdvertisingReportV2 = Self(0x25)
    public static let periodicAdvertisingResponseReport = Self(0x28)
    public static let csSubeventResult = Self(0x31)
    public static let csSubeventResultContinue = Self(0x32)
    public static let enhancedConnectionCompleteV2 = Self(0x29)
}
