extension Double {
    /// Reads a number as in tables and URLs: a sign, digits, and decimals after a point; nil for anything else.
    init?(plain text: String) {
        self.init(plain: text, hundredths: false)
    }

    /// Reads a number as in tables and URLs; with `hundredths`, a hundredth of it, without a rounding error.
    init?(plain text: String, hundredths: Bool) {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        let parts = digits.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard digits.utf8.count <= 40, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isDigit) }) else {
            return nil
        }
        self.init(hundredths ? text + "e-2" : text)
    }

    /// The number rounded to this many decimals.
    func rounded(toDecimals decimals: Int) -> Double {
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        return (self * scale).rounded() / scale
    }

    /// The number as in tables: at most this many decimals, no exponent, no trailing zeros.
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

/// Foreign text in quotes, safe for a terminal: control characters are escaped, and the length is limited.
func quoted(_ text: String) -> String {
    let limit = 60
    var shown = "\""
    for scalar in text.unicodeScalars.prefix(limit) { shown += scalar.escaped(asASCII: false) }
    return shown + (text.unicodeScalars.count > limit ? "…\"" : "\"")
}
