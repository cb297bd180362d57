import Bytes

/// What the dumps of one line of a UART have in common: no times, and one direction.
struct LineDump {
    /// The direction that commands or events have shown.
    private var known = Direction.unknown
    private var isMixed = false

    /// A packet of the dump. As a dump has no times, packets are a microsecond apart.
    mutating func packet(_ type: H4PacketType, number: Int, length: Int, start: Int, count: Int) -> CapturedPacket {
        CapturedPacket(
            number: number, time: Timestamp(microseconds: Int64(number - 1)), encapsulation: .h4,
            direction: direction(of: type), originalLength: length, start: start, count: count)
    }

    /// Data has the direction of the commands or events on its line; none before the first, and none if both were seen.
    private mutating func direction(of type: H4PacketType) -> Direction {
        let implied = type.impliedDirection
        if implied == .unknown { return isMixed ? .unknown : known }
        if known == .unknown { known = implied }
        if implied != known { isMixed = true }
        return implied
    }
}

/// What may begin at an offset of a dump.
enum H4Start: Hashable {
    case packet(length: Int)
    case nothing
    /// A header that needs this many bytes.
    case incomplete(count: Int)

    /// Longest data of a plausible packet, in bytes.
    private static let longestData = 16_384

    /// Judges the bytes at an offset by the packet indicator and the header (Vol 4, Part E, 5.4).
    init(_ bytes: RawSpan, at start: Int) {
        let available = bytes.byteCount - start
        guard available > 0 else {
            self = .incomplete(count: 1)
            return
        }
        let type = H4PacketType(bytes.byte(at: start))
        guard let header = HCIPacketHeader(type) else {
            self = .nothing
            return
        }
        guard let length = header.packetLength(bytes, at: start + 1) else {
            self = .incomplete(count: 1 + header.size)
            return
        }
        let data = length - header.size
        let first = bytes.littleEndian(at: start + 1, as: UInt16.self)
        let isPlausible: Bool
        switch type {
        case .command:
            // The groups of the specification, and the vendors'.
            isPlausible = (1...8).contains(first >> 10) || first >> 10 == 0x3F
        case .event:
            let code = bytes.byte(at: start + 1)
            isPlausible = (1...0x5F).contains(code) || code >= 0xFE
        case .sco:
            isPlausible = first & 0x0FFF <= 0x0EFF && first >> 14 == 0
        case .acl:
            isPlausible = first & 0x0FFF <= 0x0EFF && first >> 14 != 3 && data > 0 && data <= Self.longestData
        default:
            // The upper two bits of the length are reserved.
            let isReserved = bytes.byte(at: start + 4) >> 6 != 0
            isPlausible = first & 0x0FFF <= 0x0EFF && first >> 15 == 0 && data > 0 && !isReserved
        }
        self = isPlausible ? .packet(length: 1 + length) : .nothing
    }
}

/// Finds the packets in a dump of a UART with the H4 transport: each a packet indicator and an HCI packet (Vol 4, Part A,
/// 2). Nothing marks where packets begin: after lost or damaged bytes, three plausible headers in a row do.
struct H4DumpFramer: RecordFramer {
    private var line = LineDump()
    /// Offset in the content of bytes that are no packets; nil while packets follow each other.
    private var noise: Int?
    /// Whether bytes were skipped before the next packet.
    private var followsNoise = false

    /// Number of plausible packets in a row at which reading resumes.
    private static let resumption = 3

    var format: CaptureFormat { .h4Dump }
    var isDump: Bool { true }

    mutating func frame(_ bytes: RawSpan, _ pass: inout FramingPass) {
        while pass.position < bytes.byteCount {
            guard noise == nil ? framePacket(bytes, &pass) : skipNoise(bytes, &pass) else { return }
        }
        if pass.isAtEnd { endNoise(&pass) }
    }

