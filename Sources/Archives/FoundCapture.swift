package import Bytes
package import Captures

/// A capture in an archive, or in the text of a bug report.
package struct FoundCapture: Sendable {
    /// The names of the archive's members that lead to it, joined by slashes.
    package let name: String
    /// Size in bytes.
    package let size: Int
    package let format: CaptureFormat
    package internal(set) var packets = 0
    /// The first and the last time.
    package internal(set) var times: (first: Timestamp, last: Timestamp)?
    /// Packets of which the recorder has kept the beginning only.
    package internal(set) var cutPackets = 0
    /// What is missing at its end; nil if nothing is known to be.
    package internal(set) var missing: String?

    /// Whether it is the better log: one with packets, most of them whole, the newest, the longest.
    func isBetter(than other: FoundCapture) -> Bool {
        if (packets > 0) != (other.packets > 0) { return packets > 0 }
        if isMostlyCut != other.isMostlyCut { return other.isMostlyCut }
        if times?.last != other.times?.last { return (times?.last ?? .earliest) > (other.times?.last ?? .earliest) }
        return packets > other.packets
    }

    /// Whether it is the same capture, read again.
    func isSame(as other: FoundCapture) -> Bool {
        name == other.name && size == other.size && packets == other.packets && times?.first == other.times?.first
    }

    /// Whether most data is missing, as in a btsnooz log or a filtered one.
    private var isMostlyCut: Bool { cutPackets > packets / 4 }

    /// Counts the packets in a file.
    init(
        _ file: FileDescriptor, name: String, size: Int, as stated: StatedContent? = nil
    ) throws(CaptureError) {
        let reader = try CaptureReader(source: ByteSource(file, name: name), as: stated)
        (self.name, self.size, format) = (name, size, reader.format)
        while let batch = try? reader.next() {
            packets += batch.packets.count
            for packet in batch.packets {
                cutPackets += packet.isCut ? 1 : 0
                times =
                    times.map { (min($0.first, packet.time), max($0.last, packet.time)) } ?? (packet.time, packet.time)
            }
            reader.reuse(batch)
        }
        missing = reader.incompleteness?.text
    }

    /// Name, format, size, packets and times, for a list.
    package var summary: String {
        let span = times.map { ", \($0.first) to \($0.last)" } ?? ""
        return "\(name.legibleLine()): \(format.name), \(Self.text(ofSize: size)), \(packets) packets\(span)"
            + (missing.map { "; \($0)" } ?? "")
    }

    private static func text(ofSize bytes: Int) -> String {
        switch bytes {
        case ..<1000: "\(bytes) bytes"
        case ..<1_000_000: "\(Double(bytes / 100) / 10) kB"
        default: "\(Double(bytes / 100_000) / 10) MB"
        }
    }
}

/// The part of a capture's name that all logs of one rotation share: its folder, and its words without numbers, times
/// and the marks of a rotation. `btsnoop_hci.log` and `btsnoop_hci.log.1` are equal.
struct RotatedName: Hashable {
    private let folder: Substring
    private let words: [Substring]

    init(_ path: String) {
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        folder = path[..<start]
        words = path[start...].split { Self.separators.contains($0) }.filter { !Self.isMark($0) }
    }

    private static let separators: Set<Character> = [".", "_", "-", ":", "+", " "]

    /// Whether a word differs within a rotation: a number, a part of a time, or what phones call a log's age.
    private static func isMark(_ word: Substring) -> Bool {
        ["last", "latest", "old", "gz"].contains(word)
            || word.contains { $0.isNumber } && word.allSatisfy { $0.isNumber || $0 == "T" || $0 == "Z" }
    }
}
