import Bytes

/// Captures read as one, such as rotated logs: in order of their first packet's time. Frame numbers go on.
package final class JoinedCaptures: PacketSource {
    /// The captures, in order.
    package let readers: [CaptureReader]
    /// Gaps and overlaps between captures, up to the last packet read.
    package private(set) var warnings: [CaptureWarning] = []

    /// Index of the reader that is read.
    private var current = 0
    /// Number of frames before it.
    private var base = 0
    /// The last packet's time, and whether the current reader has delivered it.
    private var last: (time: Timestamp, index: Int)?
    /// The first batch of each reader, read for its time.
    private var first: [PacketBatch?]

    /// Longest time between two captures that is no gap.
    private static let pause = TimeSpan(seconds: 10)
    /// Names that are listed.
    private static let names = 3

    /// - Parameter readers: new readers, in any order.
    package init(_ readers: [CaptureReader]) throws(CaptureError) {
        var opened: [(reader: CaptureReader, batch: PacketBatch?)] = []
        for reader in readers {
            let batch = try reader.next()
            opened.append((reader, batch))
        }
        // Captures of one time keep the user's order; those without packets come first.
        let times = opened.map { $0.batch?.packets.first?.time ?? .earliest }
        let order = opened.indices.sorted { (times[$0], $0) < (times[$1], $1) }
        self.readers = order.map { opened[$0].reader }
        first = order.map { opened[$0].batch }
    }

    package var name: String {
        let files = readers.map(\.file)
        return files.count <= Self.names
            ? files.joined(separator: ", ") : "\(files.first ?? "") and \(files.count - 1) more"
    }

    package var isSeekable: Bool { readers.allSatisfy(\.isSeekable) }

    package var incompleteness: CaptureWarning? { readers.lazy.compactMap(\.incompleteness).first }

    package func next() throws(CaptureError) -> PacketBatch? {
        while current < readers.count {
            if var batch = try nextOfCurrent(), !batch.packets.isEmpty {
                if last?.index != current { compareTimes(&batch.packets[0]) }
                if base > 0 {
                    for index in batch.packets.indices { batch.packets[index].number += base }
                }
                if let packet = batch.packets.last { last = (packet.time, current) }
                return batch
            }
            base += readers[current].frameCount
            current += 1
        }
        return nil
    }

    private func nextOfCurrent() throws(CaptureError) -> PacketBatch? {
        if let batch = first[current] {
            first[current] = nil
            return batch
        }
        return try readers[current].next()
    }

    /// Warns if a capture's first packet does not follow the last one of the capture before.
    private func compareTimes(_ packet: inout CapturedPacket) {
        guard let last else { return }
        let (before, file) = (readers[last.index].file, readers[current].file)
        let pause: TimeSpan = packet.time - last.time
        if pause < .zero {
            warnings.append(
                CaptureWarning(
                    file: file, "it begins before \(before) ends: they overlap",
                    advice: "packets in both are read twice, and times go backwards"))
        } else if pause > Self.pause {
            let seconds = pause.nanoseconds / 1_000_000_000
            warnings.append(
                CaptureWarning(
                    file: file, "it begins \(seconds) s after \(before) ends",
                    advice: "packets between them count as missing"))
            if packet.drops == 0 { packet.drops = 1 }
        }
    }

    package func reuse(_ batch: consuming PacketBatch) {
        readers[min(current, readers.count - 1)].reuse(batch)
    }

    package func rewind() throws(CaptureError) {
        for reader in readers { try reader.rewind() }
        first = readers.map { _ in nil }
        (current, base, last, warnings) = (0, 0, nil, [])
    }

    package func limitBatches(to bytes: Int) {
        for reader in readers { reader.limitBatches(to: bytes) }
    }
}
