import Bluetooth

/// Cuts a stream of bytes into HCI packets, each with its packet indicator first (Vol 4, Part A, 2).
package struct H4Framer: Sendable {
    /// Bytes that belong to no packet.
    package struct Garbage: Hashable, Sendable {
        /// How many there were, up to the next byte that can begin a packet.
        package var count: Int
        /// The first of them.
        package var first: UInt8

        package init(count: Int, first: UInt8) {
            self.count = count
            self.first = first
        }
    }

    /// What was found in the stream.
    package enum Element: Hashable, Sendable {
        case packet([UInt8])
        case garbage(Garbage)
    }

    /// Bytes of packets that are not complete; never more than the longest packet and the bytes just taken in.
    private var buffer: [UInt8] = []

    package init() {}

    /// Bytes that wait for the rest of their packet.
    package var pending: Int { buffer.count }

    /// Takes in bytes; returns what they complete.
    package mutating func take(_ bytes: [UInt8]) -> [Element] {
        buffer += bytes
        var elements: [Element] = []
        var start = 0
        while start < buffer.count {
            if let skipped = garbage(from: start) {
                elements.append(.garbage(Garbage(count: skipped, first: buffer[start])))
                start += skipped
            } else if let length = packetLength(at: start), length <= buffer.count - start {
                elements.append(.packet(Array(buffer[start..<(start + length)])))
                start += length
            } else {
                break
            }
        }
        buffer.removeFirst(start)
        return elements
    }

    /// Number of bytes from here on that begin no packet; nil where one begins.
    private func garbage(from start: Int) -> Int? {
        if Self.header(of: buffer[start]) != nil { return nil }
        let end = buffer[start...].firstIndex { Self.header(of: $0) != nil } ?? buffer.count
        return end - start
    }

    /// Length of the packet that begins here, with its indicator; nil as long as its header is not complete.
    private func packetLength(at start: Int) -> Int? {
        guard let header = Self.header(of: buffer[start]), buffer.count - start >= header.size else { return nil }
        let low = Int(buffer[start + header.lengthOffset])
        switch header.lengthKind {
        case .byte: return header.size + low
        case .word: return header.size + low + Int(buffer[start + header.lengthOffset + 1]) << 8
        case .bits14: return header.size + low + Int(buffer[start + header.lengthOffset + 1] & 0x3F) << 8
        }
    }

    /// Where a kind of packet has its length.
    private struct Header {
        enum LengthKind { case byte, word, bits14 }

        /// Bytes before what the length counts, the indicator included.
        var size: Int
        var lengthOffset: Int
        var lengthKind: LengthKind
    }

    private static func header(of indicator: UInt8) -> Header? {
        switch HCI.PacketType(rawValue: indicator) {
        case .command: Header(size: 4, lengthOffset: 3, lengthKind: .byte)
        case .aclData: Header(size: 5, lengthOffset: 3, lengthKind: .word)
        case .synchronousData: Header(size: 4, lengthOffset: 3, lengthKind: .byte)
        case .event: Header(size: 3, lengthOffset: 2, lengthKind: .byte)
        case .isochronousData: Header(size: 5, lengthOffset: 3, lengthKind: .bits14)
        default: nil
        }
    }

    /// The packet cut to `count` bytes, with a header that tells so; nil where its header alone is longer.
    package static func cut(_ packet: [UInt8], to count: Int) -> [UInt8]? {
        guard let header = packet.first.flatMap(header(of:)), count >= header.size, count < packet.count else {
            return nil
        }
        var result = Array(packet[..<count])
        let length = count - header.size
        result[header.lengthOffset] = UInt8(truncatingIfNeeded: length)
        if header.lengthKind != .byte { result[header.lengthOffset + 1] = UInt8(truncatingIfNeeded: length >> 8) }
        return result
    }

    /// Bytes of a packet's header, the indicator included; nil of something that is no packet.
    package static func headerSize(of packet: [UInt8]) -> Int? { packet.first.flatMap(header(of:))?.size }
}
