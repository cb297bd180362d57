import Bytes

/// Progress of reading a capture, with the estimated time left.
package struct ReadingProgress: Sendable {
    private let packets: Int
    private let bytes: Int?
    private let size: Int?
    private let seconds: Double

    /// - Parameters:
    ///   - bytes: Bytes of the file that were read; nil where they are not counted.
    ///   - size: Bytes of the file; nil where it has no size, as a pipe.
    package init(packets: Int, bytes: Int?, size: Int?, seconds: Double) {
        (self.packets, self.bytes, self.size, self.seconds) = (packets, bytes, size, seconds)
    }

    /// `43 %  12.3 of 28.6 MB  1,234,567 packets  5.9 M/s  0:03 left`, without unknown parts.
    package var text: String {
        var parts: [String] = []
        if let bytes, let size, size > 0 {
            parts = ["\(min(100, bytes * 100 / size)) %", "\(Self.megabytes(bytes)) of \(Self.megabytes(size)) MB"]
        } else if let bytes {
            parts = ["\(Self.megabytes(bytes)) MB"]
        }
        parts.append("\(Self.grouped(packets)) packets")
        if seconds > 0 { parts.append(Self.rate(Double(packets) / seconds)) }
        if let bytes, let size, bytes > 0, size >= bytes {
            parts.append("\(Self.clock(seconds * Double(size - bytes) / Double(bytes))) left")
        }
        return parts.joined(separator: "  ")
    }

    private static func megabytes(_ bytes: Int) -> String { (Double(bytes) / 1_000_000).text(fixed: 1) }

    private static func rate(_ packets: Double) -> String {
        packets >= 1_000_000
            ? "\((packets / 1_000_000).text(fixed: 1)) M/s"
            : packets >= 1000 ? "\((packets / 1000).text(fixed: 1)) k/s" : "\(Int(packets.rounded()))/s"
    }

    /// `0:03`, `1:02:03`.
    private static func clock(_ seconds: Double) -> String {
        let seconds = Int(min(seconds, 359_999).rounded(.up))
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let minutes = seconds / 60
        return minutes < 60
            ? "\(minutes):\(two(seconds % 60))" : "\(minutes / 60):\(two(minutes % 60)):\(two(seconds % 60))"
    }

    /// `1,234,567`.
    private static func grouped(_ number: Int) -> String {
        var digits = Array(String(number))
        for place in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: place) }
        return String(digits)
    }
}
