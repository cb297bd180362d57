public import Bytes

extension ATT {
    /// The fields of this layer, under Wireshark's names.
    public enum Fields {
        public static let opcode = Field("btatt.opcode", "Opcode", .hex(2), names: opcodeNames)
        public static let requestOpcodeInError = Field(
            "btatt.req_opcode_in_error", "Request Opcode in Error", .hex(2), names: opcodeNames)
        public static let handle = Field("btatt.handle", "Handle", .hex(4))
        public static let startingHandle = Field("btatt.starting_handle", "Starting Handle", .hex(4))
        public static let endingHandle = Field("btatt.ending_handle", "Ending Handle", .hex(4))
        public static let groupEndHandle = Field("btatt.group_end_handle", "Group End Handle", .hex(4))
        public static let errorCode = Field(
            "btatt.error_code", "Error Code", .hex(2), names: ValueNames { ErrorCode(rawValue: UInt8($0)).name })
        public static let clientRxMTU = Field("btatt.client_rx_mtu", "Client Rx MTU", .decimal, unit: "bytes", size: 2)
        public static let serverRxMTU = Field("btatt.server_rx_mtu", "Server Rx MTU", .decimal, unit: "bytes", size: 2)
        public static let uuidFormat = Field(
            "btatt.uuid_format", "UUID Format", .hex(2), names: ValueNames([1: "16-bit UUIDs", 2: "128-bit UUIDs"]))
        public static let uuid16 = Field("btatt.uuid16", "UUID", .hex(4), names: typeNames)
        public static let uuid128 = Field("btatt.uuid128", "UUID", .uuid128)
        public static let serviceUUID16 = Field(
            "btatt.service_uuid16", "Service UUID", .hex(4), names: serviceNames)
        public static let serviceUUID128 = Field("btatt.service_uuid128", "Service UUID", .uuid128)
        public static let characteristicUUID16 = Field(
            "btatt.characteristic_uuid16", "Characteristic UUID", .hex(4), names: typeNames)
        public static let characteristicUUID128 = Field(
            "btatt.characteristic_uuid128", "Characteristic UUID", .uuid128)
        /// Frame number of the request that a response answers.
        public static let requestFrame = Field("btatt.request_in_frame", "Request in Frame", .decimal)
        /// Frame number of the response to a request.
        public static let responseFrame = Field("btatt.response_in_frame", "Response in Frame", .decimal)
        public static let value = Field("btatt.value", "Value", .bytes)
        public static let length = Field("btatt.length", "Length", .decimal, unit: "bytes")
        public static let offset = Field("btatt.offset", "Offset", .decimal, unit: "bytes", size: 2)
        public static let flags = Field(
            "btatt.flags", "Flags", .hex(2),
            names: ValueNames([0: "Cancel All", 1: "Immediately Write All"]))
        public static let signCounter = Field("btatt.sign_counter", "Sign Counter", .decimal)
        public static let signature = Field("btatt.signature", "Signature", .bytes)
        public static let attributeData = Field("btatt.attribute_data", "Attribute Data", .group)
        public static let informationData = Field("btatt.information_data", "Information Data", .group)
        public static let handlesInformation = Field("btatt.handles_info", "Handles Information", .group)
        public static let parameters = Field("btatt.parameters", "Parameters", .bytes)

        /// Bit fields of the opcode (Vol 3, Part F, 3.3.1).
        public static let opcodeBits = [
            Field("btatt.opcode.authentication_signature", "Authentication Signature", .boolean, mask: 0x80),
            Field("btatt.opcode.command", "Command", .boolean, mask: 0x40),
            Field("btatt.opcode.method", "Method", .hex(2), mask: 0x3F, names: opcodeNames),
        ]

        /// Generated fields, derived from other PDUs of the connection, in addition to `uuid16` and `uuid128`.
        public static let concluded = [
            serviceUUID16, serviceUUID128, characteristicUUID16, characteristicUUID128, requestFrame,
        ]

        /// All fields of the layer.
        public static let all =
            [
                opcode, requestOpcodeInError, handle, startingHandle, endingHandle, groupEndHandle, errorCode,
                clientRxMTU, serverRxMTU, uuidFormat, uuid16, uuid128, value, length, offset, flags, signCounter,
                signature, attributeData, informationData, handlesInformation, parameters, responseFrame,
            ] + concluded + opcodeBits

        private static let serviceNames = ValueNames { AssignedNumbers.name(UInt16(truncatingIfNeeded: $0)) }
        /// Member UUIDs, from 0xFC00 on, name services only.
        private static let typeNames = ValueNames {
            $0 < 0xFC00 ? AssignedNumbers.name(UInt16(truncatingIfNeeded: $0)) : nil
        }
        private static let opcodeNames = ValueNames { Opcode(rawValue: UInt8(truncatingIfNeeded: $0)).name }
    }
}
