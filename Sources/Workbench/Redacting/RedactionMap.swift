package import Bytes
package import Captures

/// The file of `redact --map`: what each packet had before, to undo the redaction. One JSON object a line; only its
/// owner can read it.
package enum RedactionMap {
    /// The first line's values.
    static let (format, version) = ("gattbench redaction map", 1)
    /// The largest file that is read, in bytes.
    static let sizeLimit = 1 << 30

    /// What one packet had before.
    struct Entry {
        /// Bytes that were replaced, from the HCI packet or from the access address on.
        var patches: [Patch] = []
        /// The packet on the air with its pseudo-header, where a packet was decrypted.
        var packet: [UInt8]?
        var comments: [String] = []

        var isEmpty: Bool { patches.isEmpty && packet == nil && comments.isEmpty }
    }

    struct Patch {
        var offset: Int
        var original: [UInt8]
        var replacement: [UInt8]
    }

    /// The lines of a packet.
    static func lines(_ frame: Int, _ entry: Entry) -> String {
        var lines = ""
        func add(_ members: KeyValuePairs<String, JSONValue?>) { lines += JSONValue.members(members).line + "\n" }
        if let packet = entry.packet { add(["frame": .integer(frame), "packet": .string(hex(packet))]) }
        for patch in entry.patches {
            add([
                "frame": .integer(frame), "offset": .integer(patch.offset), "original": .string(hex(patch.original)),
                "replacement": .string(hex(patch.replacement)),
            ])
        }
        if !entry.comments.isEmpty {
            add(["frame": .integer(frame), "comments": .array(entry.comments.map { .string($0) })])
        }
        return lines
    }

    static func header(timeShift: TimeSpan) -> String {
        JSONValue.members([
            "format": .string(format), "version": .integer(version),
            "time_shift_ns": .integer(Int(timeShift.nanoseconds)),
        ]).line + "\n"
    }

    /// The ranges in which two packets of the same length differ, as patches.
    static func patches(_ original: ArraySlice<UInt8>, _ replacement: ArraySlice<UInt8>) -> [Patch] {
        var patches: [Patch] = []
        let (before, after) = (Array(original), Array(replacement))
        var place = 0
        while place < min(before.count, after.count) {
            guard before[place] != after[place] else {
                place += 1
                continue
            }
            var end = place
            while end < min(before.count, after.count), before[end] != after[end] { end += 1 }
            patches.append(
                Patch(offset: place, original: Array(before[place..<end]), replacement: Array(after[place..<end])))
            place = end
        }
        return patches
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        var text = TextWriter(capacity: 2 * bytes.count)
        text.writeHex(bytes[...])
        return String(decoding: text.bytes, as: UTF8.self)
    }
}

extension RedactionMap {
    /// A map that was read.
    package struct Contents {
        package var timeShift = TimeSpan.zero
        var entries: [Int: Entry] = [:]
    }

    /// Reads a map.
    package static func read(_ bytes: [UInt8], file: String) throws(CaptureError) -> Contents {
        var contents = Contents()
        var number = 0
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) where !line.isEmpty {
            number += 1
            guard let value = try? JSONValue(reading: Array(line)), read(value, number, &contents) else {
                throw CaptureError(
                    .notACapture, file: file, "line \(number) is not that of a map of redact",
                    advice: "name the file that redact --map wrote")
            }
        }
        guard number > 0 else {
            throw CaptureError(
                .empty, file: file, "the map is empty", advice: "name the file that redact --map wrote")
        }
        return contents
    }

    private static func read(_ value: JSONValue, _ number: Int, _ contents: inout Contents) -> Bool {
        if number == 1 {
            guard value["format"]?.string == format, value["version"]?.number == Double(version),
                let shift = value["time_shift_ns"]?.number.flatMap({ Int64(exactly: $0) })
            else { return false }
            contents.timeShift = TimeSpan(nanoseconds: shift)
            return true
        }
        guard let frame = value["frame"]?.number.flatMap({ Int(exactly: $0) }) else { return false }
        if let packet = value["packet"]?.string {
            guard let bytes = bytes(packet) else { return false }
            contents.entries[frame, default: Entry()].packet = bytes
            return true
        }
        if let comments = value["comments"] {
            contents.entries[frame, default: Entry()].comments = comments.elements.compactMap(\.string)
            return true
        }
        guard let offset = value["offset"]?.number.flatMap({ Int(exactly: $0) }), offset >= 0,
            let original = value["original"]?.string.flatMap({ bytes($0) }),
            let replacement = value["replacement"]?.string.flatMap({ bytes($0) }), original.count == replacement.count
        else { return false }
        contents.entries[frame, default: Entry()].patches.append(
            Patch(offset: offset, original: original, replacement: replacement))
        return true
    }

    private static func bytes(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for place in stride(from: 0, to: digits.count, by: 2) {
            guard let high = Character(UnicodeScalar(digits[place])).hexDigitValue,
                let low = Character(UnicodeScalar(digits[place + 1])).hexDigitValue
            else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return bytes
    }
}
