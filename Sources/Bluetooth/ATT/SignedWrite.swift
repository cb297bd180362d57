public import Bytes

extension ATT {
    /// Writes an attribute value, authenticated by a signature, without a response (Vol 3, Part F, 3.4.5.4).
    public struct SignedWriteCommand: PDU, Hashable {
        public static let opcode = Opcode.signedWriteCommand

        public var handle: Handle
        public var value: [UInt8]
        /// Counter of the PDUs that the sender has signed (Vol 3, Part C, 10.4.1).
        public var signCounter: UInt32
        /// The message authentication code.
        public var signature: UInt64

        /// Size of sign counter and signature in bytes.
        static let trailerLength = 12

        public init(handle: Handle, value: [UInt8], signCounter: UInt32, signature: UInt64) {
            self.handle = handle
            self.value = value
            self.signCounter = signCounter
            self.signature = signature
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            handle = try reader.read(Fields.handle)
            guard reader.remaining >= Self.trailerLength else {
                throw reader.truncated(Fields.signature, needed: Self.trailerLength)
            }
            value = try reader.readBytes(Fields.value, count: reader.remaining - Self.trailerLength)
            signCounter = try reader.read(Fields.signCounter)
            signature = try reader.read(Fields.signature)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(handle)
            writer.write(value)
            writer.write(signCounter)
            writer.write(signature)
        }
    }
}
