import Bytes

/// Extracts messages from a byte stream, one byte at a time. After a fault, it resumes at the next message start.
///
/// It buffers at most one message, up to the framing's limit.
package struct StreamDecoder: Sendable {
    private let framing: StreamFraming
    private var state: State
    /// Bytes of the message so far, without delimiters and escapes.
    private var content: [UInt8] = []
    /// Number of bytes at the end of `content` that did not follow an escape.
    private var plain = 0
    private var isEscaped = false
    /// Number of bytes of `start` or `end` matched so far.
    private var matched = 0
    /// The message's stated length; nil until known.
    private var length: Int?
    /// Bytes since the last message, and whether a fault has already been reported for them.
    private var strayCount = 0
    private var hasReportedStray = false

    private enum State: Sendable {
        case outside, inside
        /// The message is complete by length; its end delimiter is pending.
        case ending
        /// Skips an abandoned message up to its end delimiter, where no start delimiter marks the next message.
        case skipping
    }

    /// Result of adding a byte.
    package enum Event: Sendable, Hashable {
        case message([UInt8])
        case fault(String)
    }

    package init(_ framing: StreamFraming) {
        self.framing = framing
        state = framing.start.isEmpty ? .inside : .outside
    }

    package var isInside: Bool { !content.isEmpty || isEscaped || state == .ending }

    /// Bytes of the current message.
    package var count: Int { content.count }

    /// Discards the current message.
    package mutating func reset() {
        content = []
        (plain, isEscaped, matched, length) = (0, false, 0, nil)
        (strayCount, hasReportedStray) = (0, false)
        state = framing.start.isEmpty ? .inside : .outside
    }

    /// Processes the next byte.
    package mutating func add(_ byte: UInt8) -> Event? {
        switch state {
        case .outside: return addOutside(byte)
        case .inside: return addInside(byte)
        case .ending: return addToEnd(byte)
        case .skipping:
            matched = Self.matched(framing.end, matched, byte)
            if matched == framing.end.count { begin() }
            return nil
        }
    }

    private mutating func addOutside(_ byte: UInt8) -> Event? {
        matched = Self.matched(framing.start, matched, byte)
        strayCount += 1
        guard matched == framing.start.count else {
            if hasReportedStray || matched == strayCount { return nil }
            hasReportedStray = true
            return .fault("bytes outside of a message")
        }
        begin()
        return nil
    }

    private mutating func begin() {
        reset()
        state = .inside
    }

    private mutating func addInside(_ byte: UInt8) -> Event? {
        var byte = byte
        var isPlain = true
        if isEscaped {
            isEscaped = false
            isPlain = false
            switch framing.escape?.form {
            case .xor(let mask)?: byte ^= mask
            case .codes(let codes)?:
                guard let meant = codes[byte] else { return fail("0x\(hex(byte)) after an escape stands for nothing") }
                byte = meant
            case nil: break
            }
        } else if byte == framing.escape?.byte {
            isEscaped = true
            return nil
        }
        content.append(byte)
        plain = isPlain ? plain + 1 : 0
        if framing.length != nil { return checkLength() }
        if hasEnd {
            content.removeLast(framing.end.count)
            // One delimiter may end a message and start the next.
            return content.isEmpty ? startAnew() : finish()
        }
        if content.count - framing.end.count >= framing.limit {
            return fail("a message without an end in \(framing.limit) bytes")
        }
        return nil
    }

    /// Whether `content` ends with an unescaped end delimiter.
    private var hasEnd: Bool {
        let end = framing.end
        return !end.isEmpty && plain >= end.count && content.suffix(end.count).elementsEqual(end)
    }

    private mutating func startAnew() -> Event? {
        if framing.start == framing.end || framing.start.isEmpty { begin() } else { reset() }
        return nil
    }

    private mutating func checkLength() -> Event? {
        if length == nil {
            switch framing.length {
            case .fixed(let bytes)?: length = bytes
            case .field(let field)? where content.count == field.offset + field.size:
                guard let stated = field.length(in: content) else { return fail("the length is not a number") }
                if stated < content.count { return fail("message length \(stated) is too short") }
                if stated > framing.limit {
                    return fail("message length \(stated); at most \(framing.limit) expected")
                }
                length = stated
            case .field?, nil: return nil
            }
        }
        guard content.count == length else { return nil }
        if framing.end.isEmpty { return finish() }
        state = .ending
        matched = 0
        return nil
    }

    private mutating func addToEnd(_ byte: UInt8) -> Event? {
        guard byte == framing.end[matched] else {
            let expected = framing.end.map(hex).joined(separator: " ")
            let event = fail("a message of \(content.count) bytes does not end with \(expected)")
            // The byte may start the next message.
            if state != .inside { _ = add(byte) }
            return event
        }
        matched += 1
        return matched == framing.end.count ? finish() : nil
    }

    private mutating func finish() -> Event {
        let message = content
        reset()
        // The end delimiter may also start the next message.
        if !framing.start.isEmpty, framing.start == framing.end { state = .inside }
        return .message(message)
    }

    private mutating func fail(_ text: String) -> Event {
        reset()
        if framing.start.isEmpty, !framing.end.isEmpty { state = .skipping }
        // The fault covers the remaining bytes of this message; do not report them as stray.
        hasReportedStray = true
        return .fault(text)
    }

    private func hex(_ byte: UInt8) -> String { String(hex: UInt64(byte), digits: 2) }

    /// Number of pattern bytes matched after `byte`, given `before` matched bytes.
    private static func matched(_ pattern: [UInt8], _ before: Int, _ byte: UInt8) -> Int {
        var count = before
        while count > 0, pattern[count] != byte {
            // Longest prefix of the pattern that the matched bytes end with.
            let seen = pattern[..<count]
            count = (0..<count).last { seen.suffix($0).elementsEqual(pattern.prefix($0)) } ?? 0
        }
        return pattern[count] == byte ? count + 1 : 0
    }
}
