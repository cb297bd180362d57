public import Bytes

extension LL {
    /// Opcode of a Link Layer control PDU (Vol 6, Part B, 2.4.2).
    public struct ControlOpcode: WireInteger {
        public var rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        init(_ rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The specification's name, e.g. "LL_VERSION_IND".
        public var name: String? { Self.table[self]?.name }

        static let valueNames = ValueNames { Self(UInt8(truncatingIfNeeded: $0)).name }
    }

    /// The properties of a control opcode.
    public struct ControlRow: Sendable {
        public let opcode: ControlOpcode
        public let name: String
        public let pdu: any ControlPDU.Type
    }
}

extension LL.ControlOpcode {
    public static let connectionUpdateInd = Self(0x00)
    public static let channelMapInd = Self(0x01)
    public static let terminateInd = Self(0x02)
    public static let encReq = Self(0x03)
    public static let encRsp = Self(0x04)
    public static let startEncReq = Self(0x05)
    public static let startEncRsp = Self(0x06)
    public static let unknownRsp = Self(0x07)
    public static let featureReq = Self(0x08)
    public static let featureRsp = Self(0x09)
    public static let pauseEncReq = Self(0x0A)
    public static let pauseEncRsp = Self(0x0B)
    public static let versionInd = Self(0x0C)
    public static let rejectInd = Self(0x0D)
    public static let peripheralFeatureReq = Self(0x0E)
    public static let connectionParamReq = Self(0x0F)
    public static let connectionParamRsp = Self(0x10)
    public static let rejectExtInd = Self(0x11)
    public static let pingReq = Self(0x12)
    public static let pingRsp = Self(0x13)
    public static let lengthReq = Self(0x14)
    public static let lengthRsp = Self(0x15)
    public static let phyReq = Self(0x16)
    public static let phyRsp = Self(0x17)
    public static let phyUpdateInd = Self(0x18)
    public static let minUsedChannelsInd = Self(0x19)
    public static let cteReq = Self(0x1A)
    public static let cteRsp = Self(0x1B)
    public static let periodicSyncInd = Self(0x1C)
    public static let clockAccuracyReq = Self(0x1D)
    public static let clockAccuracyRsp = Self(0x1E)
    public static let cisReq = Self(0x1F)
    public static let cisRsp = Self(0x20)
    public static let cisInd = Self(0x21)
    public static let cisTerminateInd = Self(0x22)
    public static let powerControlReq = Self(0x23)
    public static let powerControlRsp = Self(0x24)
    public static let powerChangeInd = Self(0x25)
    public static let subrateReq = Self(0x26)
    public static let subrateInd = Self(0x27)
    public static let channelReportingInd = Self(0x28)
    public static let channelStatusInd = Self(0x29)
    public static let periodicSyncWRInd = Self(0x2A)
}

extension LL.ControlOpcode {
    /// Every opcode of Core 5.4, in order (Vol 6, Part B, 2.4.2, table 2.18).
    public static let table = Table([
        row(.connectionUpdateInd, "LL_CONNECTION_UPDATE_IND", LL.ConnectionUpdateInd.self),
        row(.channelMapInd, "LL_CHANNEL_MAP_IND", LL.ChannelMapInd.self),
        row(.terminateInd, "LL_TERMINATE_IND", LL.TerminateInd.self),
        row(.encReq, "LL_ENC_REQ", LL.EncReq.self),
        row(.encRsp, "LL_ENC_RSP", LL.EncRsp.self),
        row(.startEncReq, "LL_START_ENC_REQ", LL.StartEncReq.self),
        row(.startEncRsp, "LL_START_ENC_RSP", LL.StartEncRsp.self),
        row(.unknownRsp, "LL_UNKNOWN_RSP", LL.UnknownRsp.self),
        row(.featureReq, "LL_FEATURE_REQ", LL.FeatureReq.self),
        row(.featureRsp, "LL_FEATURE_RSP", LL.FeatureRsp.self),
        row(.pauseEncReq, "LL_PAUSE_ENC_REQ", LL.PauseEncReq.self),
        row(.pauseEncRsp, "LL_PAUSE_ENC_RSP", LL.PauseEncRsp.self),
        row(.versionInd, "LL_VERSION_IND", LL.VersionInd.self),
        row(.rejectInd, "LL_REJECT_IND", LL.RejectInd.self),
        row(.peripheralFeatureReq, "LL_PERIPHERAL_FEATURE_REQ", LL.PeripheralFeatureReq.self),
        row(.connectionParamReq, "LL_CONNECTION_PARAM_REQ", LL.ConnectionParamReq.self),
        row(.connectionParamRsp, "LL_CONNECTION_PARAM_RSP", LL.ConnectionParamRsp.self),
        row(.rejectExtInd, "LL_REJECT_EXT_IND", LL.RejectExtInd.self),
        row(.pingReq, "LL_PING_REQ", LL.PingReq.self),
        row(.pingRsp, "LL_PING_RSP", LL.PingRsp.self),
        row(.lengthReq, "LL_LENGTH_REQ", LL.LengthReq.self),
        row(.lengthRsp, "LL_LENGTH_RSP", LL.LengthRsp.self),
        row(.phyReq, "LL_PHY_REQ", LL.PHYReq.self),
        row(.phyRsp, "LL_PHY_RSP", LL.PHYRsp.self),
        row(.phyUpdateInd, "LL_PHY_UPDATE_IND", LL.PHYUpdateInd.self),
        row(.minUsedChannelsInd, "LL_MIN_USED_CHANNELS_IND", LL.MinUsedChannelsInd.self),
        row(.cteReq, "LL_CTE_REQ", LL.CTEReq.self),
        row(.cteRsp, "LL_CTE_RSP", LL.CTERsp.self),
        row(.periodicSyncInd, "LL_PERIODIC_SYNC_IND", LL.PeriodicSyncInd.self),
        row(.clockAccuracyReq, "LL_CLOCK_ACCURACY_REQ", LL.ClockAccuracyReq.self),
        row(.clockAccuracyRsp, "LL_CLOCK_ACCURACY_RSP", LL.ClockAccuracyRsp.self),
        row(.cisReq, "LL_CIS_REQ", LL.CISReq.self),
        row(.cisRsp, "LL_CIS_RSP", LL.CISRsp.self),
        row(.cisInd, "LL_CIS_IND", LL.CISInd.self),
        row(.cisTerminateInd, "LL_CIS_TERMINATE_IND", LL.CISTerminateInd.self),
        row(.powerControlReq, "LL_POWER_CONTROL_REQ", LL.PowerControlReq.self),
        row(.powerControlRsp, "LL_POWER_CONTROL_RSP", LL.PowerControlRsp.self),
        row(.powerChangeInd, "LL_POWER_CHANGE_IND", LL.PowerChangeInd.self),
        row(.subrateReq, "LL_SUBRATE_REQ", LL.SubrateReq.self),
        row(.subrateInd, "LL_SUBRATE_IND", LL.SubrateInd.self),
        row(.channelReportingInd, "LL_CHANNEL_REPORTING_IND", LL.ChannelReportingInd.self),
        row(.channelStatusInd, "LL_CHANNEL_STATUS_IND", LL.ChannelStatusInd.self),
        row(.periodicSyncWRInd, "LL_PERIODIC_SYNC_WR_IND", LL.PeriodicSyncWRInd.self),
    ])

    private static func row(_ opcode: Self, _ name: String, _ pdu: any LL.ControlPDU.Type) -> LL.ControlRow {
        LL.ControlRow(opcode: opcode, name: name, pdu: pdu)
    }

    /// The rows, indexed by opcode; opcodes are consecutive.
    public struct Table: Sendable {
        public let rows: [LL.ControlRow]

        fileprivate init(_ rows: [LL.ControlRow]) {
            self.rows = rows
        }

        public subscript(opcode: LL.ControlOpcode) -> LL.ControlRow? {
            Int(opcode.rawValue) < rows.count ? rows[Int(opcode.rawValue)] : nil
        }
    }
}
