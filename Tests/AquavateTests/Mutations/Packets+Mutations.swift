import Bluetooth
import Bytes
import TestKit

/// An HCI packet that carries an ATT PDU.
extension Recording.Packet {
    /// Offset of the PDU: after H4 type, ACL header and L2CAP header.
    static let pduStart = 9

    /// Opcode of the PDU; nil without one.
    var opcode: ATT.Opcode? {
        guard bytes.count > Self.pduStart, bytes[0] == 0x02, bytes[7] == 0x04, bytes[8] == 0 else { return nil }
        return ATT.Opcode(rawValue: bytes[Self.pduStart])
    }

    /// Range of the attribute value that is written, read or notified; nil without one.
    var valueRange: Range<Int>? {
        let start: Int
        switch opcode {
        case .writeRequest?, .handleValueNotification?: start = Self.pduStart + 3
        case .readResponse?: start = Self.pduStart + 1
        default: return nil
        }
        return start < bytes.count ? start..<bytes.count : nil
    }

    /// Changes one byte in a range and returns its position.
    mutating func changeByte(of range: Range<Int>, _ random: inout SplitMix64) -> Int {
        let position = Int.random(in: range, using: &random)
        bytes[position] ^= UInt8.random(in: 1...255, using: &random)
        return position
    }
}

extension [Recording.Packet] {
    /// Repeats a packet, a millisecond later.
    mutating func `repeat`(at place: Int) {
        var copy = self[place]
        copy.time.nanoseconds += 1_000_000
        insert(copy, at: place + 1)
    }

    /// Delays a packet and returns its new index.
    @discardableResult
    mutating func delay(at place: Int, nanoseconds: Int64) -> Int {
        var late = remove(at: place)
        late.time.nanoseconds += nanoseconds
        let target = firstIndex { $0.time > late.time } ?? count
        insert(late, at: target)
        return target
    }
}
