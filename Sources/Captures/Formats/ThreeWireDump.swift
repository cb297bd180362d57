import Bytes

/// Finds the packets in a dump of one line of a three-wire UART (Vol 4, Part D): each delimiter ends a frame and begins
/// the next one, so that damage costs the frames that it touches.
struct ThreeWireDumpFramer: RecordFramer {
    private var line = LineDump()
    private var sequence = ThreeWireSequence(isOneDirection: true)
    /// Whether a delimiter was seen, and no frame that is too long since.
    private var isInFrame = false
    /// Offset in the content of bytes outside of frames; nil if there are none.
    private var noise: Int?

    var format: CaptureFormat { .threeWireDump }
    var isDump: Bool { true }

    mutating func frame(_ bytes: RawSpan, _ pass: inout FramingPass) {
        while pass.position < bytes.byteCount {
            let start = pass.position
            let end = Self.delimiter(in: bytes, from: start)
            if isInFrame {
                guard let end else {
                    if bytes.byteCount - start <= ThreeWire.longestFrame {
                        return pass.wait(for: bytes.byteCount - start + 1, "frame of the three-wire UART")
                    }
                    isInFrame = false
                    continue
                }
                if end - start > ThreeWire.longestFrame {
                    isInFrame = false
                    continue
                }
                if end > start { read(start..<end, bytes, &pass) }
            } else {
                if end != start { noise = noise ?? pass.offset + start }
                isInFrame = end != nil
            }
            pass.position = end.map { $0 + 1 } ?? bytes.byteCount
            if let end { endNoise(before: pass.offset + end, &pass) }
        }
        if pass.isAtEnd { endNoise(before: pass.offset + pass.position, &pass) }
    }

    /// The offset of the next delimiter; nil if there is none in the buffer.
    private static func delimiter(in bytes: RawSpan, from start: Int) -> Int? {
        for offset in start..<bytes.byteCount where bytes.byte(at: offset) == ThreeWire.delimiter { return offset }
        return nil
    }

    private mutating func endNoise(before end: Int, _ pass: inout FramingPass) {
        guard let noise else { return }
        self.noise = nil
        pass.warnings.append(
            CaptureWarning(
                file: pass.file, offset: noise, "\(end - noise) bytes are no frame of the three-wire UART",
                advice: "they were skipped"))
    }

    private mutating func read(_ range: Range<Int>, _ bytes: RawSpan, _ pass: inout FramingPass) {
        let packet: ThreeWire.Packet
        do throws(ThreeWire.Fault) {
            packet = try ThreeWire.packet(ThreeWire.unescape(range.map { bytes.byte(at: $0) }))
        } catch {
            return pass.warn(
                "\(range.count) bytes are no frame of the three-wire UART: \(error.text)", advice: "skipped")
        }
        guard let type = ThreeWire.hciType(of: packet.type) else {
            pass.skipped[ThreeWire.name(of: packet.type), default: 0] += 1
            if packet.beginsLink { sequence.reset() }
            return
        }
        guard case .new(let lost) = sequence.evaluate(packet) else {
            pass.skipped[ThreeWire.retransmission, default: 0] += 1
            return
        }
        pass.number += 1
        let start = pass.make([type.rawValue], after: bytes.byteCount)
        pass.make(packet.payload, after: bytes.byteCount)
        let count = 1 + packet.payload.count
        var captured = line.packet(type, number: pass.number, length: count, start: start, count: count)
        captured.drops = UInt16(clamping: lost)
        pass.packets.append(captured)
    }
}
