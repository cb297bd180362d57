import Bytes

/// Files that hold keys: lists of keys, the stores of hosts, and logs. The content names the format, never the name of
/// the file.
package enum KeyFile {
    /// The formats, in the order in which they are looked for.
    static let formats: [any KeyFileFormat.Type] = [
        KeyList.self, BumbleKeystore.self, BlueZInfo.self, AndroidConfiguration.self, NordicOptions.self,
        ZephyrLog.self, NimBLELog.self,
    ]

    /// Maximum size of a file in bytes.
    package static let sizeLimit = 64 << 20
    /// Maximum number of keys of a file.
    package static let keyLimit = KeyRing.limit

    /// The keys of a file. Keys of zeros, which stand for missing ones, are left out.
    ///
    /// - Parameters:
    ///   - name: The file's name in messages, and in the origin of its keys.
    ///   - path: The path of the file, whose folders name the device of a file of BlueZ; `name` if it is nil.
    package static func read(
        _ bytes: [UInt8], _ name: String, path: String? = nil
    ) throws(KeyFileError) -> [KnownKey] {
        guard bytes.count <= sizeLimit else {
            throw KeyFileError(file: name, "longer than \(sizeLimit >> 20) MB: no file of keys")
        }
        let text = KeyText(bytes: bytes, name: name, path: path ?? name)
        guard let format = format(of: text) else {
            if text.isEmpty { return [] }
            throw KeyFileError(
                file: name,
                "no keys in a known form; expected lines of \(KeySpec.syntax), or a \(formats.dropFirst().map { $0.name }.list)"
            )
        }
        let keys = try format.read(text).filter { !$0.value.isZero }
        guard keys.count <= keyLimit else {
            throw KeyFileError(file: name, "\(keys.count) keys; a file may have \(keyLimit)")
        }
        return keys
    }

    private static func format(of text: KeyText) -> (any KeyFileFormat.Type)? {
        var isFirst = true
        for line in text.lines where !line.isBlank {
            for format in formats where format.isSign(line, isFirst: isFirst) { return format }
            isFirst = false
        }
        return nil
    }
}

/// A format of files that hold keys.
protocol KeyFileFormat: SendableMetatype {
    /// The name for messages: “log of Zephyr”.
    static var name: String { get }
    /// Whether a line is found in this format only; `isFirst` marks the first line that is not blank.
    static func isSign(_ line: KeyText.Line, isFirst: Bool) -> Bool
    static func read(_ text: KeyText) throws(KeyFileError) -> [KnownKey]
}

/// A file of keys cannot be read. The text never has a key.
package struct KeyFileError: Error, Hashable, Sendable, CustomStringConvertible {
    package var file: String
    /// From 1; nil where the fault is of the whole file.
    package var line: Int?
    /// What was found, what was expected, and what to do.
    package var text: String

    package init(file: String, line: Int? = nil, _ text: String) {
        self.file = file
        self.line = line
        self.text = text
    }

    package var description: String { "\(file.quotedIfEmpty):\(line.map { "\($0):" } ?? "") \(text)" }
}

extension Collection<String> {
    /// `a, b or c`.
    fileprivate var list: String {
        guard let last = reversed().first, count > 1 else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " or " + last
    }
}
