import Bytes
import Captures
package import Keys

/// Files of keys on disk, which `--keys` and the variable GATTBENCH_KEYS name.
package enum KeyFiles {
    /// The keys of the file at `path`; `-` is standard input.
    ///
    /// - Parameters:
    ///   - name: The file's name in messages, if the path must not be printed. The keys count as given then.
    ///   - warn: Receives a warning if other users may read the file.
    package static func read(
        _ path: String, shownAs name: String? = nil, warn: (String) -> Void
    ) throws(KeyFileError) -> [KnownKey] {
        let isInput = path == "-"
        let shown = name ?? (isInput ? "standard input" : path)
        var bytes: [UInt8] = []
        let isReadableByOthers: Bool
        do throws(SystemError) {
            let file = isInput ? .standardInput : try FileDescriptor.reading(path)
            isReadableByOthers = !isInput && file.isReadableByOthers
            let limit = KeyFile.sizeLimit + 1
            try file.append(to: &bytes, atLeast: limit, atMost: limit)
        } catch {
            throw KeyFileError(file: shown, error.advice.isEmpty ? error.text : "\(error.text); \(error.advice)")
        }
        var keys = try KeyFile.read(bytes, shown, path: path)
        if isReadableByOthers, !keys.isEmpty {
            warn("\(shown): other users may read its keys; forbid it: chmod 600 \(name == nil ? path : "FILE")")
        }
        if isInput || name != nil {
            for index in keys.indices { keys[index].origin = .given }
        }
        return keys
    }
}
