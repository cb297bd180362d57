/// Cuts a stream of bytes into lines, without their line feeds.
struct LineFramer {
    /// Longest line, in bytes.
    static let limit = 65_536
    static let tooLong = "a line has more than \(limit) bytes: it is left out"

    /// The beginning of a line that is not complete; never longer than the limit and the bytes just taken in.
    private var buffer: [UInt8] = []
    /// Whether the rest of a line that is too long is still to come.
    private var isSkipping = false

    /// Bytes that wait for the rest of their line.
    var pending: Int { buffer.count }

    /// Takes in bytes; returns the lines that they complete, nil for one that is too long.
    mutating func take(_ bytes: [UInt8]) -> [[UInt8]?] {
        var lines: [[UInt8]?] = []
        var parts = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let rest = parts.removeLast()
        for part in parts {
            let line = buffer + part
            buffer = []
            if isSkipping {
                isSkipping = false
            } else {
                lines.append(line.count > Self.limit ? nil : line)
            }
        }
        if !isSkipping { buffer += rest }
        if buffer.count > Self.limit {
            buffer = []
            isSkipping = true
            lines.append(nil)
        }
        return lines
    }

    /// Takes the last line, which has no line feed; nil where there is none.
    mutating func finish() -> [UInt8]? {
        defer { buffer = [] }
        return buffer.isEmpty ? nil : buffer
    }
}
