import Bytes
import Captures

/// Splits a byte stream into HCI packets, each beginning with its packet indicator (Vol 4, Part A, 2).
package struct H4Framer: Sendable {
    /// Bytes outside packets.
    package struct Garbage: Hashable, Sendable {
        /// Number of bytes up to the next valid packet indicator.
        package var count: Int
        /// The first byte.
        package var first: UInt8

        package init(count: Int, first: UInt8) {
            self.count = count
            self.first = first
        }
    }

    /// An element of the stream.
    package enum Element: Hashable, Sendable {
        case packet([UInt8])
        case garbage(Garbage)
    }

    /// Bytes of incomplete packets; at most the longest packet and the last input.
    private var buffer: [UInt8] = []

    package init() {}

    /// Number of bytes of an incomplete packet.
    package var pending: Int { buffer.count }

    /// Adds bytes; returns the elements that they complete.
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

    /// Number of bytes at `start` before the next packet indicator; nil if a packet starts here.
    private func garbage(from start: Int) -> Int? {
        if Self.header(of: buffer[start]) != nil { return nil }
        let end = buffer[start...].firstIndex { Self.header(of: $0) != nil } ?? buffer.count
        return end - start
    }

    /// Length of the packet at `start`, including its indicator; nil until its header is complete.
    private func packetLength(at start: Int) -> Int? {
        Self.header(of: buffer[start])?.packetLength(buffer.span.rawBytes, at: start + 1).map { 1 + $0 }
    }

    private static func header(of indicator: UInt8) -> HCIPacketHeader? {
        HCIPacketHeader(H4PacketType(rawValue: indicator))
    }

    /// The packet truncated to `count` bytes, with the length in its header adjusted; nil if its header alone is
    /// longer.
    package static func cut(_ packet: [UInt8], to count: Int) -> [UInt8]? {
        guard let header = packet.first.flatMap(header(of:)), count > header.size, count < packet.count else {
            return nil
        }
        var result = Array(packet[..<count])
        let (place, length) = (1 + header.lengthOffset, count - 1 - header.size)
        result[place] = UInt8(truncatingIfNeeded: length)
        if header.hasWideLength { result[place + 1] = UInt8(truncatingIfNeeded: length >> 8) }
        return result
    }

    /// Size of a packet's header, including the indicator; nil for an invalid indicator.
    package static func headerSize(of packet: [UInt8]) -> Int? {
        packet.first.flatMap(header(of:)).map { 1 + $0.size }
    }
}
