import Synchronization

/// The token or password of a destination, which no message may contain: a server may quote the request.
final class Secrets: Sendable {
    /// The values in use, the newest last.
    private let values = Mutex<[[UInt8]]>([])

    /// Maximum number of tokens kept: a response may quote a token that has been replaced meanwhile.
    private static let capacity = 4
    /// Size in bytes of the parts of a secret that are redacted, too: a server may quote it truncated or encoded.
    private static let partSize = 8
    private static let replacement = Array("[redacted]".utf8)

    func record(_ secret: String) {
        let bytes = Array(secret.utf8)
        guard !bytes.isEmpty else { return }
        values.withLock { values in
            guard !values.contains(bytes) else { return }
            values = values.suffix(Self.capacity - 1) + [bytes]
        }
    }

    /// The text with the secrets and their parts replaced.
    func redacted(_ text: String) -> String {
        let values = values.withLock(\.self)
        let parts = Set(values.flatMap(Self.parts))
        if parts.isEmpty { return text }
        let bytes = Array(text.utf8)
        let sizes = Set(parts.map(\.count))
        var isSecret = [Bool](repeating: false, count: bytes.count)
        for start in bytes.indices {
            for size in sizes where size <= bytes.count - start && parts.contains(bytes[start..<start + size]) {
                for index in start..<start + size { isSecret[index] = true }
            }
        }
        var result: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if !isSecret[index] {
                result.append(byte)
            } else if index == 0 || !isSecret[index - 1] {
                result += Self.replacement
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// All parts of a secret with the size of a part; the whole secret if it is shorter.
    private static func parts(of secret: [UInt8]) -> [ArraySlice<UInt8>] {
        guard secret.count > partSize else { return [secret[...]] }
        return (0...secret.count - partSize).map { secret[$0..<$0 + partSize] }
    }
}
