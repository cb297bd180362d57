public import Bytes

extension L2CAP {
    /// Result of a configuration request (Vol 3, Part A, 4.5).
    public struct ConfigurationResult: WireInteger {
        public var rawValue: UInt16

        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        public static let success = Self(rawValue: 0)

        public var name: String? { Self.names[rawValue] }

        private static let names: [UInt16: String] = [
            0x0000: "Success", 0x0001: "Failure - unacceptable parameters",
            0x0002: "Failure - reject (no reason provided)", 0x0003: "Failure - unknown options", 0x0004: "Pending",
            0x0005: "Failure - flow spec rejected",
        ]
    }

    /// Proposes channel parameters (Vol 3, Part A, 4.4).
    public struct ConfigurationRequest: Command, Hashable {
        public static let code = CommandCode.configurationRequest

        /// The receiver's endpoint.
        public var destination: ChannelID
        /// Bit 0: more options follow in another request.
        public var flags: UInt16
        public var options: [ConfigurationOption]

        public init(destination: ChannelID, flags: UInt16 = 0, options: [ConfigurationOption]) {
            self.destination = destination
            self.flags = flags
            self.options = options
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            destination = try reader.read(Fields.destinationCID)
            flags = try L2CAP.readConfigurationFlags(&reader)
            options = try L2CAP.readConfigurationOptions(&reader)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(destination)
            writer.write(flags)
            for option in options { option.write(to: &writer) }
        }
    }

    /// Accepts the parameters or proposes others (Vol 3, Part A, 4.5).
    public struct ConfigurationResponse: Command, Hashable {
        public static let code = CommandCode.configurationResponse

        /// The receiver's endpoint.
        public var source: ChannelID
        /// Bit 0: more options follow in another response.
        public var flags: UInt16
        public var result: ConfigurationResult
        public var options: [ConfigurationOption]

        public init(
            source: ChannelID, flags: UInt16 = 0, result: ConfigurationResult, options: [ConfigurationOption]
        ) {
            self.source = source
            self.flags = flags
            self.result = result
            self.options = options
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            source = try reader.read(Fields.sourceCID)
            flags = try L2CAP.readConfigurationFlags(&reader)
            result = try reader.read(Fields.configurationResult)
            options = try L2CAP.readConfigurationOptions(&reader)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(source)
            writer.write(flags)
            writer.write(result)
            for option in options { option.write(to: &writer) }
        }
    }

    private static func readConfigurationFlags(_ reader: inout ByteReader) throws(DecodeError) -> UInt16 {
        let flags = try reader.read(Fields.configurationFlags, as: UInt16.self)
        reader.recordBits(flags, Fields.configurationFlagBits)
        return flags
    }

    private static func readConfigurationOptions(
        _ reader: inout ByteReader
    ) throws(DecodeError) -> [ConfigurationOption] {
        var options: [ConfigurationOption] = []
        while !reader.isAtEnd {
            let group = reader.begin(Fields.configurationOption)
            options.append(try ConfigurationOption(reading: &reader))
            reader.end(group)
        }
        return options
    }
}
