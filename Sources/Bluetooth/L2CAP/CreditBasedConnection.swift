public import Bytes

extension L2CAP {
    /// Result of a request for credit-based channels (Vol 3, Part A, 4.23 and 4.26).
    public struct CreditBasedResult: WireInteger {
        public var rawValue: UInt16

        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        public static let successful = Self(rawValue: 0x0000)
        public static let spsmNotSupported = Self(rawValue: 0x0002)
        public static let someRefusedNoResources = Self(rawValue: 0x0004)

        public var name: String? { Self.names[rawValue] }

        private static let names: [UInt16: String] = [
            0x0000: "Connection Successful", 0x0002: "Connection Refused - LE_PSM Not Supported",
            0x0004: "Connection Refused - No Resources Available",
            0x0005: "Connection Refused - Insufficient Authentication",
            0x0006: "Connection Refused - Insufficient Authorization",
            0x0007: "Connection Refused - Insufficient Encryption Key Size",
            0x0008: "Connection Refused - Insufficient Encryption", 0x0009: "Connection Refused - Invalid Source CID",
            0x000A: "Connection Refused - Source CID Already Allocated",
            0x000B: "Connection Refused - Unacceptable Parameters",
            0x000C: "Connection Refused - Invalid Parameters",
            0x000D: "Connection Pending - No Further Information Available",
            0x000E: "Connection Pending - Authentication Pending",
            0x000F: "Connection Pending - Authorization Pending",
        ]
    }

    /// Asks for a channel in LE credit-based flow control mode (Vol 3, Part A, 4.22).
    public struct LECreditBasedConnectionRequest: Command, Hashable {
        public static let code = CommandCode.leCreditBasedConnectionRequest

        public var spsm: SPSM
        /// The requester's endpoint.
        public var source: ChannelID
        /// Maximum SDU length that the requester accepts, in bytes, at least 23.
        public var mtu: UInt16
        /// Maximum K-frame payload that the requester accepts, in bytes, 23 to 65533.
        public var mps: UInt16
        /// Initial credits of the responder.
        public var initialCredits: UInt16

        public init(spsm: SPSM, source: ChannelID, mtu: UInt16, mps: UInt16, initialCredits: UInt16) {
            self.spsm = spsm
            self.source = source
            self.mtu = mtu
            self.mps = mps
            self.initialCredits = initialCredits
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            spsm = try reader.read(Fields.spsm)
            source = try reader.read(Fields.sourceCID)
            mtu = try reader.read(Fields.mtu)
            mps = try reader.read(Fields.mps)
            initialCredits = try reader.read(Fields.initialCredits)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(spsm)
            writer.write(source)
            writer.write(mtu)
            writer.write(mps)
            writer.write(initialCredits)
        }
    }

    /// Accepts or refuses the channel (Vol 3, Part A, 4.23).
    public struct LECreditBasedConnectionResponse: Command, Hashable {
        public static let code = CommandCode.leCreditBasedConnectionResponse

        /// The responder's endpoint; 0 if refused.
        public var destination: ChannelID
        /// Maximum SDU length that the responder accepts, in bytes, at least 23.
        public var mtu: UInt16
        /// Maximum K-frame payload that the responder accepts, in bytes, 23 to 65533.
        public var mps: UInt16
        /// Initial credits of the requester.
        public var initialCredits: UInt16
        public var result: CreditBasedResult

        public init(
            destination: ChannelID, mtu: UInt16, mps: UInt16, initialCredits: UInt16, result: CreditBasedResult
        ) {
            self.destination = destination
            self.mtu = mtu
            self.mps = mps
            self.initialCredits = initialCredits
            self.result = result
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            destination = try reader.read(Fields.destinationCID)
            mtu = try reader.read(Fields.mtu)
            mps = try reader.read(Fields.mps)
            initialCredits = try reader.read(Fields.initialCredits)
            result = try reader.read(Fields.creditBasedResult)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(destination)
            writer.write(mtu)
            writer.write(mps)
            writer.write(initialCredits)
            writer.write(result)
        }
    }

    /// Gives the peer credits to send more K-frames (Vol 3, Part A, 4.24).
    public struct FlowControlCredit: Command, Hashable {
        public static let code = CommandCode.flowControlCredit

        /// The sender's endpoint.
        public var cid: ChannelID
        /// Additional K-frames that the peer may send, at least 1.
        public var credits: UInt16

        public init(cid: ChannelID, credits: UInt16) {
            self.cid = cid
            self.credits = credits
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            cid = try reader.read(Fields.cid)
            credits = try reader.read(Fields.credits)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(cid)
            writer.write(credits)
        }
    }
}
