package import Bytes

extension ATT {
    /// The fields of this layer, under Wireshark's names.
    package enum Fields {
        package static let opcode = Field("btatt.opcode", "Opcode", .hex(2), names: opcodeNames)
        package static let requestOpcodeInError = Field(
            "btatt.req_opcode_in_error", "Request Opcode in Error", .hex(2), names: opcodeNames)
        package static let handle = Field("btatt.handle", "Handle", .hex(4))
        package static let startingHandle = Field("btatt.starting_handle", "Starting Handle", .hex(4))
        package static let endingHandle = Field("btatt.ending_handle", "Ending Handle", .hex(4))
        package static let groupEndHandle = Field("btatt.group_end_handle", "Group End Handle", .hex(4))
        package static let errorCode = Field(
            "btatt.error_code", "Error Code", .hex(2), names: ValueNames { ErrorCode(rawValue: UInt8($0)).name })
        package static let clientRxMTU = Field("btatt.client_rx_mtu", "Client Rx MTU", .decimal, unit: "bytes")
        package static let serverRxMTU = Field("btatt.server_rx_mtu", "Server Rx MTU", .decimal, unit: "bytes")
        package static let uuidFormat = Field(
            "btatt.uuid_format", "UUID Format", .hex(2), names: ValueNames([1: "16-bit UUIDs", 2: "128-bit UUIDs"]))
        package static let uuid16 = Field("btatt.uuid16", "UUID", .hex(4))
        package static let uuid128 = Field("btatt.uuid128", "UUID", .uuid128)
        package static let value = Field("btatt.value", "Value", .bytes)
        package static let length = Field("btatt.length", "Length", .decimal, unit: "bytes")
        package static let offset = Field("btatt.offset", "Offset", .decimal, unit: "bytes")
        package static let flags = Field(
            "btatt.flags", "Flags", .hex(2),
            names: ValueNames([0: "Cancel All", 1: "Immediately Write All"]))
        package static let signCounter = Field("btatt.sign_counter", "Sign Counter", .decimal)
        package static let signature = Field("btatt.signature", "Signature", .bytes)
        package static let attributeData = Field("btatt.attribute_data", "Attribute Data", .group)
        package static let informationData = Field("btatt.information_data", "Information Data", .group)
        package static let handlesInformation = Field("btatt.handles_info", "Handles Information", .group)
        package static let parameters = Field("btatt.parameters", "Parameters", .bytes)

        /// The bits of the opcode (Vol 3, Part F, 3.3.1).
        package static let opcodeBits = [
            Field("btatt.opcode.authentication_signature", "Authentication Signature", .boolean, mask: 0x80),
            Field("btatt.opcode.command", "Command", .boolean, mask: 0x40),
            Field("btatt.opcode.method", "Method", .hex(2), mask: 0x3F, names: opcodeNames),
        ]

        /// All of them.
        package static let all =
            [
                opcode, requestOpcodeInError, handle, startingHandle, endingHandle, groupEndHandle, errorCode,
                clientRxMTU, serverRxMTU, uuidFormat, uuid16, uuid128, value, length, offset, flags, signCounter,
                signature, attributeData, informationData, handlesInformation, parameters,
            ] + opcodeBits

        private static let opcodeNames = ValueNames { Opcode(rawValue: UInt8(truncatingIfNeeded: $0)).name }
    }
}
