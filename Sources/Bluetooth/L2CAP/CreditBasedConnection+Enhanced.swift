public import Bytes

extension L2CAP {
    /// Result of a reconfiguration (Vol 3, Part A, 4.28).
    public struct ReconfigureResult: WireInteger {
        public var rawValue: UInt16

        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        public static let successful = Self(rawValue: 0x0000)

        public var name: String? { Self.names[rawValue] }

        private static let names: [UInt16: String] = [
            0x0000: "Reconfiguration Successful",
            0x0001: "Reconfiguration Failed - Reduction In Size Of MTU Not Allowed",
            0x0002: "Reconfiguration Failed - Reduction In Size Of MPS Not Allowed For More Than One Channel",
            0x0003: "Reconfiguration Failed - One Or More Destination CIDs Invalid",
            0x0004: "Reconfiguration Failed - Other Unacceptable Parameters",
        ]
    }

    /// Asks for up to five channels in enhanced credit-based flow control mode (Vol 3, Part A, 4.25).
    public struct CreditBasedConnectionRequest: Command, Hashable {
        public static let code = CommandCode.creditBasedConnectionRequest

        public var spsm: SPSM
        /// Maximum SDU length that the requester accepts, in bytes, at least 64.
        public var mtu: UInt16
        /// Maximum K-frame payload that the requester accepts, in bytes, 64 to 65533.
        public var mps: UInt16
        /// Initial credits of the responder on each channel, at least 1.
        public var initialCredits: UInt16
        /// The requester's endpoints, 1 to 5.
        public var sources: [ChannelID]

        public init(spsm: SPSM, mtu: UInt16, mps: UInt16, initialCredits: UInt16, sources: [ChannelID]) {
            self.spsm = spsm
            self.mtu = mtu
            self.mps = mps
            self.initialCredits = initialCredits
            self.sources = sources
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            spsm = try reader.read(Fields.spsm)
            mtu = try reader.read(Fields.mtu)
            mps = try reader.read(Fields.mps)
            initialCredits = try reader.read(Fields.initialCredits)
            sources = try L2CAP.readChannels(&reader, Fields.sourceCID)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(spsm)
            writer.write(mtu)
            writer.write(mps)
            writer.write(initialCredits)
            for cid in sources { writer.write(cid) }
        }
    }

    /// Accepts all, some or none of the channels (Vol 3, Part A, 4.26).
    public struct CreditBasedConnectionResponse: Command, Hashable {
        public static let code = CommandCode.creditBasedConnectionResponse

        /// Maximum SDU length that the responder accepts, in bytes, at least 64.
        public var mtu: UInt16
        /// Maximum K-frame payload that the responder accepts, in bytes, 64 to 65533.
        public var mps: UInt16
        /// Initial credits of the requester on each channel.
        public var initialCredits: UInt16
        public var result: CreditBasedResult
        /// The responder's endpoints in the order of the request; 0 for a refused channel.
        public var destinations: [ChannelID]

        public init(
            mtu: UInt16, mps: UInt16, initialCredits: UInt16, result: CreditBasedResult, destinations: [ChannelID]
        ) {
            self.mtu = mtu
            self.mps = mps
            self.initialCredits = initialCredits
            self.result = result
            self.destinations = destinations
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            mtu = try reader.read(Fields.mtu)
            mps = try reader.read(Fields.mps)
            initialCredits = try reader.read(Fields.initialCredits)
            result = try reader.read(Fields.creditBasedResult)
            destinations = try L2CAP.readChannels(&reader, Fields.destinationCID)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(mtu)
            writer.write(mps)
            writer.write(initialCredits)
            writer.write(result)
            for cid in destinations { writer.write(cid) }
        }
    }

    /// Changes the MTU and MPS of open channels (Vol 3, Part A, 4.27).
    public struct CreditBasedReconfigureRequest: Command, Hashable {
        public static let code = CommandCode.creditBasedReconfigureRequest

        /// Maximum SDU length that the sender accepts from now on, in bytes, at least 64.
        public var mtu: UInt16
        /// Maximum K-frame payload that the sender accepts from now on, in bytes, 64 to 65533.
        public var mps: UInt16
        /// The channels' endpoints, 1 to 5.
        public var destinations: [ChannelID]

        public init(mtu: UInt16, mps: UInt16, destinations: [ChannelID]) {
            self.mtu = mtu
            self.mps = mps
            self.destinations = destinations
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            mtu = try reader.read(Fields.mtu)
            mps = try reader.read(Fields.mps)
            destinations = try L2CAP.readChannels(&reader, Fields.destinationCID)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(mtu)
            writer.write(mps)
            for cid in destinations { writer.write(cid) }
        }
    }

    /// Accepts or refuses the new MTU and MPS (Vol 3, Part A, 4.28).
    public struct CreditBasedReconfigureResponse: Command, Hashable {
        public static let code = CommandCode.creditBasedReconfigureResponse

        public var result: ReconfigureResult

        public init(result: ReconfigureResult) {
            self.result = result
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            result = try reader.read(Fields.reconfigureResult)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(result)
        }
    }

    /// Reads endpoints up to the end of a command.
    private static func readChannels(
        _ reader: inout ByteReader, _ field: @autoclosure () -> Field
    ) throws(DecodeError) -> [ChannelID] {
        var channels: [ChannelID] = []
        while !reader.isAtEnd { channels.append(try reader.read(field())) }
        return channels
    }
}
