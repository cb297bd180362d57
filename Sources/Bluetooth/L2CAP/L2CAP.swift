public import Bytes

/// The Logical Link Control and Adaptation Protocol (Vol 3, Part A): frames, channels and signaling commands.
public enum L2CAP {
    /// The protocol layer in the field tree.
    public static let layer = Field("btl2cap", "Bluetooth L2CAP Protocol", .group)
}

extension L2CAP {
    /// The basic header of every L2CAP frame (Vol 3, Part A, 3.1).
    public struct FrameHeader: WireFormat, Hashable {
        /// Bytes of the header.
        public static let size = 4

        /// Bytes after the header.
        public var length: UInt16
        /// The receiver's endpoint of the channel.
        public var cid: ChannelID

        @inlinable
        public init(length: UInt16, cid: ChannelID) {
            self.length = length
            self.cid = cid
        }

        @inlinable
        public init(reading reader: inout ByteReader) throws(DecodeError) {
            length = try reader.read(Fields.length)
            cid = ChannelID(rawValue: try reader.read(Fields.cid))
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(length)
            writer.write(cid)
        }
    }

    /// A B-frame: header and payload (Vol 3, Part A, 3.1).
    public static func frame(_ payload: [UInt8], on cid: ChannelID) -> [UInt8] {
        ByteWriter.bytes {
            FrameHeader(length: UInt16(truncatingIfNeeded: payload.count), cid: cid).write(to: &$0)
            $0.write(payload)
        }
    }

    /// A connectionless frame (G-frame) without its header (Vol 3, Part A, 3.2).
    public struct ConnectionlessFrame: WireFormat, Hashable {
        public var psm: PSM
        public var payload: [UInt8]

        public init(psm: PSM, payload: [UInt8]) {
            self.psm = psm
            self.payload = payload
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            psm = try reader.read(Fields.psm)
            payload = reader.readRest(Fields.payload)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(psm)
            writer.write(payload)
        }
    }
}
