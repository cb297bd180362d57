package import BluetoothTypes
package import Bytes

extension HCI {
    /// A connection ended (Vol 4, Part E, 7.7.5).
    package struct DisconnectionComplete: Event, Hashable {
        package static let code = EventCode.disconnectionComplete

        package var status: ErrorCode
        package var handle: ConnectionHandle
        package var reason: ErrorCode

        package init(status: ErrorCode = .success, handle: ConnectionHandle, reason: ErrorCode) {
            self.status = status
            self.handle = handle
            self.reason = reason
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            status = try reader.read(Parameter.status.inEvent)
            handle = try reader.read(Parameter.connectionHandle.inEvent)
            reason = try reader.read(Parameter.reason.inEvent)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(status)
            writer.write(handle)
            writer.write(reason)
        }
    }

    /// A BR/EDR connection was made, or not (Vol 4, Part E, 7.7.3).
    package struct ConnectionComplete: Event, Hashable {
        package static let code = EventCode.connectionComplete

        package var status: ErrorCode
        package var handle: ConnectionHandle
        package var peer: Address
        /// 0 SCO, 1 ACL.
        package var linkType: UInt8
        /// 0 link-level encryption is off, 1 it is on.
        package var encryption: UInt8

        package init(
            status: ErrorCode = .success, handle: ConnectionHandle, peer: Address, linkType: UInt8 = 1,
            encryption: UInt8 = 0
        ) {
            self.status = status
            self.handle = handle
            self.peer = peer
            self.linkType = linkType
            self.encryption = encryption
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            status = try reader.read(Parameter.status.inEvent)
            handle = try reader.read(Parameter.connectionHandle.inEvent)
            peer = try reader.readAddress(Parameter.bdAddr.inEvent)
            linkType = try reader.read(Parameter.linkType.inEvent)
            encryption = try reader.read(Parameter.encryptionMode.inEvent)
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(status)
            writer.write(handle)
            writer.write(peer)
            writer.write(linkType)
            writer.write(encryption)
        }
    }

    /// The controller has sent packets, or dropped them, and has room for as many (Vol 4, Part E, 7.7.19).
    package struct NumberOfCompletedPackets: Event, Hashable {
        package static let code = EventCode.numberOfCompletedPackets

        /// Packets of one connection.
        package struct Entry: Hashable, Sendable {
            package var handle: ConnectionHandle
            package var count: UInt16

            package init(handle: ConnectionHandle, count: UInt16) {
                self.handle = handle
                self.count = count
            }
        }

        package var entries: [Entry]

        package init(entries: [Entry]) {
            self.entries = entries
        }

        package init(reading reader: inout ByteReader) throws(DecodeError) {
            let count: UInt8 = try reader.read(Parameter.numHandles.inEvent)
            entries = []
            for _ in 0..<count {
                let handle = try reader.read(Parameter.connectionHandle.inEvent, as: ConnectionHandle.self)
                let count: UInt16 = try reader.read(Parameter.numCompletedPackets.inEvent)
                entries.append(Entry(handle: handle, count: count))
            }
        }

        package func write(to writer: inout ByteWriter) {
            writer.write(UInt8(truncatingIfNeeded: entries.count))
            for entry in entries {
                writer.write(entry.handle)
                writer.write(entry.count)
            }
        }
    }
}
