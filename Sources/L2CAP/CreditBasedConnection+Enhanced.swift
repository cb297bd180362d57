package import Bytes

extension L2CAP {
    /// Whether channels take their new parameters (Vol 3, Part A, 4.28).
    package struct ReconfigureResult: WireInteger {
        package var rawValue: UInt16

        package init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        package static let successful = Self(rawValue: 0x0000)

        package var name: String? { Self.names[rawValue] }

        private static let names: [UInt16: String] = [
            0x0000: "Reconfiguration Successful",
            0x0001: "Reconfiguration Failed - Reduction In Size Of MTU Not Allowed",
            0x0002: "Reconfiguration Failed - Reduction In Size Of MPS Not Allowed For More Than One Channel",
            0x0003: "Reconfiguration Failed - One Or More Destination CIDs Invalid",
            0x0004: "Reconfiguration Failed - Other Unacceptable Parameters",
        ]
    }

    /// Asks for up to five channels in enhanced credit-based flow control mode (Vol 3, Part A, 4.25).
    package struct CreditBasedConnectionRequest: Command, Hashable {
        package static let code = CommandCode.creditBasedConnectionRequest

        package var spsm: SPSM
        /// Longest SDU that the requester takes, in bytes, 64 at least.
        package var mtu: UInt16
        /// Longest K-frame payload that the requester takes, in bytes, 64 to 65533.
        package var mps: UInt16
        /// K-frames that the responder may send at first, on each channel, 1 at least.
        package var initialCredits: UInt16
        /// The requester's endpoints, 1 to 5.
        package var sources: [ChannelID]

        package init(spsm: SPSM, mtu: UInt16, mps: UInt16, initialCredits: UInt16, sources: [ChannelID]) {
            self.spsm = spsm
            self.mtu = mtu
            self.mps = mps
            self.initialCredits = initialCredits
            self.sources = sources
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            spsm = try reader.read(Fields.spsm)
            mtu = try reader.read(Fields.mtu)
            mps = try reader.read(Fields.mps)
            initialCredits = try reader.read(Fields.initialCredits)
            sources = try L2CAP.readChannels(&reader, Fields.sourceCID)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(spsm)
            writer.write(mtu)
            writer.write(mps)
            writer.write(initialCredits)
            for cid in sources { writer.write(cid) }
        }
    }

    /// Opens the channels, some of them or none (Vol 3, Part A, 4.26).
    package struct CreditBasedConnectionResponse: Command, Hashable {
        package static let code = CommandCode.creditBasedConnectionResponse

        /// Longest SDU that the responder takes, in bytes, 64 at least.
        package var mtu: UInt16
        /// Longest K-frame payload that the responder takes, in bytes, 64 to 65533.
        package var mps: UInt16
        /// K-frames that the requester may send at first, on each channel.
        package var initialCredits: UInt16
        package var result: CreditBasedResult
        /// The responder's endpoints in the order of the request; 0 for a channel that was refused.
        package var destinations: [ChannelID]

        package init(
            mtu: UInt16, mps: UInt16, initialCredits: UInt16, result: CreditBasedResult, destinations: [ChannelID]
        ) {
            self.mtu = mtu
            self.mps = mps
            self.initialCredits = initialCredits
            self.result = result
            self.destinations = destinations
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            mtu = try reader.read(Fields.mtu)
            mps = try reader.read(Fields.mps)
            initialCredits = try reader.read(Fields.initialCredits)
            result = try reader.read(Fields.creditBasedResult)
            destinations = try L2CAP.readChannels(&reader, Fields.destinationCID)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(mtu)
            writer.write(mps)
            writer.write(initialCredits)
            writer.write(result)
            for cid in destinations { writer.write(cid) }
        }
    }

    /// Tells other sizes for channels that are open (Vol 3, Part A, 4.27).
    package struct CreditBasedReconfigureRequest: Command, Hashable {
        package static let code = CommandCode.creditBasedReconfigureRequest

        /// Longest SDU that the sender takes from now on, in bytes, 64 at least.
        package var mtu: UInt16
        /// Longest K-frame payload that the sender takes from now on, in bytes, 64 to 65533.
        package var mps: UInt16
        /// The channels' endpoints, 1 to 5.
        package var destinations: [ChannelID]

        package init(mtu: UInt16, mps: UInt16, destinations: [ChannelID]) {
            self.mtu = mtu
            self.mps = mps
            self.destinations = destinations
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            mtu = try reader.read(Fields.mtu)
            mps = try reader.read(Fields.mps)
            destinations = try L2CAP.readChannels(&reader, Fields.destinationCID)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(mtu)
            writer.write(mps)
            for cid in destinations { writer.write(cid) }
        }
    }

    /// Whether the peer takes the sizes (Vol 3, Part A, 4.28).
    package struct CreditBasedReconfigureResponse: Command, Hashable {
        package static let code = CommandCode.creditBasedReconfigureResponse

        package var result: ReconfigureResult

        package init(result: ReconfigureResult) {
            self.result = result
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            result = try reader.read(Fields.reconfigureResult)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(result)
        }
    }

    /// Reads the endpoints that fill the rest of a command.
    private static func readChannels(
        _ reader: inout ByteReader, _ field: @autoclosure () -> Field
    ) throws(DecodeError) -> [ChannelID] {
        var channels: [ChannelID] = []
        while !reader.isAtEnd { channels.append(try reader.read(field())) }
        return channels
    }
}
