import Bytes
import Captures

/// Files of text that people write and read: profiles, headers, exports.
package enum TextFile {
    /// More bytes than this are no text that somebody has written.
    private static let sizeLimit = 16 << 20

    /// The text of a file; what is not UTF-8 is replaced.
    package static func read(_ path: String) throws(FileError) -> String {
        let bytes = try readBytes(path, atMost: sizeLimit, else: "not a text file")
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The bytes of a file; `reason` says what one that is longer than `limit` cannot be.
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

    /// Makes a folder unless it is there.
    package static func makeFolder(_ path: String) throws(FileError) {
        do throws(SystemError) {
            if !Folder.isFolder(path) { try Folder.make(path) }
        } catch {
            throw FileError(file: path, error)
        }
    }

    /// Writes a file, in place of one that is there.
    package static func write(_ text: String, to path: String) throws(FileError) {
        do {
            try FileDescriptor.writing(path).write(Array(text.utf8))
        } catch {
            throw FileError(file: path, error)
        }
    }

    /// Writes a file piece after piece, in place of one that is there.
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

/// Why a file cannot be read or written.
package struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    package var file: String
    /// What is wrong and what to do.
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
