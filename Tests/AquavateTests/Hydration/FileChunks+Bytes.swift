import PluginKit

/// Reads bytes as a file, in chunks.
func fileChunks(of bytes: [UInt8], size: Int = .max) -> FileChunks {
    @Sendable func read(_ body: ([UInt8]) throws(CommandError) -> Void) throws(CommandError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            try body(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
    }
    return read
}
