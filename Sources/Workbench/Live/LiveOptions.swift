package import Captures

/// When a live capture ends and where it is kept, as tshark's options `-c`, `-a`, `-w` and `-b` say it.
package struct LiveOptions: Sendable {
    /// Packets to capture.
    package var packetLimit = Int.max
    /// Seconds to capture; nil for no end.
    package var duration: Double?
    /// Where packets are kept; nil for nowhere.
    package var recording: RecordingOptions?

    package init() {}

    /// Takes in an `-a` option, `duration:SECONDS`.
    package mutating func applyStop(_ option: String) throws(LiveOptionError) {
        let (name, value) = LiveOptionError.parts(option)
        guard name == "duration", let seconds = Double(value), seconds > 0, seconds < 1e9 else {
            throw LiveOptionError(option: "-a \(option)", expected: "duration:SECONDS")
        }
        duration = seconds
    }
}

/// A file, or files that follow one another, in which a live capture is kept.
package struct RecordingOptions: Sendable {
    /// Path of the file; of several, what their names begin and end with.
    package var path: String
    package var format: CaptureFormat
    /// Bytes after which the next file is begun; nil for one file.
    package var fileSize: Int?
    /// Files that are kept, the newest; nil for all.
    package var fileCount: Int?
    /// Whether somebody reads along, as at the other end of a pipe: packets are then written at once.
    package var isForReader = false

    package init(path: String, format: CaptureFormat, isForReader: Bool = false) {
        self.path = path
        self.format = format
        self.isForReader = isForReader
    }

    /// The name tells the format.
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

/// An option of a live capture that says nothing.
package struct LiveOptionError: Error, Hashable, Sendable, CustomStringConvertible {
    package var option: String
    package var expected: String

    package var description: String { "\(option): expected \(expected)" }

    /// The two sides of `NAME:VALUE`.
    fileprivate static func parts(_ option: String) -> (name: String, value: String) {
        let parts = option.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), parts.count == 2 ? String(parts[1]) : "")
    }
}
