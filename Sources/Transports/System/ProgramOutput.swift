import Glibc

/// What other programs print.
package enum ProgramOutput {
    /// The output of a command line of the shell; nil where it fails. The command line is one of ours: nothing that a
    /// user names may stand in it.
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

    /// Bytes that are taken in.
    private static let limit = 64 * 1024
}
