public import Bytes

/// Error code of a controller (Vol 1, Part F), shared by the Link Layer and HCI.
public struct ControllerError: WireInteger {
    public var rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    init(_ rawValue: UInt8) {
        self.rawValue = rawValue
    }

    public static let success = Self(0x00)
    public static let unknownHCICommand = Self(0x01)
    public static let unknownConnectionIdentifier = Self(0x02)
    public static let authenticationFailure = Self(0x05)
    public static let pinOrKeyMissing = Self(0x06)
    public static let memoryCapacityExceeded = Self(0x07)
    public static let connectionTimeout = Self(0x08)
    public static let commandDisallowed = Self(0x0C)
    public static let unsupportedFeatureOrParameterValue = Self(0x11)
    public static let invalidHCICommandParameters = Self(0x12)
    public static let remoteUserTerminatedConnection = Self(0x13)
    public static let remoteDeviceLowResources = Self(0x14)
    public static let remoteDevicePowerOff = Self(0x15)
    public static let connectionTerminatedByLocalHost = Self(0x16)
    public static let unsupportedRemoteFeature = Self(0x1A)
    public static let invalidLinkLayerParameters = Self(0x1E)
    public static let unspecifiedError = Self(0x1F)
    public static let unsupportedLinkLayerParameterValue = Self(0x20)
    public static let linkLayerResponseTimeout = Self(0x22)
    public static let linkLayerProcedureCollision = Self(0x23)
    public static let instantPassed = Self(0x28)
    public static let differentTransactionCollision = Self(0x2A)
    public static let controllerBusy = Self(0x3A)
    public static let unacceptableConnectionParameters = Self(0x3B)
    public static let advertisingTimeout = Self(0x3C)
    public static let connectionTerminatedByMICFailure = Self(0x3D)
    public static let connectionFailedToBeEstablished = Self(0x3E)
    public static let unknownAdvertisingIdentifier = Self(0x42)
    public static let limitReached = Self(0x43)
    public static let operationCancelledByHost = Self(0x44)

    /// The specification's name, e.g. "Connection Timeout".
    public var name: String? {
        let names = Self.names
        guard Int(rawValue) < names.count else { return nil }
        return names[Int(rawValue)]
    }

    /// Names of the values of an error code field.
    public static let valueNames = ValueNames { Self(UInt8(truncatingIfNeeded: $0)).name }

    /// By code; nil for reserved codes.
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
