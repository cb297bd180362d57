import Bytes

/// The three-wire UART transport, H5: a SLIP frame for each packet, with a header of four bytes (Vol 4, Part D).
enum ThreeWire {
    /// Begins and ends a frame (Vol 4, Part D, 3.1).
    static let delimiter: UInt8 = 0xC0
    private static let escape: UInt8 = 0xDB
    static let headerSize = 4
    private static let checkSize = 2
    /// The longest frame between its delimiters: each byte of header, payload and check may be escaped.
    static let longestFrame = 2 * (headerSize + 4095 + checkSize)

    /// Why bytes are no packet.
    struct Fault: Error, Hashable {
        var text: String
    }

    /// A packet without its SLIP encoding.
    struct Packet: Hashable {
        /// Packet type: 0 acknowledges, 1 to 5 are those of H4, 14 is a vendor's, 15 is link control (4.5).
        var type: UInt8
        var sequence: UInt8
        /// Whether it has a sequence number, is acknowledged and repeated (4.4).
        var isReliable: Bool
        var payload: [UInt8]
        /// Bytes of the payload that were not captured.
        var missing = 0

        /// Whether it is SYNC or its response, with which sequence numbers start anew (8).
        var beginsLink: Bool { type == 15 && (payload.starts(with: [1, 0x7E]) || payload.starts(with: [2, 0x7D])) }
    }

    /// The HCI packet type of a packet; nil for one of the transport's own.
    static func hciType(of type: UInt8) -> H4PacketType? { (1...5).contains(type) ? H4PacketType(type) : nil }

    /// A kind of packet that carries no HCI packet, for counting.
    static func name(of type: UInt8) -> String {
        switch type {
        case 0: "acknowledgement of the three-wire UART"
        case 14: "vendor's packet of the three-wire UART"
        case 15: "link control message of the three-wire UART"
        default: "packet of a reserved type of the three-wire UART"
        }
    }

    static let retransmission = "retransmission of the three-wire UART"

    /// Decodes the bytes between two delimiters (3.2). DE and DF stand for the bytes of software flow control.
    static func unescape(_ bytes: some Sequence<UInt8>) throws(Fault) -> [UInt8] {
        var plain: [UInt8] = []
        var isEscaped = false
        for byte in bytes {
            if isEscaped {
                switch byte {
                case 0xDC: plain.append(delimiter)
                case 0xDD: plain.append(escape)
                case 0xDE: plain.append(0x11)
                case 0xDF: plain.append(0x13)
                default: throw Fault(text: "an escape before \(Self.hex(byte))")
                }
                isEscaped = false
            } else if byte == escape {
                isEscaped = true
            } else {
                plain.append(byte)
            }
        }
        if isEscaped { throw Fault(text: "an escape at the end") }
        return plain
    }

    /// Reads a packet without its SLIP encoding. Of a cut packet, the end of the payload may be missing.
    static func packet(_ bytes: [UInt8], isCut: Bool = false) throws(Fault) -> Packet {
        guard bytes.count >= headerSize else { throw Fault(text: "\(bytes.count) bytes where a header has 4") }
        let sum = bytes[0] &+ bytes[1] &+ bytes[2] &+ bytes[3]
        guard sum == 0xFF else { throw Fault(text: "a wrong header checksum") }
        let hasCheck = bytes[0] & 0x40 != 0
        let length = Int(bytes[1] >> 4) | Int(bytes[2]) << 4
        let expected = headerSize + length + (hasCheck ? checkSize : 0)
        let isShort = bytes.count < expected
        guard bytes.count == expected || isCut && isShort else {
            throw Fault(text: "\(bytes.count) bytes where the header states \(expected)")
        }
        if hasCheck, !isShort {
            let stated = UInt16(bytes[expected - 2]) << 8 | UInt16(bytes[expected - 1])
            guard check(bytes[..<(headerSize + length)]) == stated else {
                throw Fault(text: "a wrong data integrity check")
            }
        }
        let payload = Array(bytes[headerSize..<min(bytes.count, headerSize + length)])
        return Packet(
            type: bytes[1] & 0x0F, sequence: bytes[0] & 7, isReliable: bytes[0] & 0x80 != 0, payload: payload,
            missing: length - payload.count)
    }

    /// The 16-bit CCITT CRC of header and payload (5.1): least significant bit first, from FFFF; the result is bit-reversed
    /// and sent most significant byte first.
    static func check(_ bytes: ArraySlice<UInt8>) -> UInt16 {
        var register: UInt16 = 0xFFFF
        for byte in bytes {
            register ^= UInt16(byte)
            for _ in 0..<8 { register = register & 1 == 0 ? register >> 1 : register >> 1 ^ 0x8408 }
        }
        return (0..<16).reduce(0 as UInt16) { $0 | (register >> $1 & 1) << (15 - $1) }
    }

    private static func hex(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return byte < 16 ? "0\(digits)" : digits
    }
}

/// The reliable packets of one direction, or of both where they are unknown: finds retransmissions and losses
/// (Vol 4, Part D, 6).
struct ThreeWireSequence {
    enum Verdict: Hashable {
        /// A packet that was not seen before, and the number of missing ones before it.
        case new(lost: Int)
        case retransmission
    }

    /// The last packets: a sequence number returns after seven others.
    private var recent: [ThreeWire.Packet] = []
    /// The next packet's sequence number; nil before the first one.
    private var next: UInt8?
    private let isOneDirection: Bool

    private static let window = 7

    init(isOneDirection: Bool) {
        self.isOneDirection = isOneDirection
    }

    mutating func evaluate(_ packet: ThreeWire.Packet) -> Verdict {
        guard packet.isReliable else { return .new(lost: 0) }
        if packet.sequence != next, recent.contains(packet) { return .retransmission }
        recent.append(packet)
        if recent.count > Self.window { recent.removeFirst() }
        guard isOneDirection else { return .new(lost: 0) }
        let ahead = next.map { (packet.sequence &- $0) & 7 } ?? 0
        // A packet from before is the repetition of one that was damaged.
        guard ahead <= 3 else { return .new(lost: 0) }
        next = (packet.sequence + 1) & 7
        return .new(lost: Int(ahead))
    }

    /// Starts anew, as both sides do when the link is established (8).
    mutating func reset() {
        (recent, next) = ([], nil)
    }
}
