import Bytes

/// The format of TI's SmartRF Packet Sniffer (`.psd`) with Bluetooth LE packets of a CC2540: records of 271 bytes, all
/// integers little-endian, and no file header.
///
/// A record has a byte of flags, the packet's number (32 bits), its time (64 bits), the length of what follows (16 bits),
/// the length of the packet (8 bits), the packet from access address to CRC, signal strength and status, and zeros. TI
/// describes the common part in the program's help and in SWRU187; the rest is known from public readers.
enum SmartRF {
    static let recordSize = 271
    /// Bytes up to the packet.
    static let headerSize = 16
    /// Bytes that the stated length counts beside the packet: the packet's own length and the status.
    static let countedOverhead = 3
    /// Access address, header and CRC.
    static let shortestPacket = 9
    /// Units of time in the range of the lower half of a CC2540's time: 156.25 µs.
    static let timerRange: UInt64 = 5000
    /// Difference between the stored signal strength and dBm.
    static let signalOffset = -94

    /// Whether content that starts with `bytes` has records of LE packets.
    static func isRecognized(_ bytes: RawSpan) -> Bool {
        guard packetLength(bytes, at: 0) != nil else { return false }
        return bytes.byteCount < 2 * recordSize || packetLength(bytes, at: recordSize) != nil
    }

    /// Number of bytes needed from the start of the content to recognize it; nil if `bytes` are enough.
    static func wanted(after bytes: RawSpan) -> Int? {
        if bytes.byteCount < headerSize { return headerSize }
        return bytes.byteCount < 2 * recordSize && packetLength(bytes, at: 0) != nil ? 2 * recordSize : nil
    }

    /// Length of the packet of the record at `position`; nil if the record's two lengths disagree.
    static func packetLength(_ bytes: RawSpan, at position: Int) -> Int? {
        guard bytes.byteCount >= position + headerSize else { return nil }
        let counted = Int(bytes.littleEndian(at: position + 13, as: UInt16.self))
        let count = Int(bytes.byte(at: position + 15))
        let isConsistent = counted == count + countedOverhead && count >= shortestPacket
        return isConsistent && headerSize + count + 2 <= recordSize ? count : nil
    }
}

struct SmartRFFramer: RecordFramer {
    /// Number of the last record's packet.
    private var last: UInt32?
    /// Whether the lower 16 bits of times count to 5000; nil until a time shows it.
    private var hasTimerRange: Bool?

    var format: CaptureFormat { .smartRF }
    var hasNanoseconds: Bool { true }

    mutating func frame(_ bytes: RawSpan, _ pass: inout FramingPass) {
        while bytes.byteCount - pass.position >= SmartRF.recordSize {
            frameRecord(bytes, &pass)
            pass.position += SmartRF.recordSize
        }
        pass.wait(for: SmartRF.recordSize, "record")
    }

    private mutating func frameRecord(_ bytes: RawSpan, _ pass: inout FramingPass) {
        let position = pass.position
        pass.number += 1
        guard let count = SmartRF.packetLength(bytes, at: position) else {
            return pass.warn("the two lengths of a record disagree", advice: "it was skipped")
        }
        let start = position + SmartRF.headerSize
        let status = bytes.byte(at: start + count + 1)
        let signal = Int(Int8(bitPattern: bytes.byte(at: start + count))) + SmartRF.signalOffset
        let reception = LinkLayerView.Reception(
            channel: status & 0x7F, signal: Int8(clamping: signal), isChecksumValid: status & 0x80 != 0)
        let header = pass.make(reception.bytes, after: bytes.byteCount)
        pass.make((start..<(start + count)).map { bytes.byte(at: $0) }, after: bytes.byteCount)
        let length = reception.bytes.count + count
        var packet = CapturedPacket(
            number: pass.number, time: time(bytes.littleEndian(at: position + 5)), encapsulation: .linkLayerWithHeader,
            originalLength: length, start: header, count: length)
        let number = bytes.littleEndian(at: position + 1, as: UInt32.self)
        if let last, number > last { packet.drops = UInt16(clamping: number - last - 1) }
        last = number
        pass.packets.append(packet)
    }

    /// The time since the sniffer's start, in units of 1/32 µs. The lower 16 bits are a timer of a CC2540 that counts to
    /// 5000, the upper ones count how often it did; other writers may count in 64 bits.
    private mutating func time(_ stored: UInt64) -> Timestamp {
        let (upper, lower) = (stored >> 16, stored & 0xFFFF)
        if hasTimerRange == nil, lower >= SmartRF.timerRange || upper > 0 { hasTimerRange = lower < SmartRF.timerRange }
        let units = hasTimerRange == true ? upper &* SmartRF.timerRange &+ lower : stored
        // 31.25 ns each.
        let (scaled, isTooLarge) = units.multipliedReportingOverflow(by: 125)
        return Timestamp(nanoseconds: isTooLarge ? .max : Int64(clamping: scaled / 4))
    }
}
