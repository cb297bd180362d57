import Glibc

/// Output of other programs.
package enum ProgramOutput {
    /// The output of a shell command; nil if it fails. The command must be a literal: it must not contain user input.
    package static func of(_ command: StaticString) -> String? {
        guard let stream = unsafe popen("\(command)", "r") else { return nil }
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while output.count < limit {
            let count = unsafe fread(&buffer, 1, buffer.count, stream)
            if count == 0 { break }
            output += buffer[..<count]
        }
        return unsafe pclose(stream) == 0 ? String(decoding: output, as: UTF8.self) : nil
    }

    /// Maximum number of bytes read.
    private static let limit = 64 * 1024
}
