import Bytes

extension HCI {
    /// What names an event (Vol 4, Part E, 7.7).
    package struct EventCode: WireInteger {
        package var rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        init(_ rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The specification's name without its HCI prefix, as "Disconnection Complete".
        package var name: String? { EventRow.table[self]?.name }
    }

    /// What names an LE event, the first parameter of LE Meta (Vol 4, Part E, 7.7.65).
    package struct LESubevent: WireInteger {
        package var rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        init(_ rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The specification's name without its HCI prefix, as "LE Connection Complete".
        package var name: String? { LEEventRow.table[self]?.name }
    }
}

extension HCI.EventCode {
    package static let connectionComplete = Self(0x03)
    package static let connectionRequest = Self(0x04)
    package static let disconnectionComplete = Self(0x05)
    package static let encryptionChange = Self(0x08)
    package static let commandComplete = Self(0x0E)
    package static let commandStatus = Self(0x0F)
    package static let hardwareError = Self(0x10)
    package static let numberOfCompletedPackets = Self(0x13)
    package static let synchronousConnectionComplete = Self(0x2C)
    package static let encryptionKeyRefreshComplete = Self(0x30)
    package static let leMeta = Self(0x3E)
    package static let encryptionChangeV2 = Self(0x59)
    package static let vendorSpecific = Self(0xFF)
}

extension HCI.LESubevent {
    package static let connectionComplete = Self(0x01)
    package static let advertisingReport = Self(0x02)
    package static let connectionUpdateComplete = Self(0x03)
    package static let readRemoteFeaturesComplete = Self(0x04)
    package static let longTermKeyRequest = Self(0x05)
    package static let remoteConnectionParameterRequest = Self(0x06)
    package static let dataLengthChange = Self(0x07)
    package static let enhancedConnectionComplete = Self(0x0A)
    package static let directedAdvertisingReport = Self(0x0B)
    package static let phyUpdateComplete = Self(0x0C)
    package static let extendedAdvertisingReport = Self(0x0D)
    package static let periodicAdvertisingReport = Self(0x0F)
    package static let advertisingSetTerminated = Self(0x12)
    package static let scanRequestReceived = Self(0x13)
    package static let channelSelectionAlgorithm = Self(0x14)
    package static let cisEstablished = Self(0x19)
    package static let cisRequest = Self(0x1A)
    package static let createBIGComplete = Self(0x1B)
    package static let bigSyncEstablished = Self(0x1D)
    package static let subrateChange = Self(0x23)
    package static let enhancedConnectionCompleteV2 = Self(0x29)
}
