import Bytes
import Output
import PluginKit

extension String {
    /// The text as it stands in HTML, without characters that hide or reorder others; of a long one the beginning.
    func html(_ limit: Int = 400) -> String { legible(limit: limit).escapedForXML }

    /// The text as one word of a command for a shell.
    var shellWord: String {
        let isPlain =
            !isEmpty
            && unicodeScalars.allSatisfy {
                $0.isASCII
                    && ($0.properties.isAlphabetic || ("0"..."9").contains($0)
                        || "-_./:=,@%+".unicodeScalars.contains($0))
            }
        return isPlain ? self : "'" + replacing("'", by: "'\\''") + "'"
    }
}

/// A part of a page that has a limited size: what does not fit is counted.
struct BoundedMarkup {
    private(set) var html = ""
    private(set) var leftOut = 0
    private let limit: Int

    /// - Parameter limit: Bytes.
    init(limit: Int) { self.limit = limit }

    var isFull: Bool { html.utf8.count >= limit }

    /// Adds a piece; whether it fits.
    @discardableResult
    mutating func add(_ piece: @autoclosure () -> String) -> Bool {
        if !isFull {
            let piece = piece()
            if html.utf8.count + piece.utf8.count <= limit {
                html += piece
                return true
            }
        }
        leftOut += 1
        return false
    }
}
