extension Double {
    /// Reads a number as tables and URLs have it: a sign, digits, and decimals after a point; nil for anything else.
    init?(plain text: String) {
        self.init(plain: text, hundredths: false)
    }

    /// Reads a number as tables and URLs have it; a hundredth of it, without an error of rounding, if `hundredths`.
    init?(plain text: String, hundredths: Bool) {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        let parts = digits.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard digits.utf8.count <= 40, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isDigit) }) else {
            return nil
        }
        self.init(hundredths ? text + "e-2" : text)
    }

    /// The number with so many decimals at most.
    func rounded(toDecimals decimals: Int) -> Double {
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        return (self * scale).rounded() / scale
    }

    /// The number with so many decimals at most, as tables have it: no exponent, no decimals that say nothing.
    func text(decimals: Int) -> String {
        guard isFinite, magnitude < 1e15 else { return "" }
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        let scaled = (magnitude * scale).rounded()
        let whole = (scaled / scale).rounded(.down)
        var fraction = String(Int(scaled - whole * scale))
        fraction = String(repeating: "0", count: max(0, decimals - fraction.count)) + fraction
        while fraction.hasSuffix("0") { fraction.removeLast() }
        return (self < 0 && scaled > 0 ? "-" : "") + String(Int(whole)) + (fraction.isEmpty ? "" : "." + fraction)
    }
}

func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

/// A text of somebody else in quotes, safe for a terminal: control characters are escaped, and it is not long.
func quoted(_ text: String) -> String {
    let limit = 60
    var shown = "\""
    for scalar in text.unicodeScalars.prefix(limit) { shown += scalar.escaped(asASCII: false) }
    return shown + (text.unicodeScalars.count > limit ? "…\"" : "\"")
}
