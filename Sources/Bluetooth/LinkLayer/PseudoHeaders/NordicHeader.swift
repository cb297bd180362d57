public import Bytes

extension LL {
    /// The header of an nRF Sniffer for Bluetooth LE packet (LINKTYPE_NORDIC_BLE, 272), protocol versions 1 to 3.
    public struct NordicHeader: WireFormat, Hashable {
        /// Number of the sniffer board.
        public var board: UInt8
        /// Length of this part of the header in bytes; version 1 only.
        public var uartHeaderLength: UInt8
        /// Length of the remaining header and the packet in bytes; 8 bits wide in version 1.
        public var payloadLength: UInt16
        public var version: UInt8
        public var packetCounter: UInt16
        /// In version 3, 2: advertising, 6: data.
        public var packetID: UInt8
        /// Length of the packet header, including this byte: 10.
        public var packetHeaderLength: UInt8
        public var flags: Flags
        /// Channel index, 0 to 39.
        public var channel: UInt8
        /// RSSI, in −dBm.
        public var attenuation: UInt8
        /// Event counter of the connection.
        public var eventCounter: UInt16
        /// Whether it is an advertising packet. Version 3 uses the packet ID, earlier versions the access address.
        public var isAdvertising: Bool
        /// In µs: the firmware's clock at the start of the packet (version 3), or the time since the end of the
        /// previous packet.
        public var time: UInt32

        /// Properties of the packet. The meaning of bits 1 to 3 differs between advertising and data.
        public struct Flags: WireInteger {
            public var rawValue: UInt8

            public init(rawValue: UInt8) {
                self.rawValue = rawValue
            }

            public var isCRCValid: Bool { rawValue & 0x01 != 0 }
            /// For data: sent by the central.
            public var isFromCentral: Bool { rawValue & 0x02 != 0 }
            /// For data.
            public var isEncrypted: Bool { rawValue & 0x04 != 0 }
            /// For encrypted data.
            public var isMICValid: Bool { rawValue & 0x08 != 0 }
            /// For extended advertising: the type of auxiliary PDU.
            public var auxiliaryType: UInt8 { rawValue >> 1 & 3 }
            public var phy: PHY { PHY(rawValue: rawValue >> 4 & 7) }
        }

        /// Total length in bytes: the board, the UART header and the packet header.
        public static let length = 17
        /// Length of the packet header in bytes.
        static let packetHeaderLength = 10
        /// The packet ID of advertising.
        static let advertisingID: UInt8 = 2

        public init(
            board: UInt8 = 0, payloadLength: UInt16, version: UInt8 = 3, packetCounter: UInt16 = 0,
            packetID: UInt8, flags: Flags, channel: UInt8, attenuation: UInt8, eventCounter: UInt16 = 0,
            time: UInt32 = 0
        ) {
            self.board = board
            uartHeaderLength = 6
            self.payloadLength = payloadLength
            self.version = version
            self.packetCounter = packetCounter
            self.packetID = packetID
            isAdvertising = packetID == Self.advertisingID
            packetHeaderLength = 10
            self.flags = flags
            self.channel = channel
            self.attenuation = attenuation
            self.eventCounter = eventCounter
            self.time = time
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            board = try reader.read(Fields.nordicBoard)
            let header = reader.begin(Fields.nordicHeader)
            if Self.isVersion1(reader) {
                uartHeaderLength = try reader.read(Fields.nordicHeaderLength)
                payloadLength = UInt16(try reader.read(Fields.nordicPayloadLength, as: UInt8.self))
            } else {
                uartHeaderLength = 6
                payloadLength = try reader.read(Fields.nordicPayloadLength)
            }
            version = try reader.read(Fields.nordicVersion)
            guard (1...3).contains(version) else {
                throw reader.invalid(Fields.nordicVersion, length: 1, expected: "1, 2 or 3, not \(version)")
            }
            packetCounter = try reader.read(Fields.nordicPacketCounter)
            packetID = try reader.read(Fields.nordicPacketID)
            reader.end(header)
            isAdvertising =
                version == 3 ? packetID == Self.advertisingID : Self.isAdvertisingAddress(ahead: reader)
            packetHeaderLength = try reader.read(Fields.nordicLength)
            guard packetHeaderLength == Self.packetHeaderLength else {
                throw reader.invalid(Fields.nordicLength, length: 1, expected: "10, not \(packetHeaderLength)")
            }
            flags = try reader.read(Fields.nordicFlags)
            reader.recordBits(
                flags.rawValue,
                Fields.nordicFlagBits(
                    isAdvertising: isAdvertising, isPrimary: reader.nextByte ?? 0 >= 37,
                    isEncrypted: flags.isEncrypted))
            channel = try reader.read(Fields.nordicChannel)
            attenuation = try Self.readSignal(&reader)
            eventCounter = try reader.read(Fields.nordicEventCounter)
            time = try reader.read(version == 3 ? Fields.nordicTime : Fields.nordicDeltaTime)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(board)
            if version == 1 {
                writer.write(uartHeaderLength)
                writer.write(UInt8(truncatingIfNeeded: payloadLength))
            } else {
                writer.write(payloadLength)
            }
            writer.write(version)
            writer.write(packetCounter)
            writer.write(packetID)
            writer.write(packetHeaderLength)
            writer.write(flags)
            writer.write(channel)
            writer.write(attenuation)
            writer.write(eventCounter)
            writer.write(time)
        }

        /// Length of the Link Layer packet in bytes, computed from the header.
        public var packetLength: Int { max(0, Int(payloadLength) - Int(packetHeaderLength)) }

        /// Version 1 begins with its own length, 6. In later versions, no valid length gives the same bytes.
        private static func isVersion1(_ reader: borrowing ByteReader) -> Bool {
            var ahead = ByteReader(reader.rest)
            do throws(DecodeError) {
                let headerLength: UInt8 = try ahead.read(Fields.nordicHeaderLength)
                let payloadLength: UInt8 = try ahead.read(Fields.nordicPayloadLength)
                let version: UInt8 = try ahead.read(Fields.nordicVersion)
                return headerLength == 6 && version == 1 && payloadLength != 0
            } catch {
                return false
            }
        }

        /// Whether the packet, ten bytes ahead, has the advertising access address.
        private static func isAdvertisingAddress(ahead reader: borrowing ByteReader) -> Bool {
            var ahead = ByteReader(reader.rest)
            do throws(DecodeError) {
                try ahead.skip(Fields.nordicHeader, count: packetHeaderLength)
                return try ahead.read(Fields.accessAddress, as: AccessAddress.self) == .advertising
            } catch {
                return false
            }
        }

        /// Reads the RSSI; the field's value is in dBm.
        private static func readSignal(_ reader: inout ByteReader) throws(DecodeError) -> UInt8 {
            let start = reader.offset
            guard let attenuation = reader.nextByte else { throw reader.truncated(Fields.nordicSignal, needed: 1) }
            _ = try reader.slice(count: 1, lengthSetBy: Fields.nordicSignal)
            reader.recorder?.add(
                Fields.nordicSignal, value: UInt64(truncatingIfNeeded: -Int(attenuation)), offset: start, length: 1)
            return attenuation
        }
    }
}
