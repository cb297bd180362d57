package import Captures

/// Limits and recording of a live capture, with the meaning of tshark's options `-c`, `-a`, `-w` and `-b`.
package struct LiveOptions: Sendable {
    /// Maximum number of packets to capture.
    package var packetLimit = Int.max
    /// Seconds to capture; nil for no limit.
    package var duration: Double?
    /// The recording; nil for none.
    package var recording: RecordingOptions?

    package init() {}

    /// Applies an `-a` option, `duration:SECONDS`.
    package mutating func applyStop(_ option: String) throws(LiveOptionError) {
        let (name, value) = LiveOptionError.parts(option)
        guard name == "duration", let seconds = Double(value), seconds > 0, seconds < 1e9 else {
            throw LiveOptionError(option: "-a \(option)", expected: "duration:SECONDS")
        }
        duration = seconds
    }
}

/// The file, or the ring of files, that a live capture is recorded to.
package struct RecordingOptions: Sendable {
    /// Path of the file; for several files, the prefix and the extension of their names.
    package var path: String
    package var format: CaptureFormat
    /// Size in bytes after which the next file begins; nil for one file.
    package var fileSize: Int?
    /// Number of newest files to keep; nil for all.
    package var fileCount: Int?
    /// Whether another process reads the file meanwhile, as through a pipe: every packet is then written at once.
    package var isForReader = false

    package init(path: String, format: CaptureFormat, isForReader: Bool = false) {
        self.path = path
        self.format = format
        self.isForReader = isForReader
    }

    /// The file name determines the format.
    package init(path: String, switching options: [String] = []) throws {
        self.init(path: path, format: try CaptureFormat(ofRecording: path))
        for option in options { try applySwitch(option) }
        if fileCount != nil, fileSize == nil {
            throw LiveOptionError(option: "-b files:\(fileCount ?? 0)", expected: "-b filesize:KB beside it")
        }
    }

    private mutating func applySwitch(_ option: String) throws(LiveOptionError) {
        let (name, value) = LiveOptionError.parts(option)
        switch (name, Int(value)) {
        case ("filesize", let size?) where (1...2_000_000_000).contains(size): fileSize = size * 1000
        case ("files", let count?) where (1...100_000).contains(count): fileCount = count
        default:
            throw LiveOptionError(option: "-b \(option)", expected: "filesize:KB or files:NUMBER")
        }
    }
}

/// A malformed option of a live capture.
package struct LiveOptionError: Error, Hashable, Sendable, CustomStringConvertible {
    package var option: String
    package var expected: String

    package var description: String { "\(option): expected \(expected)" }

    /// Splits `NAME:VALUE`.
    fileprivate static func parts(_ option: String) -> (name: String, value: String) {
        let parts = option.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), parts.count == 2 ? String(parts[1]) : "")
    }
}
