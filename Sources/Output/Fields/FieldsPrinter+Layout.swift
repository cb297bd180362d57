import Bytes

extension FieldsPrinter {
    /// Column layout: tshark's `-E`.
    package struct Layout: Sendable, Hashable {
        package var header = false
        package var separator: [UInt8] = [UInt8(ascii: "\t")]
        package var aggregator: [UInt8] = [UInt8(ascii: ",")]
        package var quote: UInt8?
        package var occurrence = Occurrence.all
        /// Whether cells that a spreadsheet would evaluate get a leading apostrophe.
        package var escapesFormulas = false

        /// The occurrences of a field in a frame to write.
        package enum Occurrence: Sendable, Hashable {
            case first, last, all
        }

        package init() {}

        /// Comma-separated values according to RFC 4180, with a header.
        package static var csv: Layout {
            var layout = Layout()
            layout.header = true
            layout.separator = [UInt8(ascii: ",")]
            layout.quote = UInt8(ascii: "\"")
            return layout
        }
    }
}

extension FieldsPrinter.Layout {
    /// The layout described by tshark's `-E` options.
    package init(options: [String], isCSV: Bool) throws(LayoutError) {
        self = isCSV ? .csv : Self()
        for option in options {
            let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw LayoutError(option: option, expected: "NAME=VALUE") }
            try apply(String(parts[0]), String(parts[1]), option)
        }
    }

    private mutating func apply(_ name: String, _ value: String, _ option: String) throws(LayoutError) {
        switch (name, value) {
        case ("header", "y"): header = true
        case ("header", "n"): header = false
        case ("separator", _): separator = try Self.character(value, option)
        case ("aggregator", _): aggregator = try Self.character(value, option)
        case ("quote", "d"): quote = UInt8(ascii: "\"")
        case ("quote", "s"): quote = UInt8(ascii: "'")
        case ("quote", "n"): quote = nil
        case ("apostrophe", "y"): escapesFormulas = true
        case ("apostrophe", "n"): escapesFormulas = false
        case ("occurrence", "f"): occurrence = .first
        case ("occurrence", "l"): occurrence = .last
        case ("occurrence", "a"): occurrence = .all
        default:
            throw LayoutError(
                option: option,
                expected:
                    "header=y|n, separator=/t|/s|CHARACTER, occurrence=f|l|a, aggregator=/s|CHARACTER, quote=d|s|n or apostrophe=y|n"
            )
        }
    }

    private static func character(_ value: String, _ option: String) throws(LayoutError) -> [UInt8] {
        switch value {
        case "/t": return [UInt8(ascii: "\t")]
        case "/s": return [UInt8(ascii: " ")]
        default:
            guard value.count == 1 else { throw LayoutError(option: option, expected: "one character, /t or /s") }
            return Array(value.utf8)
        }
    }
}

package struct LayoutError: Error, CustomStringConvertible {
    package var option: String
    package var expected: String

    package var description: String { "-E \(option): expected \(expected)" }
}

package struct UnknownField: Error, CustomStringConvertible {
    package var name: String
    package var nearest: [String]

    package init(name: String, nearest: [String]) {
        self.name = name
        self.nearest = nearest
    }

    package var description: String { "unknown field \"\(name)\"\(Spelling.suggestion(nearest))" }
}
