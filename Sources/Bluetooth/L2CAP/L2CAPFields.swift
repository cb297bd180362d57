public import Bytes

extension L2CAP {
    /// The fields of this layer, under Wireshark's names.
    public enum Fields {
        public static let length = Field("btl2cap.length", "Length", .decimal, unit: "bytes", size: 2)
        public static let cid = Field("btl2cap.cid", "CID", .hex(4), names: channelNames)
        public static let payload = Field("btl2cap.payload", "Payload", .bytes)
        public static let psm = Field(
            "btl2cap.psm", "PSM", .hex(4), names: ValueNames { PSM(rawValue: UInt16(truncatingIfNeeded: $0)).name })
        public static let sduLength = Field("btl2cap.le_sdu_length", "SDU Length", .decimal, unit: "bytes", size: 2)

        static let frames = [length, cid, payload, psm, sduLength]

        // Signaling (Vol 3, Part A, 4)
        public static let command = Field("btl2cap.command", "Command", .group)
        public static let commandCode = Field(
            "btl2cap.cmd_code", "Command Code", .hex(2),
            names: ValueNames { CommandCode(rawValue: UInt8(truncatingIfNeeded: $0)).name })
        public static let commandIdentifier = Field("btl2cap.cmd_ident", "Command Identifier", .hex(2))
        public static let commandLength = Field(
            "btl2cap.cmd_length", "Command Length", .decimal, unit: "bytes", size: 2)
        public static let commandData = Field("btl2cap.cmd_data", "Command Data", .bytes)
        public static let sourceCID = Field("btl2cap.scid", "Source CID", .hex(4), names: channelNames)
        public static let destinationCID = Field("btl2cap.dcid", "Destination CID", .hex(4), names: channelNames)
        public static let rejectReason = Field(
            "btl2cap.rej_reason", "Reason", .hex(4),
            names: ValueNames { RejectReason(rawValue: UInt16(truncatingIfNeeded: $0)).name })
        public static let signalingMTU = Field(
            "btl2cap.sig_mtu", "Maximum Signaling MTU", .decimal, unit: "bytes", size: 2)
        public static let result = Field(
            "btl2cap.result", "Result", .hex(4),
            names: ValueNames { ConnectionResult(rawValue: UInt16(truncatingIfNeeded: $0)).name })
        public static let status = Field(
            "btl2cap.status", "Status", .hex(4),
            names: ValueNames { ConnectionStatus(rawValue: UInt16(truncatingIfNeeded: $0)).name })
        public static let data = Field("btl2cap.data", "Data", .bytes)

        static let signaling = [
            command, commandCode, commandIdentifier, commandLength, commandData, sourceCID, destinationCID,
            rejectReason, signalingMTU, result, status, data,
        ]

        // Credit-based channels (Vol 3, Part A, 4.22 to 4.28)
        public static let spsm = Field(
            "btl2cap.le_psm", "SPSM", .hex(4), names: ValueNames { SPSM(rawValue: UInt16(truncatingIfNeeded: $0)).name }
        )
        public static let mtu = Field("btl2cap.option_mtu", "MTU", .decimal, unit: "bytes", size: 2)
        public static let mps = Field("btl2cap.mps", "MPS", .decimal, unit: "bytes", size: 2)
        public static let initialCredits = Field("btl2cap.initial_credits", "Initial Credits", .decimal, size: 2)
        public static let credits = Field("btl2cap.credits", "Credits", .decimal, size: 2)
        public static let creditBasedResult = Field(
            "btl2cap.le_result", "Result", .hex(4),
            names: ValueNames { CreditBasedResult(rawValue: UInt16(truncatingIfNeeded: $0)).name })
        public static let reconfigureResult = Field(
            "btl2cap.reconfigure_result", "Result", .hex(4),
            names: ValueNames { ReconfigureResult(rawValue: UInt16(truncatingIfNeeded: $0)).name })

        static let creditBased = [spsm, mtu, mps, initialCredits, credits, creditBasedResult, reconfigureResult]

        // Connection parameters (Vol 3, Part A, 4.20)
        public static let minimumInterval = Field(
            "btl2cap.min_interval", "Interval Min", .decimal, unit: "ms", scale: 1.25, size: 2)
        public static let maximumInterval = Field(
            "btl2cap.max_interval", "Interval Max", .decimal, unit: "ms", scale: 1.25, size: 2)
        public static let latency = Field(
            "btl2cap.slave_latency", "Latency", .decimal, unit: "connection events", size: 2)
        public static let timeout = Field(
            "btl2cap.timeout_multiplier", "Timeout", .decimal, unit: "ms", scale: 10, size: 2)
        public static let parameterUpdateResult = Field(
            "btl2cap.move_result", "Result", .hex(4),
            names: ValueNames { ConnectionParameterUpdateResult(rawValue: UInt16(truncatingIfNeeded: $0)).name })

        static let connectionParameters = [
            minimumInterval, maximumInterval, latency, timeout, parameterUpdateResult,
        ]

        // Alternate controllers (Core 5.2, Vol 3, Part A, 4.14 to 4.19)
        public static let controller = Field(
            "btl2cap.ctrl_id", "Controller ID", .decimal, names: controllerNames)
        public static let destinationController = Field(
            "btl2cap.dctrl_id", "Destination Controller ID", .decimal, names: controllerNames)
        public static let initiatorCID = Field("btl2cap.icid", "Initiator CID", .hex(4), names: channelNames)
        public static let moveResult = Field(
            "btl2cap.move_result", "Result", .hex(4),
            names: ValueNames { MoveResult(rawValue: UInt16(truncatingIfNeeded: $0)).name })
        public static let moveConfirmationResult = Field(
            "btl2cap.move_result", "Result", .hex(4),
            names: ValueNames { MoveConfirmationResult(rawValue: UInt16(truncatingIfNeeded: $0)).name })

        static let alternateControllers = [
            controller, destinationController, initiatorCID, moveResult, moveConfirmationResult,
        ]

        /// All fields of the layer.
        public static let all =
            frames + signaling + creditBased + connectionParameters + alternateControllers + information
            + configuration

        private static let channelNames = ValueNames { ChannelID(rawValue: UInt16(truncatingIfNeeded: $0)).name }
        private static let controllerNames = ValueNames([0: "Bluetooth BR/EDR", 1: "Wifi 802.11"])
    }
}
