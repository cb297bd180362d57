import Captures

/// Files of text that people write and read: profiles, headers, exports.
package enum TextFile {
    /// More bytes than this are no text that somebody has written.
    private static let sizeLimit = 16 << 20

    /// The text of a file; what is not UTF-8 is replaced.
    package static func read(_ path: String) throws(FileError) -> String {
        do {
            var bytes: [UInt8] = []
            try FileDescriptor.reading(path).append(to: &bytes, atLeast: sizeLimit + 1, atMost: sizeLimit + 1)
            guard bytes.count <= sizeLimit else {
                throw FileError(file: path, "longer than \(sizeLimit >> 20) MB: no text that somebody has written")
            }
            return String(decoding: bytes, as: UTF8.self)
        } catch let error as FileError {
            throw error
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

    fileprivate init(file: String, _ error: any Error) {
        self.file = file
        guard let error = error as? SystemError else {
            text = "\(error)"
            return
        }
        text = error.advice.isEmpty ? error.text : "\(error.text); \(error.advice)"
    }

    package var description: String { "\(file): \(text)" }
}
