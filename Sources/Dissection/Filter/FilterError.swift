/// Why a display filter cannot be used, and which characters of it are at fault.
package struct FilterError: Error, Hashable, Sendable {
    /// What is wrong, in a few words.
    package let message: String
    /// The filter as it was written.
    package let text: String
    /// The characters at fault, counted from the filter's first; empty at its end.
    package let range: Range<Int>

    /// The column of the fault, 1 for the first character.
    package var column: Int { range.lowerBound + 1 }
}

extension FilterError: CustomStringConvertible {
    /// Two lines: the filter, and carets under the fault with the message behind them.
    package var description: String {
        let line = String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 })
        let carets = String(repeating: "~", count: max(0, range.count - 1))
        return "\(line)\n\(String(repeating: " ", count: range.lowerBound))^\(carets) \(message)"
    }
}
