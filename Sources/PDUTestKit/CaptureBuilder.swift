package import Bytes

/// Hand-built files in every capture format. They spell out the bytes that a reader must understand, independent of the
/// writers.
package enum CaptureBuilder {
    /// HCI Reset, beginning with the H4 packet type.
    package static let reset = hex("01 030c00")
    /// Command Complete of HCI Reset.
    package static let resetComplete = hex("04 0e04 01 030c 00")
    /// An ACL packet with an ATT notification.
    package static let notification = hex("02 4020 0b00 0700 0400 1b 1b00 01020304")
    /// 2023-01-28T02:48:36.395644Z, in microseconds since 1970.
    package static let time: Int64 = 1_674_874_116_395_644

    package static func integer<T: FixedWidthInteger>(_ value: T, _ order: ByteOrder) -> [UInt8] {
        let little = (0..<(T.bitWidth / 8)).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return order == .littleEndian ? little : little.reversed()
    }
}

// MARK: - btsnoop

extension CaptureBuilder {
    package static func btsnoop(_ dataLink: UInt32, _ records: [[UInt8]]) -> [UInt8] {
        Array("btsnoop\0".utf8) + integer(1 as UInt32, .bigEndian) + integer(dataLink, .bigEndian)
            + records.flatMap { $0 }
    }

    package static func btsnoopRecord(
        _ packet: [UInt8], flags: UInt32 = 0, time: Int64 = time, original: UInt32? = nil, captured: UInt32? = nil,
        drops: UInt32 = 0
    ) -> [UInt8] {
        integer(original ?? UInt32(packet.count), .bigEndian) + integer(captured ?? UInt32(packet.count), .bigEndian)
            + integer(flags, .bigEndian) + integer(drops, .bigEndian)
            + integer(time + 0x00DC_DDB3_0F2F_8000, .bigEndian) + packet
    }
}

// MARK: - PacketLogger

extension CaptureBuilder {
    package static func packetLoggerRecord(
        _ type: UInt8, _ body: [UInt8], _ order: ByteOrder = .bigEndian, time: Int64 = time, length: UInt32? = nil
    ) -> [UInt8] {
        integer(length ?? UInt32(body.count + 9), order) + integer(UInt32(time / 1_000_000), order)
            + integer(UInt32(time % 1_000_000), order) + [type] + body
    }
}

// MARK: - pcap

extension CaptureBuilder {
    package static func pcap(
        _ linkType: UInt32, _ records: [[UInt8]], _ order: ByteOrder = .littleEndian, magic: UInt32 = 0xA1B2_C3D4
    ) -> [UInt8] {
        integer(magic, order) + integer(2 as UInt16, order) + integer(4 as UInt16, order) + integer(0 as UInt64, order)
            + integer(65535 as UInt32, order) + integer(linkType, order) + records.flatMap { $0 }
    }

    package static func pcapRecord(
        _ packet: [UInt8], _ order: ByteOrder = .littleEndian, seconds: UInt32 = 1_674_874_116,
        fraction: UInt32 = 395_644, original: UInt32? = nil, captured: UInt32? = nil, extra: [UInt8] = []
    ) -> [UInt8] {
        integer(seconds, order) + integer(fraction, order) + integer(captured ?? UInt32(packet.count), order)
            + integer(original ?? UInt32(packet.count), order) + extra + packet
    }
}

// MARK: - pcapng

extension CaptureBuilder {
    package static func block(
        _ type: UInt32, _ body: [UInt8], _ order: ByteOrder = .littleEndian, length: UInt32? = nil
    ) -> [UInt8] {
        let padded = pad(body)
        let length = integer(length ?? UInt32(padded.count + 12), order)
        return integer(type, order) + length + padded + length
    }

    package static func pad(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    }

    package static func option(_ code: UInt16, _ value: [UInt8], _ order: ByteOrder = .littleEndian) -> [UInt8] {
        integer(code, order) + integer(UInt16(value.count), order) + pad(value)
    }

