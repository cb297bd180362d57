import Bytes
import Captures

/// Detects records that the recorder of an HCI capture wrote several times: with equal bytes and an equal time.
struct RepeatedRecords: Sendable {
    private struct Record: Equatable {
        var hash: UInt64 = 0
        var count = 0
        var adapter: UInt16 = 0
        var type: UInt16 = 0
        var direction = Direction.unknown
    }

    private var time = Timestamp(nanoseconds: .min)
    /// The first record of that time.
    private var first = Record()
    /// Further distinct records of that time.
    private var others: [Record] = []

    /// Distinct records of one time; with more, an equal time does not indicate a repetition.
    private static let limit = 8

    /// Records the next packet of the capture and returns whether it was recorded before.
    @inline(__always)
    mutating func record(_ packet: CapturedPacket, _ bytes: [UInt8]) -> Bool {
        let record = Record(
            hash: bytes.span.extracting(packet.range).rawBytes.hash, count: packet.count, adapter: packet.adapter,
            type: packet.recordType, direction: packet.direction)
        if packet.time == time {
            // Equal packets of one USB transfer are several packets.
            return packet.encapsulation == .usb ? false : self.record(record)
        }
        (time, first) = (packet.time, record)
        if !others.isEmpty { others.removeAll(keepingCapacity: true) }
        return false
    }

    private mutating func record(_ record: Record) -> Bool {
        guard others.count < Self.limit - 1 else { return false }
        if record == first || others.contains(record) { return true }
        others.append(record)
        return false
    }
}

extension RawSpan {
    /// A hash that different bytes are unlikely to share.
    package var hash: UInt64 {
        var hash = UInt64(byteCount)
        func mix(_ value: UInt64) {
            hash = (hash ^ value) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 32
        }
        guard byteCount >= 8 else {
            for index in 0..<byteCount { mix(UInt64(byte(at: index))) }
            return hash
        }
        var index = 0
        while index + 8 <= byteCount {
            mix(littleEndian(at: index, as: UInt64.self))
            index += 8
        }
        if index < byteCount { mix(littleEndian(at: byteCount - 8, as: UInt64.self)) }
        return hash
    }
}
