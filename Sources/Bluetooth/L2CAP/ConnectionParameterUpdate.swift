public import Bytes

extension L2CAP {
    /// Whether the central accepts the parameters (Vol 3, Part A, 4.21).
    public struct ConnectionParameterUpdateResult: WireInteger {
        public var rawValue: UInt16

        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        public static let accepted = Self(rawValue: 0)
        public static let rejected = Self(rawValue: 1)

        public var name: String? {
            switch self {
            case .accepted: "Accepted"
            case .rejected: "Rejected"
            default: nil
            }
        }
    }

    /// Asks the central for other connection parameters (Vol 3, Part A, 4.20).
    public struct ConnectionParameterUpdateRequest: Command, Hashable {
        public static let code = CommandCode.connectionParameterUpdateRequest

        /// Minimum connection interval, in 1.25 ms, 6 to 3200.
        public var minimumInterval: UInt16
        /// Maximum connection interval, in 1.25 ms, 6 to 3200.
        public var maximumInterval: UInt16
        /// Connection events that the peripheral may skip, 0 to 499.
        public var latency: UInt16
        /// Supervision timeout, in 10 ms, 10 to 3200.
        public var timeout: UInt16

        public init(minimumInterval: UInt16, maximumInterval: UInt16, latency: UInt16, timeout: UInt16) {
            self.minimumInterval = minimumInterval
            self.maximumInterval = maximumInterval
            self.latency = latency
            self.timeout = timeout
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            minimumInterval = try reader.read(Fields.minimumInterval)
            maximumInterval = try reader.read(Fields.maximumInterval)
            latency = try reader.read(Fields.latency)
            timeout = try reader.read(Fields.timeout)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(minimumInterval)
            writer.write(maximumInterval)
            writer.write(latency)
            writer.write(timeout)
        }
    }

    /// The central's response (Vol 3, Part A, 4.21).
    public struct ConnectionParameterUpdateResponse: Command, Hashable {
        public static let code = CommandCode.connectionParameterUpdateResponse

        public var result: ConnectionParameterUpdateResult

        public init(result: ConnectionParameterUpdateResult) {
            self.result = result
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            result = try reader.read(Fields.parameterUpdateResult)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(result)
        }
    }
}
