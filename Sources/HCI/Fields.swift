package import Bytes

extension HCI {
    /// The fields of packet headers, under Wireshark's names; those of parameters stand in `Parameter` and in the
    /// tables.
    package enum Fields {
        package static let packetType = Field(
            "hci_h4.type", "HCI Packet Type", .hex(2),
            names: ValueNames { PacketType(rawValue: UInt8(truncatingIfNeeded: $0)).name })
        package static let direction = Field(
            "hci_h4.direction", "Direction", .hex(2), names: ValueNames([0: "Sent", 1: "Rcvd"]))

        // Command packet (Vol 4, Part E, 5.4.1).
        package static let commandOpcode = Field("bthci_cmd.opcode", "Command Opcode", .hex(4), names: opcodeNames)
        package static let commandOpcodeBits = [
            Field("bthci_cmd.opcode.ogf", "Opcode Group Field", .hex(4), mask: 0xFC00, names: groupNames),
            Field("bthci_cmd.opcode.ocf", "Opcode Command Field", .hex(4), mask: 0x03FF),
        ]
        package static let commandLength = Field(
            "bthci_cmd.param_length", "Parameter Total Length", .decimal, unit: "bytes")
        package static let commandParameter = Field("bthci_cmd.parameter", "Parameter", .bytes)
        package static let unexpectedCommandParameter = Field(
            "bthci_cmd.expert.parameter.unexpected", "Unexpected Parameter", .bytes)

        // Event packet (Vol 4, Part E, 5.4.4).
        package static let eventCode = Field(
            "bthci_evt.code", "Event Code", .hex(2),
            names: ValueNames { EventCode(rawValue: UInt8(truncatingIfNeeded: $0)).name })
        package static let subevent = Field(
            "bthci_evt.le_meta_subevent", "Subevent Code", .hex(2),
            names: ValueNames { LESubevent(rawValue: UInt8(truncatingIfNeeded: $0)).name })
        package static let eventLength = Field(
            "bthci_evt.param_length", "Parameter Total Length", .decimal, unit: "bytes")
        package static let allowedCommands = Field(
            "bthci_evt.num_command_packets", "Number of Allowed Command Packets", .decimal)
        package static let eventOpcode = Field("bthci_evt.opcode", "Command Opcode", .hex(4), names: opcodeNames)
        package static let eventOpcodeBits = [
            Field("bthci_evt.opcode.ogf", "Opcode Group Field", .hex(4), mask: 0xFC00, names: groupNames),
            Field("bthci_evt.opcode.ocf", "Opcode Command Field", .hex(4), mask: 0x03FF),
        ]
        package static let returnParameters = Field("bthci_evt.ret_params", "Return Parameters", .bytes)
        package static let eventParameter = Field("bthci_evt.parameter", "Parameter", .bytes)
        package static let unexpectedEventParameter = Field(
            "bthci_evt.unexpected_parameter", "Unexpected Parameter", .bytes)

        // ACL data packet (Vol 4, Part E, 5.4.2).
        package static let aclHandleAndFlags = [
            Field("bthci_acl.chandle", "Connection Handle", .hex(4), mask: 0x0FFF),
            Field(
                "bthci_acl.pb_flag", "Packet Boundary Flag", .decimal, mask: 0x3000,
                names: ValueNames { PacketBoundary(rawValue: UInt8(truncatingIfNeeded: $0)).name }),
            Field(
                "bthci_acl.bc_flag", "Broadcast Flag", .decimal, mask: 0xC000,
                names: ValueNames([0: "Point-to-point", 1: "BR/EDR Broadcast"])),
        ]
        package static let aclLength = Field("bthci_acl.length", "Data Total Length", .decimal, unit: "bytes")
        package static let aclData = Field("bthci_acl.data", "Data", .bytes)

        // Synchronous data packet (Vol 4, Part E, 5.4.3).
        package static let scoHandleAndFlags = [
            Field("bthci_sco.chandle", "Connection Handle", .hex(4), mask: 0x0FFF),
            Field(
                "bthci_sco.packet_status", "Packet Status Flag", .hex(4), mask: 0x3000,
                names: ValueNames([
                    0: "Correctly Received Data", 1: "Possibly Invalid Data", 2: "No Data Received",
                    3: "Data Partially Lost",
                ])),
            Field("bthci_sco.reserved", "Reserved", .hex(4), mask: 0xC000),
        ]
        package static let scoLength = Field("bthci_sco.length", "Data Total Length", .decimal, unit: "bytes")
        package static let scoData = Field("bthci_sco.data", "Data", .bytes)

        // Isochronous data packet (Vol 4, Part E, 5.4.5).
        package static let isoHandleAndFlags = [
            Field("bthci_iso.chandle", "Connection Handle", .hex(4), mask: 0x0FFF),
            Field(
                "bthci_iso.pb_flag", "Packet Boundary Flag", .hex(4), mask: 0x3000,
                names: ValueNames { ISOBoundary(rawValue: UInt8(truncatingIfNeeded: $0)).name }),
            Field("bthci_iso.ts_flag", "Time Stamp Flag", .boolean, mask: 0x4000),
            Field("bthci_iso.reserved", "Reserved", .hex(4), mask: 0x8000),
        ]
        package static let isoLength = [
            Field("bthci_iso.data_length", "ISO Data Load Length", .decimal, unit: "bytes", mask: 0x3FFF)
        ]
        package static let isoTimeStamp = Field("bthci_iso_data.timestamp", "Time Stamp", .decimal, unit: "µs")
        package static let isoSequenceNumber = Field(
            "bthci_iso_data.packet_seq_num", "Packet Sequence Number", .decimal)
        package static let isoLengthAndStatus = [
            Field("bthci_iso_data.sdu_length", "ISO SDU Length", .decimal, unit: "bytes", mask: 0x0FFF),
            Field(
                "bthci_iso_data.status_flag", "Packet Status Flag", .decimal, mask: 0xC000,
                names: ValueNames([0: "Valid Data", 1: "Possibly Invalid Data", 2: "Lost Data"])),
        ]
        package static let isoData = Field("bthci_iso.data", "Data", .bytes)
        package static let isoSDU = Field("bthci_iso_data.sdu", "ISO SDU", .bytes)

        private static let opcodeNames = ValueNames { Opcode(rawValue: UInt16(truncatingIfNeeded: $0)).name }
        private static let groupNames = ValueNames { Opcode.groupName(UInt8(truncatingIfNeeded: $0)) }

        static let headers: [Field] =
            [
                packetType, direction, commandOpcode, commandLength, commandParameter, unexpectedCommandParameter,
                eventCode, subevent, eventLength, allowedCommands, eventOpcode, returnParameters, eventParameter,
                unexpectedEventParameter, aclLength, aclData, scoLength, scoData, isoTimeStamp, isoSequenceNumber,
                isoData, isoSDU,
            ] + commandOpcodeBits + eventOpcodeBits + aclHandleAndFlags + scoHandleAndFlags + isoHandleAndFlags
            + isoLength + isoLengthAndStatus
    }
}
