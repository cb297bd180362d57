import Bluetooth
import Bytes
import Captures
import TestKit

/// Endless, chronological traffic of a phone with many Aquavate pucks, eight connections at a time.
struct PuckTraffic {
    private var random: SplitMix64
    private var slots: [Slot] = []

    /// A connection handle with the session that uses it.
    private struct Slot {
        var visit: PuckVisit
        var next = 0

        var time: Timestamp { visit.packets[next].time }
    }

    private static let slotCount = 8
    /// 2026-01-01 00:00:00 UTC.
    private static let start = Timestamp(seconds: 1_767_225_600, nanoseconds: 0)

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        for number in 0..<Self.slotCount {
            let start = Timestamp(nanoseconds: Self.start.nanoseconds + Int64(number) * 700_000_000)
            slots.append(Slot(visit: PuckVisit(handle: Self.handle(number), start: start, random: &random)))
        }
    }

    private static func handle(_ slot: Int) -> ConnectionHandle { ConnectionHandle(UInt16(0x40 + slot)) }

    /// The next packet. A new puck takes the place of one whose session ends.
    mutating func next() -> PuckVisit.Packet {
        var earliest = 0
        for slot in slots.indices where slots[slot].time < slots[earliest].time { earliest = slot }
        let packet = slots[earliest].visit.packets[slots[earliest].next]
        slots[earliest].next += 1
        if slots[earliest].next == slots[earliest].visit.packets.count {
            let pause = Int64.random(in: 2_000_000_000..<20_000_000_000, using: &random)
            let start = Timestamp(nanoseconds: packet.time.nanoseconds + pause)
            slots[earliest] = Slot(visit: PuckVisit(handle: Self.handle(earliest), start: start, random: &random))
        }
        return packet
    }

    /// Writes the first `count` packets to the btsnoop file at `path`.
    static func write(_ count: Int, to path: String, seed: UInt64 = 1) throws {
        var traffic = PuckTraffic(seed: seed)
        let writer = try CaptureWriter(path: path, target: CaptureTarget(.btsnoop, holding: .h4))
        for _ in 0..<count {
            let packet = traffic.next()
            try writer.write(h4: packet.bytes, direction: packet.direction, time: packet.time)
        }
        try writer.flush()
    }
}
