public import Bytes

/// A frame of a capture, with its time and the connection that it belongs to.
public struct FrameReference: Hashable, Sendable, Comparable {
    /// Number of the frame, from 1.
    public var frame: Int
    public var time: Timestamp
    /// Number of the connection, from 1; 0 for frames without one, such as advertisements.
    public var connection: Int
    /// The sender of the frame.
    public var sender = Sender.unknown
    /// ATT bearer of an ATT PDU: 0 for the fixed channel, otherwise the number of an enhanced bearer of the connection.
    public var bearer: UInt8 = 0

    public enum Sender: UInt8, Sendable { case unknown, central, peripheral }

    public init(frame: Int, time: Timestamp, connection: Int = 0) {
        self.frame = frame
        self.time = time
        self.connection = connection
    }

    public static func < (one: FrameReference, other: FrameReference) -> Bool { one.frame < other.frame }

    /// Seconds from an earlier frame to this one.
    public func seconds(since earlier: FrameReference) -> Double { (time - earlier.time).seconds }
}

extension Double {
    /// A duration in seconds, with its unit: `4.25 s`, `300 ms`.
    public var secondsText: String {
        if self < 1 { return "\(Int((max(self, -1e9) * 1000).rounded())) ms" }
        let hundredths = (min(self, 1e15) * 100).rounded() / 100
        return hundredths == hundredths.rounded() ? "\(Int(hundredths)) s" : "\(hundredths) s"
    }
}