    /// Frames the packet at the position, or begins noise; false if more bytes are needed.
    private mutating func framePacket(_ bytes: RawSpan, _ pass: inout FramingPass) -> Bool {
        let position = pass.position
        switch H4Start(bytes, at: position) {
        case .nothing:
            noise = pass.offset + position
            return true
        case .incomplete(let count):
            pass.wait(for: count, "H4 packet")
            return false
        case .packet(let length):
            let end = position + length
            guard bytes.byteCount >= end else {
                // The length may be noise, if packets follow that the content has.
                if pass.isAtEnd, hasPackets(bytes, in: (position + 1)..<bytes.byteCount) {
                    noise = pass.offset + position
                    pass.position += 1
                    return true
                }
                pass.wait(for: length, "H4 packet")
                return false
            }
            switch H4Start(bytes, at: end) {
            case .packet: break
            case .incomplete(let count):
                guard pass.isAtEnd else {
                    pass.wait(for: length + count, "H4 packet")
                    return false
                }
            case .nothing:
                // If the next packets begin inside this one, bytes of it are missing.
                guard let isDamaged = resumes(bytes, in: (position + 1)..<end, &pass) else { return false }
                noise = pass.offset + (isDamaged ? position : end)
                if isDamaged {
                    pass.position += 1
                    return true
                }
            }
            add(position..<end, bytes, &pass)
            return true
        }
    }

    private mutating func add(_ range: Range<Int>, _ bytes: RawSpan, _ pass: inout FramingPass) {
        pass.number += 1
        var packet = line.packet(
            H4PacketType(bytes.byte(at: range.lowerBound)), number: pass.number, length: range.count,
            start: range.lowerBound, count: range.count)
        if followsNoise { packet.drops = 1 }
        followsNoise = false
        pass.packets.append(packet)
        pass.position = range.upperBound
    }
}

// MARK: - Damage

extension H4DumpFramer {
    /// Skips bytes up to the next packets; false if more bytes are needed.
    private mutating func skipNoise(_ bytes: RawSpan, _ pass: inout FramingPass) -> Bool {
        while pass.position < bytes.byteCount {
            switch chain(bytes, at: pass.position, isAtEnd: pass.isAtEnd) {
            case .found:
                endNoise(&pass)
                return true
            case .none: pass.position += 1
            case .undecided(let end):
                pass.wait(for: end - pass.position, "H4 packet")
                return false
            }
        }
        return true
    }

    private mutating func endNoise(_ pass: inout FramingPass) {
        guard let noise else { return }
        let end = pass.offset + pass.position
        pass.warnings.append(
            CaptureWarning(
                file: pass.file, offset: noise, "\(end - noise) bytes are no H4 packets", advice: "they were skipped"))
        (self.noise, followsNoise) = (nil, true)
    }

    /// Whether packets follow each other from an offset in `range` on; nil if more bytes are needed.
    private func resumes(_ bytes: RawSpan, in range: Range<Int>, _ pass: inout FramingPass) -> Bool? {
        for candidate in range {
            switch chain(bytes, at: candidate, isAtEnd: pass.isAtEnd) {
            case .found: return true
            case .none: continue
            case .undecided(let end):
                pass.wait(for: end - pass.position, "H4 packet")
                return nil
            }
        }
        return false
    }

    /// Whether packets follow each other from an offset in `range` on, all of them in the buffer.
    private func hasPackets(_ bytes: RawSpan, in range: Range<Int>) -> Bool {
        for candidate in range {
            if case .found = chain(bytes, at: candidate, isAtEnd: false) { return true }
        }
        return false
    }

    private enum Chain {
        case found, none
        /// The buffer must reach to this offset.
        case undecided(end: Int)
    }

    /// Whether plausible packets follow each other from an offset on, at the end of the content at least one.
    private func chain(_ bytes: RawSpan, at start: Int, isAtEnd: Bool) -> Chain {
        var position = start
        for found in 0..<Self.resumption {
            let needed: Int
            switch H4Start(bytes, at: position) {
            case .nothing: return .none
            case .incomplete(let count): needed = position + count
            case .packet(let length):
                position += length
                if found == Self.resumption - 1 || position <= bytes.byteCount { continue }
                needed = position
            }
            if isAtEnd { return found > 0 ? .found : .none }
            return .undecided(end: needed)
        }
        return .found
    }
}
