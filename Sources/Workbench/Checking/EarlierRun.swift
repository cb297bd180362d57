import Bytes
package import Output

/// JSON reports of earlier runs, which a check is compared with.
package enum EarlierRun {
    /// Whether a file is a JSON report, as its first byte tells: no capture begins with a brace.
    package static func isReport(_ path: String) throws(FileError) -> Bool {
        guard path != "-" else { return false }
        let first = try TextFile.beginning(of: path)
        return first == UInt8(ascii: "{")
    }

    /// What the run of a JSON report came to.
    package static func read(_ path: String) throws(FileError) -> RunOutline {
        let bytes = try TextFile.readBytes(path, atMost: sizeLimit, else: "not a check report")
        guard let json = try? JSONValue(reading: bytes), let outline = RunOutline(json) else {
            throw FileError(
                file: path,
                "not a JSON report of gattbench check; create one with gattbench check --json FILE > \(path)")
        }
        return outline
    }

    /// More bytes than this come of no check.
    private static let sizeLimit = 64 << 20
}
