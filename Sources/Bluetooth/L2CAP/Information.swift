public import Bytes

extension L2CAP {
    /// Asks for an echo of arbitrary data (Vol 3, Part A, 4.8).
    public struct EchoRequest: Command, Hashable {
        public static let code = CommandCode.echoRequest

        public var data: [UInt8]

        public init(data: [UInt8]) {
            self.data = data
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            data = reader.readRest(Fields.data)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(data)
        }
    }

    /// Answers an echo request; its data may differ from the request's (Vol 3, Part A, 4.9).
    public struct EchoResponse: Command, Hashable {
        public static let code = CommandCode.echoResponse

        public var data: [UInt8]

        public init(data: [UInt8]) {
            self.data = data
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            data = reader.readRest(Fields.data)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(data)
        }
    }

    /// Type of the requested information (Vol 3, Part A, 4.10).
    public struct InformationType: WireInteger {
        public var rawValue: UInt16

        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        public static let connectionlessMTU = Self(rawValue: 1)
        public static let extendedFeatures = Self(rawValue: 2)
        public static let fixedChannels = Self(rawValue: 3)

        public var name: String? {
            switch self {
            case .connectionlessMTU: "Connectionless MTU"
            case .extendedFeatures: "Extended Features Mask"
            case .fixedChannels: "Fixed Channels Supported"
            default: nil
            }
        }
    }

    /// Whether the information is available (Vol 3, Part A, 4.11).
    public struct InformationResult: WireInteger {
        public var rawValue: UInt16

        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        public static let success = Self(rawValue: 0)
        public static let notSupported = Self(rawValue: 1)

        public var name: String? {
            switch self {
            case .success: "Success"
            case .notSupported: "Not Supported"
            default: nil
            }
        }
    }

    /// Asks for information about the other device's L2CAP (Vol 3, Part A, 4.10).
    public struct InformationRequest: Command, Hashable {
        public static let code = CommandCode.informationRequest

        public var type: InformationType

        public init(type: InformationType) {
            self.type = type
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            type = try reader.read(Fields.informationType)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(type)
        }
    }

    /// Information about the device's L2CAP (Vol 3, Part A, 4.11).
    public struct InformationResponse: Command, Hashable {
        public static let code = CommandCode.informationResponse

        /// The information, by type.
        public enum Information: Hashable, Sendable {
            /// Maximum payload of a connectionless frame, in bytes.
            case connectionlessMTU(UInt16)
            /// Extended feature mask, one bit per feature (Vol 3, Part A, 4.12).
            case extendedFeatures(UInt32)
            /// Fixed channels, one bit per CID (Vol 3, Part A, 4.13).
            case fixedChannels(UInt64)
            /// Data of another type, or of a failed request, where it is usually empty.
            case other([UInt8])
        }

        public var type: InformationType
        public var result: InformationResult
        public var information: Information

        public init(type: InformationType, result: InformationResult, information: Information = .other([])) {
            self.type = type
            self.result = result
            self.information = information
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            type = try reader.read(Fields.informationType)
            result = try reader.read(Fields.informationResult)
            switch (result, type) {
            case (.success, .connectionlessMTU):
                information = .connectionlessMTU(try reader.read(Fields.connectionlessMTU))
            case (.success, .extendedFeatures):
                let features = try reader.read(Fields.extendedFeatures, as: UInt32.self)
                reader.recordBits(features, Fields.extendedFeatureBits)
                information = .extendedFeatures(features)
            case (.success, .fixedChannels):
                let channels = try reader.read(Fields.fixedChannels, as: UInt64.self)
                reader.recordBits(channels, Fields.fixedChannelBits)
                information = .fixedChannels(channels)
            default:
                information = .other(reader.readRest(Fields.data))
            }
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(type)
            writer.write(result)
            switch information {
            case .connectionlessMTU(let mtu): writer.write(mtu)
            case .extendedFeatures(let features): writer.write(features)
            case .fixedChannels(let channels): writer.write(channels)
            case .other(let data): writer.write(data)
            }
        }
    }
}

extension L2CAP.Fields {
    public static let informationType = Field(
        "btl2cap.info_type", "Information Type", .hex(4),
        names: ValueNames { L2CAP.InformationType(rawValue: UInt16(truncatingIfNeeded: $0)).name })
    public static let informationResult = Field(
        "btl2cap.info_result", "Result", .hex(4),
        names: ValueNames { L2CAP.InformationResult(rawValue: UInt16(truncatingIfNeeded: $0)).name })
    public static let connectionlessMTU = Field(
        "btl2cap.info_mtu", "Connectionless MTU", .decimal, unit: "bytes")
    public static let extendedFeatures = Field("btl2cap.info_extfeatures", "Extended Feature Mask", .hex(8))
    public static let fixedChannels = Field("btl2cap.info_fixedchans", "Fixed Channels Supported", .hex(16))

    /// Bit fields of the extended feature mask (Vol 3, Part A, 4.12).
    public static let extendedFeatureBits = [
        Field("btl2cap.info_flowcontrol", "Flow Control Mode", .boolean, mask: 1 << 0),
        Field("btl2cap.info_retransmission", "Retransmission Mode", .boolean, mask: 1 << 1),
        Field("btl2cap.info_bidirqos", "Bi-directional QoS", .boolean, mask: 1 << 2),
        Field("btl2cap.info_enh_retransmission", "Enhanced Retransmission Mode", .boolean, mask: 1 << 3),
        Field("btl2cap.info_streaming", "Streaming Mode", .boolean, mask: 1 << 4),
        Field("btl2cap.info_fcs", "FCS Option", .boolean, mask: 1 << 5),
        Field("btl2cap.info_flow_spec", "Extended Flow Specification for BR/EDR", .boolean, mask: 1 << 6),
        Field("btl2cap.info_fixedchan", "Fixed Channels", .boolean, mask: 1 << 7),
        Field("btl2cap.info_window", "Extended Window Size", .boolean, mask: 1 << 8),
        Field("btl2cap.info_unicast", "Unicast Connectionless Data Reception", .boolean, mask: 1 << 9),
        Field("btl2cap.info_enh_credit", "Enhanced Credit Based Flow Control Mode", .boolean, mask: 1 << 10),
    ]

    /// Bit fields of the fixed channels (Vol 3, Part A, 4.13).
    public static let fixedChannelBits = [
        Field("btl2cap.info_fixedchans_null", "Null identifier", .boolean, mask: 1 << 0),
        Field("btl2cap.info_fixedchans_signal", "L2CAP signaling channel", .boolean, mask: 1 << 1),
        Field("btl2cap.info_fixedchans_connless", "Connectionless reception", .boolean, mask: 1 << 2),
        Field("btl2cap.info_fixedchans_amp_man", "AMP Manager protocol", .boolean, mask: 1 << 3),
        Field("btl2cap.info_fixedchans_smp", "BR/EDR Security Manager", .boolean, mask: 1 << 7),
        Field("btl2cap.info_fixedchans_amp_test", "AMP Test Manager", .boolean, mask: 1 << 63),
    ]

    static let information =
        [informationType, informationResult, connectionlessMTU, extendedFeatures, fixedChannels]
        + extendedFeatureBits + fixedChannelBits
}