    package static func sectionHeader(_ order: ByteOrder = .littleEndian, options: [UInt8] = []) -> [UInt8] {
        block(
            0x0A0D_0D0A,
            integer(0x1A2B_3C4D as UInt32, order) + integer(1 as UInt16, order) + integer(0 as UInt16, order)
                + integer(-1 as Int64, order) + options, order)
    }

    package static func interface(
        _ linkType: UInt16, _ order: ByteOrder = .littleEndian, snapLength: UInt32 = 0, options: [UInt8] = []
    ) -> [UInt8] {
        block(1, integer(linkType, order) + [0, 0] + integer(snapLength, order) + options, order)
    }

    package static func enhancedPacket(
        _ packet: [UInt8], _ order: ByteOrder = .littleEndian, interface: UInt32 = 0, time: UInt64 = UInt64(time),
        original: UInt32? = nil, captured: UInt32? = nil, options: [UInt8] = []
    ) -> [UInt8] {
        block(
            6,
            integer(interface, order) + integer(UInt32(time >> 32), order) + integer(UInt32(time & 0xFFFF_FFFF), order)
                + integer(captured ?? UInt32(packet.count), order)
                + integer(original ?? UInt32(packet.count), order) + pad(packet) + options, order)
    }

    package static func simplePacket(_ packet: [UInt8], _ order: ByteOrder = .littleEndian, original: UInt32? = nil)
        -> [UInt8]
    {
        block(3, integer(original ?? UInt32(packet.count), order) + packet, order)
    }

    package static func obsoletePacket(
        _ packet: [UInt8], _ order: ByteOrder = .littleEndian, interface: UInt16 = 0, time: UInt64 = UInt64(time),
        options: [UInt8] = []
    ) -> [UInt8] {
        block(
            2,
            integer(interface, order) + integer(0 as UInt16, order) + integer(UInt32(time >> 32), order)
                + integer(UInt32(time & 0xFFFF_FFFF), order) + integer(UInt32(packet.count), order)
                + integer(UInt32(packet.count), order) + pad(packet) + options, order)
    }
}

// MARK: - SmartRF Packet Sniffer

extension CaptureBuilder {
    /// A record of an LE packet, from access address to CRC; `time` as it is stored.
    package static func smartRFRecord(
        _ number: UInt32, _ packet: [UInt8], time: UInt64 = 0, signal: Int8 = 32, status: UInt8 = 0x80 | 37,
        length: UInt16? = nil
    ) -> [UInt8] {
        let header: [UInt8] = [1] + integer(number, .littleEndian) + integer(time, .littleEndian)
        let lengths: [UInt8] = integer(length ?? UInt16(packet.count + 3), .littleEndian) + [UInt8(packet.count)]
        let record = header + lengths + packet + [UInt8(bitPattern: signal), status]
        return record + [UInt8](repeating: 0, count: 271 - record.count)
    }
}

// MARK: - gzip

extension CaptureBuilder {
    /// A gzip member that holds `bytes` in stored blocks (RFC 1951, 3.2.4; RFC 1952).
    package static func gzip(_ bytes: [UInt8]) -> [UInt8] {
        var packed = hex("1f8b 08 00 00000000 00 ff")
        var rest = bytes[...]
        repeat {
            let part = rest.prefix(60_000)
            rest = rest.dropFirst(part.count)
            let length = UInt16(part.count)
            packed += [rest.isEmpty ? 1 : 0] + integer(length, .littleEndian) + integer(~length, .littleEndian) + part
        } while !rest.isEmpty
        return packed + integer(crc32(bytes), .littleEndian) + integer(UInt32(bytes.count), .littleEndian)
    }

    /// The checksum of gzip and zip (RFC 1952, 8).
    package static func crc32(_ bytes: [UInt8]) -> UInt32 {
        var sum = UInt32.max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : sum >> 1 ^ 0xEDB8_8320 }
        }
        return ~sum
    }
}
