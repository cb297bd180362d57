public import Bytes

extension HCI {
    /// Reports that a connection ended (Vol 4, Part E, 7.7.5).
    public struct DisconnectionComplete: Event, Hashable {
        public static let code = EventCode.disconnectionComplete

        public var status: ErrorCode
        public var handle: ConnectionHandle
        public var reason: ErrorCode

        public init(status: ErrorCode = .success, handle: ConnectionHandle, reason: ErrorCode) {
            self.status = status
            self.handle = handle
            self.reason = reason
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            status = try reader.read(Parameter.status.inEvent)
            handle = try reader.read(Parameter.connectionHandle.inEvent)
            reason = try reader.read(Parameter.reason.inEvent)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(status)
            writer.write(handle)
            writer.write(reason)
        }
    }

    /// Reports that a BR/EDR connection was created or failed (Vol 4, Part E, 7.7.3).
    public struct ConnectionComplete: Event, Hashable {
        public static let code = EventCode.connectionComplete

        public var status: ErrorCode
        public var handle: ConnectionHandle
        public var peer: Address
        /// 0 SCO, 1 ACL.
        public var linkType: UInt8
        /// Link-level encryption: 0 off, 1 on.
        public var encryption: UInt8

        public init(
            status: ErrorCode = .success, handle: ConnectionHandle, peer: Address, linkType: UInt8 = 1,
            encryption: UInt8 = 0
        ) {
            self.status = status
            self.handle = handle
            self.peer = peer
            self.linkType = linkType
            self.encryption = encryption
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            status = try reader.read(Parameter.status.inEvent)
            handle = try reader.read(Parameter.connectionHandle.inEvent)
            peer = try reader.readAddress(Parameter.bdAddr.inEvent)
            linkType = try reader.read(Parameter.linkType.inEvent)
            encryption = try reader.read(Parameter.encryptionMode.inEvent)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(status)
            writer.write(handle)
            writer.write(peer)
            writer.write(linkType)
            writer.write(encryption)
        }
    }

    /// Reports packets that the controller sent or discarded, whose buffers are free again (Vol 4, Part E, 7.7.19).
    public struct NumberOfCompletedPackets: Event, Hashable {
        public static let code = EventCode.numberOfCompletedPackets

        /// Number of packets of one connection.
        public struct Entry: Hashable, Sendable {
            public var handle: ConnectionHandle
            public var count: UInt16

            public init(handle: ConnectionHandle, count: UInt16) {
                self.handle = handle
                self.count = count
            }
        }

        public var entries: [Entry]

        public init(entries: [Entry]) {
            self.entries = entries
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            let count: UInt8 = try reader.read(Parameter.numHandles.inEvent)
            entries = []
            for _ in 0..<count {
                let handle = try reader.read(Parameter.connectionHandle.inEvent, as: ConnectionHandle.self)
                let count: UInt16 = try reader.read(Parameter.numCompletedPackets.inEvent)
                entries.append(Entry(handle: handle, count: count))
            }
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(UInt8(truncatingIfNeeded: entries.count))
            for entry in entries {
                writer.write(entry.handle)
                writer.write(entry.count)
            }
        }
    }
}
