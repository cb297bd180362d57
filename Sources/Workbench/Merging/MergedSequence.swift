import Bytes
import Captures

/// A capture that is merged, at its next packet.
final class MergeCursor {
    let reader: CaptureReader
    let relation: ClockRelation
    private(set) var batch = PacketBatch()
    private var index = 0

    init(_ reader: CaptureReader, _ relation: ClockRelation) {
        self.reader = reader
        self.relation = relation
    }

    /// Reads the first packet of the capture, whose reader is at its start.
    func begin() throws(CaptureError) {
        (batch, index) = (PacketBatch(), 0)
        try fill()
    }

    /// Nil at the end.
    var packet: CapturedPacket? { index < batch.packets.count ? batch.packets[index] : nil }

    func advance() throws(CaptureError) {
        index += 1
        if index >= batch.packets.count { try fill() }
    }

    private func fill() throws(CaptureError) {
        var done = PacketBatch()
        swap(&done, &batch)
        reader.reuse(done)
        index = 0
        batch = try reader.next() ?? PacketBatch()
    }
}

/// The packets of several captures in order of their aligned times; those of one capture keep their order.
struct MergedSequence {
    private let cursors: [MergeCursor]
    /// Index of the cursor whose packet is next; nil at the end.
    private var current: Int?
    /// Packets since `goesOn` was asked last.
    private var count = 0

    private static let interval = 4096

    /// - Parameter cursors: those of readers at their start; the first goes first at equal times.
    init(_ cursors: [MergeCursor]) throws(CaptureError) {
        self.cursors = cursors
        for cursor in cursors { try cursor.begin() }
        choose()
    }

    /// The next packet, with the index of its cursor.
    var next: (place: Int, packet: CapturedPacket)? {
        guard let current, let packet = cursors[current].packet else { return nil }
        return (current, packet)
    }

    /// Goes to the next packet; false if `goesOn` does not want to.
    mutating func advance(_ goesOn: (Int) -> Bool) throws(CaptureError) -> Bool {
        guard let current else { return true }
        try cursors[current].advance()
        choose()
        count += 1
        guard count == Self.interval || self.current == nil else { return true }
        defer { count = 0 }
        return goesOn(count)
    }

    private mutating func choose() {
        var earliest = Timestamp.latest
        current = nil
        for (index, cursor) in cursors.enumerated() {
            guard let packet = cursor.packet else { continue }
            let time = cursor.relation.aligned(packet.time)
            if current == nil || time < earliest { (current, earliest) = (index, time) }
        }
    }
}
