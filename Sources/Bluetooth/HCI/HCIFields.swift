public import Bytes

extension HCI {
    /// The fields of packet headers, under Wireshark's names. Parameter fields are in `Parameter` and in the tables.
    public enum Fields {
        public static let packetType = Field(
            "hci_h4.type", "HCI Packet Type", .hex(2),
            names: ValueNames { PacketType(rawValue: UInt8(truncatingIfNeeded: $0)).name })

        // Command packet (Vol 4, Part E, 5.4.1).
        public static let commandOpcode = Field("bthci_cmd.opcode", "Command Opcode", .hex(4), names: opcodeNames)
        public static let commandOpcodeBits = [
            Field("bthci_cmd.opcode.ogf", "Opcode Group Field", .hex(4), mask: 0xFC00, names: groupNames),
            Field("bthci_cmd.opcode.ocf", "Opcode Command Field", .hex(4), mask: 0x03FF),
        ]
        public static let commandLength = Field(
            "bthci_cmd.param_length", "Parameter Total Length", .decimal, unit: "bytes")
        public static let commandParameter = Field("bthci_cmd.parameter", "Parameter", .bytes)
        public static let unexpectedCommandParameter = Field(
            "bthci_cmd.expert.parameter.unexpected", "Unexpected Parameter", .bytes)

        // Event packet (Vol 4, Part E, 5.4.4).
        public static let eventCode = Field(
            "bthci_evt.code", "Event Code", .hex(2),
            names: ValueNames { EventCode(rawValue: UInt8(truncatingIfNeeded: $0)).name })
        public static let subevent = Field(
            "bthci_evt.le_meta_subevent", "Subevent Code", .hex(2),
            names: ValueNames { LESubevent(rawValue: UInt8(truncatingIfNeeded: $0)).name })
        public static let eventLength = Field(
            "bthci_evt.param_length", "Parameter Total Length", .decimal, unit: "bytes")
        public static let allowedCommands = Field(
            "bthci_evt.num_command_packets", "Number of Allowed Command Packets", .decimal)
        public static let eventOpcode = Field("bthci_evt.opcode", "Command Opcode", .hex(4), names: opcodeNames)
        public static let eventOpcodeBits = [
            Field("bthci_evt.opcode.ogf", "Opcode Group Field", .hex(4), mask: 0xFC00, names: groupNames),
            Field("bthci_evt.opcode.ocf", "Opcode Command Field", .hex(4), mask: 0x03FF),
        ]
        public static let returnParameters = Field("bthci_evt.ret_params", "Return Parameters", .bytes)
        /// An advertising report in an event.
        public static let report = Parameter.leReport.inEvent
        public static let eventParameter = Field("bthci_evt.parameter", "Parameter", .bytes)
        public static let unexpectedEventParameter = Field(
            "bthci_evt.unexpected_parameter", "Unexpected Parameter", .bytes)

        // ACL data packet (Vol 4, Part E, 5.4.2).
        public static let aclHandleAndFlags = [
            Field("bthci_acl.chandle", "Connection Handle", .hex(4), mask: 0x0FFF),
            Field(
                "bthci_acl.pb_flag", "Packet Boundary Flag", .decimal, mask: 0x3000,
                names: ValueNames { PacketBoundary(rawValue: UInt8(truncatingIfNeeded: $0)).name }),
            Field(
                "bthci_acl.bc_flag", "Broadcast Flag", .decimal, mask: 0xC000,
                names: ValueNames([0: "Point-to-point", 1: "BR/EDR Broadcast"])),
        ]
        public static let aclLength = Field("bthci_acl.length", "Data Total Length", .decimal, unit: "bytes")
        public static let aclData = Field("bthci_acl.data", "Data", .bytes)

        // Synchronous data packet (Vol 4, Part E, 5.4.3).
        public static let scoHandleAndFlags = [
            Field("bthci_sco.chandle", "Connection Handle", .hex(4), mask: 0x0FFF),
            Field(
                "bthci_sco.packet_status", "Packet Status Flag", .hex(4), mask: 0x3000,
                names: ValueNames([
                    0: "Correctly Received Data", 1: "Possibly Invalid Data", 2: "No Data Received",
                    3: "Data Partially Lost",
                ])),
            Field("bthci_sco.reserved", "Reserved", .hex(4), mask: 0xC000),
        ]
        public static let scoLength = Field("bthci_sco.length", "Data Total Length", .decimal, unit: "bytes")
        public static let scoData = Field("bthci_sco.data", "Data", .bytes)

        // Isochronous data packet (Vol 4, Part E, 5.4.5).
        public static let isoHandleAndFlags = [
            Field("bthci_iso.chandle", "Connection Handle", .hex(4), mask: 0x0FFF),
            Field(
                "bthci_iso.pb_flag", "Packet Boundary Flag", .hex(4), mask: 0x3000,
                names: ValueNames { ISOBoundary(rawValue: UInt8(truncatingIfNeeded: $0)).name }),
            Field("bthci_iso.ts_flag", "Time Stamp Flag", .boolean, mask: 0x4000),
            Field("bthci_iso.reserved", "Reserved", .hex(4), mask: 0x8000),
        ]
        public static let isoLength = [
            Field("bthci_iso.data_length", "ISO Data Load Length", .decimal, unit: "bytes", mask: 0x3FFF)
        ]
        public static let isoTimeStamp = Field("bthci_iso_data.timestamp", "Time Stamp", .decimal, unit: "µs")
        public static let isoSequenceNumber = Field(
            "bthci_iso_data.packet_seq_num", "Packet Sequence Number", .decimal)
        public static let isoLengthAndStatus = [
            Field("bthci_iso_data.sdu_length", "ISO SDU Length", .decimal, unit: "bytes", mask: 0x0FFF),
            Field(
                "bthci_iso_data.status_flag", "Packet Status Flag", .decimal, mask: 0xC000,
                names: ValueNames([0: "Valid Data", 1: "Possibly Invalid Data", 2: "Lost Data"])),
        ]
        public static let isoData = Field("bthci_iso.data", "Data", .bytes)
        public static let isoSDU = Field("bthci_iso_data.sdu", "ISO SDU", .bytes)

        private static let opcodeNames = ValueNames { Opcode(rawValue: UInt16(truncatingIfNeeded: $0)).name }
        private static let groupNames = ValueNames { Opcode.groupName(UInt8(truncatingIfNeeded: $0)) }

        static let headers: [Field] =
            [
                packetType, commandOpcode, commandLength, commandParameter, unexpectedCommandParameter,
                eventCode, subevent, eventLength, allowedCommands, eventOpcode, returnParameters, eventParameter,
                unexpectedEventParameter, aclLength, aclData, scoLength, scoData, isoTimeStamp, isoSequenceNumber,
                isoData, isoSDU,
            ] + commandOpcodeBits + eventOpcodeBits + aclHandleAndFlags + scoHandleAndFlags + isoHandleAndFlags
            + isoLength + isoLengthAndStatus
    }
}
