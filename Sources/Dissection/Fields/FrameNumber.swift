package import Bytes
package import Captures

/// A number that the recorder of a capture knew of every frame: part of the frame's field tree, and for those who want
/// nothing else of the frame to be had without one.
package enum FrameNumber: Sendable, CaseIterable {
    case number, time, length, capturedLength

    package var field: Field {
        switch self {
        case .number: FrameFields.number
        case .time: FrameFields.time
        case .length: FrameFields.length
        case .capturedLength: FrameFields.capturedLength
        }
    }

    /// The field's value for a frame.
    package func value(of packet: CapturedPacket) -> UInt64 {
        switch self {
        case .number: UInt64(packet.number)
        case .time: UInt64(bitPattern: packet.time.nanoseconds)
        case .length: UInt64(packet.frameLength)
        case .capturedLength: UInt64(packet.capturedFrameLength)
        }
    }
}
