package import Bytes
package import Captures
package import Conversation

/// A numeric property of a frame that needs no dissection; part of the field tree, and a column of its own.
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

    var isTime: Bool { field.format == .time }

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
    /// Time of the preceding frame; the first frame of the capture returns its own time.
    package func time(before packet: CapturedPacket) -> Timestamp {
        guard let first = metadata.first?.packet.number else { return packet.time }
        // Skipped frames are numbered too, so the index may be lower than the difference of the numbers.
        var index = min(packet.number - first, metadata.count - 1)
        while index > 0, metadata[index].packet.number > packet.number { index -= 1 }
        return index > 0 ? metadata[index - 1].packet.time : previous ?? packet.time
    }
}
