import Bytes
import Captures

/// Records captured packets to one file, or to a sequence of files.
///
/// Packets reach the file within a second, so a program that is terminated loses at most the last second.
final class LiveRecording {
    private let options: RecordingOptions
    private var writer: CaptureWriter?
    /// Files of the ring, the oldest first.
    private var files: [String] = []
    private var fileNumber = 0
    private var lastFlush = Timestamp.epoch
    private var losses: [ConversionLoss] = []

    /// Interval at which buffered packets are written to the file.
    private static let flushInterval = TimeSpan(milliseconds: 500)

    /// Begins the file if the encapsulation is known.
    init(_ options: RecordingOptions, holding encapsulation: Encapsulation?, at now: Timestamp) throws(CaptureError) {
        self.options = options
        if let encapsulation { try begin(holding: encapsulation, at: now) }
    }

    private func begin(holding encapsulation: Encapsulation?, at now: Timestamp) throws(CaptureError) {
        fileNumber += 1
        let path = options.fileSize == nil ? options.path : name(of: fileNumber, at: now)
        var target = CaptureTarget(options.format, holding: encapsulation)
        target.hasNanoseconds = true
        let writer = try CaptureWriter(path: path, target: target)
        try writer.flush()
        self.writer = writer
        files.append(path)
        if let limit = options.fileCount, files.count > limit {
            try? Folder.remove(files.removeFirst())
        }
    }

    /// The name that Wireshark gives files of a ring: `session_00001_20260301115958.pcapng`, in UTC.
    private func name(of number: Int, at now: Timestamp) -> String {
        let digits = String(number)
        let count = String(repeating: "0", count: max(0, 5 - digits.count)) + digits
        let date = "\(now)".prefix(19).filter(\.isNumber)
        let dot = options.path.lastIndex(of: ".") ?? options.path.endIndex
        return "\(options.path[..<dot])_\(count)_\(date)\(options.path[dot...])"
    }

    func write(_ batch: PacketBatch, at now: Timestamp) throws(CaptureError) {
        for packet in batch.packets {
            if let limit = options.fileSize, let writer, writer.byteCount >= limit {
                try close()
                try begin(holding: packet.encapsulation, at: now)
            }
            if writer == nil { try begin(holding: packet.encapsulation, at: now) }
            try writer?.write(packet, of: batch)
        }
    }

    /// Writes buffered packets to the file when the interval has elapsed.
    func flush(at now: Timestamp) throws(CaptureError) {
        guard options.isForReader || now - lastFlush >= Self.flushInterval else { return }
        lastFlush = now
        try writer?.flush()
    }

    private func close() throws(CaptureError) {
        try writer?.flush()
        losses += writer?.losses ?? []
        writer = nil
    }

    /// Ends the recording; returns the information that the format could not represent.
    func finish(at now: Timestamp) throws(CaptureError) -> [ConversionLoss] {
        if fileNumber == 0 { try begin(holding: nil, at: now) }
        try close()
        return losses
    }
}
