package import Bytes

/// Why a controller refused, failed or disconnected (Vol 1, Part F); the link layer and HCI share the codes.
package struct ControllerError: WireInteger {
    package var rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    init(_ rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let success = Self(0x00)
    package static let unknownHCICommand = Self(0x01)
    package static let unknownConnectionIdentifier = Self(0x02)
    package static let authenticationFailure = Self(0x05)
    package static let pinOrKeyMissing = Self(0x06)
    package static let memoryCapacityExceeded = Self(0x07)
    package static let connectionTimeout = Self(0x08)
    package static let commandDisallowed = Self(0x0C)
    package static let unsupportedFeatureOrParameterValue = Self(0x11)
    package static let invalidHCICommandParameters = Self(0x12)
    package static let remoteUserTerminatedConnection = Self(0x13)
    package static let remoteDeviceLowResources = Self(0x14)
    package static let remoteDevicePowerOff = Self(0x15)
    package static let connectionTerminatedByLocalHost = Self(0x16)
    package static let unsupportedRemoteFeature = Self(0x1A)
    package static let invalidLinkLayerParameters = Self(0x1E)
    package static let unspecifiedError = Self(0x1F)
    package static let unsupportedLinkLayerParameterValue = Self(0x20)
    package static let linkLayerResponseTimeout = Self(0x22)
    package static let linkLayerProcedureCollision = Self(0x23)
    package static let instantPassed = Self(0x28)
    package static let differentTransactionCollision = Self(0x2A)
    package static let controllerBusy = Self(0x3A)
    package static let unacceptableConnectionParameters = Self(0x3B)
    package static let advertisingTimeout = Self(0x3C)
    package static let connectionTerminatedByMICFailure = Self(0x3D)
    package static let connectionFailedToBeEstablished = Self(0x3E)
    package static let unknownAdvertisingIdentifier = Self(0x42)
    package static let limitReached = Self(0x43)
    package static let operationCancelledByHost = Self(0x44)

    /// The specification's name, e.g. "Connection Timeout".
    package var name: String? {
        let names = Self.names
        guard Int(rawValue) < names.count else { return nil }
        return names[Int(rawValue)]
    }

    /// The names of a code's values, for fields that hold one.
    package static let valueNames = ValueNames { Self(UInt8(truncatingIfNeeded: $0)).name }

    /// In the order of the codes; nil where one is reserved.
    private static let names: [String?] = [
        "Success",
        "Unknown HCI Command",
        "Unknown Connection Identifier",
        "Hardware Failure",
        "Page Timeout",
        "Authentication Failure",
        "PIN or Key Missing",
        "Memory Capacity Exceeded",
        "Connection Timeout",
        "Connection Limit Exceeded",
        "Synchronous Connection Limit To A Device Exceeded",
        "Connection Already Exists",
        "Command Disallowed",
        "Connection Rejected due to Limited Resources",
        "Connection Rejected Due To Security Reasons",
        "Connection Rejected due to Unacceptable BD_ADDR",
        "Connection Accept Timeout Exceeded",
        "Unsupported Feature or Parameter Value",
        "Invalid HCI Command Parameters",
        "Remote User Terminated Connection",
        "Remote Device Terminated Connection due to Low Resources",
        "Remote Device Terminated Connection due to Power Off",
        "Connection Terminated By Local Host",
        "Repeated Attempts",
        "Pairing Not Allowed",
        "Unknown LMP PDU",
        "Unsupported Remote Feature",
        "SCO Offset Rejected",
        "SCO Interval Rejected",
        "SCO Air Mode Rejected",
        "Invalid LMP Parameters / Invalid LL Parameters",
        "Unspecified Error",
        "Unsupported LMP Parameter Value / Unsupported LL Parameter Value",
        "Role Change Not Allowed",
        "LMP Response Timeout / LL Response Timeout",
        "LMP Error Transaction Collision / LL Procedure Collision",
        "LMP PDU Not Allowed",
        "Encryption Mode Not Acceptable",
        "Link Key cannot be Changed",
        "Requested QoS Not Supported",
        "Instant Passed",
        "Pairing With Unit Key Not Supported",
        "Different Transaction Collision",
        nil,
        "QoS Unacceptable Parameter",
        "QoS Rejected",
        "Channel Classification Not Supported",
        "Insufficient Security",
        "Parameter Out Of Mandatory Range",
        nil,
        "Role Switch Pending",
        nil,
        "Reserved Slot Violation",
        "Role Switch Failed",
        "Extended Inquiry Response Too Large",
        "Secure Simple Pairing Not Supported By Host",
        "Host Busy - Pairing",
        "Connection Rejected due to No Suitable Channel Found",
        "Controller Busy",
        "Unacceptable Connection Parameters",
        "Advertising Timeout",
        "Connection Terminated due to MIC Failure",
        "Connection Failed to be Established / Synchronization Timeout",
        "MAC Connection Failed",
        "Coarse Clock Adjustment Rejected but Will Try to Adjust Using Clock Dragging",
        "Type0 Submap Not Defined",
        "Unknown Advertising Identifier",
        "Limit Reached",
        "Operation Cancelled by Host",
        "Packet Too Long",
        "Too Late",
        "Too Early",
    ]
}
