public import Bytes

/// A place in a capture: a frame, when it was, and the connection that it belongs to.
public struct FrameReference: Hashable, Sendable, Comparable {
    /// Number of the frame, from 1.
    public var frame: Int
    public var time: Timestamp
    /// Number of the connection, from 1; 0 for what belongs to none, as advertisements.
    public var connection: Int
    /// Who sent the frame.
    public var sender = Sender.unknown
    /// The ATT bearer of an ATT PDU: 0 for the fixed channel, else the number of an enhanced bearer of the connection.
    public var bearer: UInt8 = 0

    public enum Sender: UInt8, Sendable { case unknown, central, peripheral }

    public init(frame: Int, time: Timestamp, connection: Int = 0) {
        self.frame = frame
        self.time = time
        self.connection = connection
    }

    public static func < (one: FrameReference, other: FrameReference) -> Bool { one.frame < other.frame }

    /// Seconds from an earlier moment to this one.
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
