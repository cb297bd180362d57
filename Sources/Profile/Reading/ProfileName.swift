/// Names of plugins, types, fields and cases in a profile: `daily_total`.
package enum ProfileName {
    /// Whether a text can be a name.
    package static func isValid(_ text: String) -> Bool {
        guard let first = text.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else { return false }
        return text == make(from: text)
    }

    /// Derives a name from a text: lower-case words joined by underscores. Words end at characters other than letters
    /// and digits, and at the camel-case boundaries of `recordCount` and `HTTPServer`.
    package static func make(from text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        var name = ""
        for (index, scalar) in scalars.enumerated() {
            guard isLetterOrDigit(scalar) else {
                if !name.isEmpty, name.last != "_" { name += "_" }
                continue
            }
            if scalar.properties.isUppercase, index > 0, isLetterOrDigit(scalars[index - 1]) {
                let endsWord = index + 1 < scalars.count && isLowercase(scalars[index + 1])
                if isLowercase(scalars[index - 1]) || endsWord { name += "_" }
            }
            name += scalar.properties.lowercaseMapping
        }
        while name.last == "_", !text.hasSuffix("_") { name.removeLast() }
        guard let first = name.first else { return "value" }
        return first.isNumber ? "n\(name)" : name
    }

    private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && (scalar.properties.isAlphabetic || "0"..."9" ~= scalar)
    }

    private static func isLowercase(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && scalar.properties.isLowercase
    }
}
