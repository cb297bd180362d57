package import Bytes
package import Captures
package import Conversation

/// A number of every frame that needs no dissection: part of the frame's field tree, and a column by itself.
package enum FrameNumber: Sendable, CaseIterable {
    case number, time, relativeTime, timeDelta, length, capturedLength

    package var field: Field {
        switch self {
        case .number: FrameFields.number
        case .time: FrameFields.time
        case .relativeTime: FrameFields.relativeTime
        case .timeDelta: FrameFields.timeDelta
        case .length: FrameFields.length
        case .capturedLength: FrameFields.capturedLength
        }
    }

    /// Whether the value is a time.
    var isTime: Bool { field.format == .time }

    /// The field's value for a frame of a batch.
    package func value(of packet: CapturedPacket, in batch: borrowing TrackedBatch) -> UInt64 {
        switch self {
        case .number: UInt64(packet.number)
        case .time: UInt64(bitPattern: packet.time.nanoseconds)
        case .relativeTime: UInt64(bitPattern: packet.time.nanoseconds(since: batch.start))
        case .timeDelta: UInt64(bitPattern: packet.time.nanoseconds(since: batch.time(before: packet)))
        case .length: UInt64(packet.frameLength)
        case .capturedLength: UInt64(packet.capturedFrameLength)
        }
    }
}

extension TrackedBatch {
    /// Time of the frame before one of this batch; of the capture's first frame its own.
    package func time(before packet: CapturedPacket) -> Timestamp {
        guard let first = facts.first?.packet.number else { return packet.time }
        // Frames that were passed over have numbers too, so the index may be lower than the numbers say.
        var index = min(packet.number - first, facts.count - 1)
        while index > 0, facts[index].packet.number > packet.number { index -= 1 }
        return index > 0 ? facts[index - 1].packet.time : previous ?? packet.time
    }
}
