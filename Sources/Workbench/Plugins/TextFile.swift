import Bytes
import Captures

/// Text files that people write and read: profiles, headers, exports.
package enum TextFile {
    /// Maximum size in bytes of a text file.
    private static let sizeLimit = 16 << 20

    /// The text of a file; invalid UTF-8 is replaced.
    package static func read(_ path: String) throws(FileError) -> String {
        let bytes = try readBytes(path, atMost: sizeLimit, else: "not a text file")
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The bytes of a file; `reason` is the error text for a file longer than `limit`.
    static func readBytes(_ path: String, atMost limit: Int, else reason: String) throws(FileError) -> [UInt8] {
        do {
            var bytes: [UInt8] = []
            try FileDescriptor.reading(path).append(to: &bytes, atLeast: limit + 1, atMost: limit + 1)
            guard bytes.count <= limit else {
                throw FileError(file: path, "longer than \(limit >> 20) MB: \(reason)")
            }
            return bytes
        } catch let error as FileError {
            throw error
        } catch {
            throw FileError(file: path, error)
        }
    }

    /// The first byte of a file; nil if it is empty.
    static func beginning(of path: String) throws(FileError) -> UInt8? {
        do {
            var bytes: [UInt8] = []
            try FileDescriptor.reading(path).append(to: &bytes, atLeast: 1, atMost: 1)
            return bytes.first
        } catch {
            throw FileError(file: path, error)
        }
    }

    /// Creates a folder if it does not exist.
    package static func makeFolder(_ path: String) throws(FileError) {
        do throws(SystemError) {
            if !Folder.isFolder(path) { try Folder.make(path) }
        } catch {
            throw FileError(file: path, error)
        }
    }

    /// Writes a file, replacing an existing one.
    package static func write(_ text: String, to path: String) throws(FileError) {
        do {
            try FileDescriptor.writing(path).write(Array(text.utf8))
        } catch {
            throw FileError(file: path, error)
        }
    }

    /// Writes a file piece by piece, replacing an existing one.
    package static func write(
        to path: String, _ body: (_ piece: @escaping ([UInt8]) throws -> Void) throws -> Void
    ) throws(FileError) {
        do {
            let file = try FileDescriptor.writing(path)
            try body { try file.write($0) }
        } catch {
            throw FileError(file: path, error)
        }
    }
}

/// A file cannot be read or written.
package struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    package var file: String
    /// The reason and the remedy.
    package var text: String

    package init(file: String, _ text: String) {
        self.file = file
        self.text = text
    }

    package init(file: String, _ error: any Error) {
        self.file = file
        guard let error = error as? SystemError else {
            text = "\(error)"
            return
        }
        text = error.advice.isEmpty ? error.text : "\(error.text); \(error.advice)"
    }

    package var description: String { "\(file.quotedIfEmpty): \(text)" }
}
