/// Splits a byte stream into lines, without line feeds.
struct LineFramer {
    /// Maximum length of a line, in bytes.
    static let limit = 65_536
    static let tooLong = "a line has more than \(limit) bytes: it is left out"

    /// Beginning of an incomplete line; at most the limit and the last input.
    private var buffer: [UInt8] = []
    /// Whether the remainder of an overlong line is being skipped.
    private var isSkipping = false

    /// Number of bytes of an incomplete line.
    var pending: Int { buffer.count }

    /// Adds bytes; returns the lines that they complete, nil for an overlong line.
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

    /// Returns the last line, if it has no line feed; nil if there is none.
    mutating func finish() -> [UInt8]? {
        defer { buffer = [] }
        return buffer.isEmpty ? nil : buffer
    }
}
