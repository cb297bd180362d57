import Bytes

/// Replaces records of a capture file that hold packets of the three-wire UART by the HCI packets in them.
struct ThreeWireRecords {
    private var sent = ThreeWireSequence(isOneDirection: true)
    private var received = ThreeWireSequence(isOneDirection: true)
    private var either = ThreeWireSequence(isOneDirection: false)

    /// Replaces those packets of a pass that `isRecord` selects. A packet keeps its record's number; records without an
    /// HCI packet count as frames.
    mutating func replace(
        in pass: inout FramingPass, _ bytes: RawSpan, where isRecord: (CapturedPacket) -> Bool = { _ in true }
    ) {
        let records = pass.packets
        pass.packets.removeAll(keepingCapacity: true)
        var shift = 0
        for var record in records {
            record.number += shift
            guard isRecord(record) else {
                pass.packets.append(record)
                continue
            }
            let before = pass.packets.count
            replace(record, bytes, &pass)
            shift += max(0, pass.packets.count - before - 1)
        }
        pass.number += shift
    }

    private mutating func replace(_ record: CapturedPacket, _ bytes: RawSpan, _ pass: inout FramingPass) {
        let content = record.range.map { bytes.byte(at: $0) }
        var number = record.number
        do throws(ThreeWire.Fault) {
            for packet in try Self.packets(content, isCut: record.isCut) {
                guard let type = ThreeWire.hciType(of: packet.type) else {
                    pass.skipped[ThreeWire.name(of: packet.type), default: 0] += 1
                    if packet.beginsLink {
                        sent.reset()
                        received.reset()
                        either.reset()
                    }
                    continue
                }
                let lost: Int
                switch evaluate(packet, record.direction) {
                case .retransmission:
                    pass.skipped[ThreeWire.retransmission, default: 0] += 1
                    continue
                case .new(let count): lost = count
                }
                var made = record
                made.number = number
                made.drops = UInt16(clamping: Int(record.drops) + lost)
                made.start = pass.make([type.rawValue], after: bytes.byteCount)
                pass.make(packet.payload, after: bytes.byteCount)
                made.count = 1 + packet.payload.count
                made.originalLength = made.count + packet.missing
                pass.packets.append(made)
                number += 1
            }
        } catch {
            pass.warnings.append(
                CaptureWarning(
                    file: pass.file, offset: pass.offset + record.start,
                    "frame \(record.number) is no packet of the three-wire UART: \(error.text)",
                    advice: "it was skipped"))
        }
    }

    /// The packets of a record: one as it is, or SLIP frames.
    private static func packets(
        _ content: [UInt8], isCut: Bool
    ) throws(ThreeWire.Fault) -> [ThreeWire.Packet] {
        guard content.first == ThreeWire.delimiter, isCut || content.count > 1 && content.last == ThreeWire.delimiter
        else { return [try ThreeWire.packet(content, isCut: isCut)] }
        var packets: [ThreeWire.Packet] = []
        let frames = content.split(separator: ThreeWire.delimiter)
        for (index, frame) in frames.enumerated() {
            let isLast = index == frames.count - 1
            packets.append(try ThreeWire.packet(ThreeWire.unescape(frame), isCut: isCut && isLast))
        }
        return packets
    }

    private mutating func evaluate(_ packet: ThreeWire.Packet, _ direction: Direction) -> ThreeWireSequence.Verdict {
        switch direction {
        case .sent: sent.evaluate(packet)
        case .received: received.evaluate(packet)
        case .unknown: either.evaluate(packet)
        }
    }
}
