import Bytes
import Output
import PluginKit

extension String {
    /// The text escaped for HTML and cut to `limit` characters, without characters that hide or reorder others.
    func html(_ limit: Int = 400) -> String { legible(limit: limit).escapedForXML }

    /// The text quoted as one shell word.
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

/// A part of a page with a size limit; pieces that do not fit are counted.
struct BoundedMarkup {
    private(set) var html = ""
    private(set) var leftOut = 0
    private let limit: Int

    /// - Parameter limit: Maximum size in bytes.
    init(limit: Int) { self.limit = limit }

    var isFull: Bool { html.utf8.count >= limit }

    /// Adds a piece; returns whether it fits.
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
