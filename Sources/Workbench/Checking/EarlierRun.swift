import Bytes
package import Output

/// JSON reports of earlier runs, used as the baseline of a check.
package enum EarlierRun {
    /// Whether a file is a JSON report. The first byte decides: no capture begins with a brace.
    package static func isReport(_ path: String) throws(FileError) -> Bool {
        guard path != "-" else { return false }
        let first = try TextFile.beginning(of: path)
        return first == UInt8(ascii: "{")
    }

    /// Reads the outline of the run that a JSON report describes.
    package static func read(_ path: String) throws(FileError) -> RunOutline {
        let bytes = try TextFile.readBytes(path, atMost: sizeLimit, else: "not a check report")
        guard let json = try? JSONValue(reading: bytes), let outline = RunOutline(json) else {
            throw FileError(
                file: path,
                "not a JSON report of gattbench check or gattbench test; create one with gattbench check --json FILE > "
                    + path)
        }
        return outline
    }

    /// Maximum size in bytes; no check report is larger.
    private static let sizeLimit = 64 << 20
}
