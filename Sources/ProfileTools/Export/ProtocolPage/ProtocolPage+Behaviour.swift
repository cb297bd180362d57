import Bluetooth
import Profile

// Messages, sequences, times, rules and vectors.
extension ProtocolPage {
    static func messages(_ profile: Profile) -> String {
        if profile.messages.isEmpty { return "" }
        let rows = profile.messages.map { one in
            let framing =
                switch one.framing {
                case .chunks(let index, let total, let content):
                    "`\(content)` of chunks `\(index)` = 0 to `\(total)` - 1"
                case .lengthPrefix(let bytes): "begins with its length in \(bytes) byte\(bytes == 1 ? "" : "s")"
                case .stream(let framing): framing.words
                }
            let request = one.request.map { "answers `\($0)`" }
            return [
                one.title, "\(one.operation.rawValue) `\(one.characteristic)`", framing,
                one.reading.alternatives.map { alternative in
                    link(alternative.type) + (alternative.condition.map { " if `\($0.text)`" } ?? "")
                }.joined(separator: ", "),
                one.timeout.map { "\(seconds($0))" } ?? "",
                [one.doc, request].compactMap { $0 }.joined(separator: "; "),
            ]
        }
        return "## Messages\n\n"
            + MarkdownTable(["Message", "Values", "Put together of", "Content", "Given up after", ""], rows).text
    }

    /// Bytes in hexadecimal.
    fileprivate static func digits(_ bytes: [UInt8]) -> String { "`\(hex(bytes))`" }

    static func sequences(_ profile: Profile) -> String {
        if profile.sequences.isEmpty { return "" }
        var text = "## Sequences of states\n"
        for one in profile.sequences {
            let dialect = one.dialect.map { " (dialect `\($0)`)" } ?? ""
            text += "\n### \(one.title)\(dialect)\n\n`\(one.state)` of \(link(one.type))"
            text += one.initial.isEmpty ? ".\n\n" : "; first \(names(one.initial)).\n\n"
            text +=
                MarkdownTable(
                    ["After", "may come"], one.transitions.map { ["`\($0.from)`", names($0.to)] }
                ).text
        }
        return text
    }

    static func times(_ profile: Profile) -> String {
        if profile.times.isEmpty { return "" }
        let rows = profile.times.map { ["`\($0.name)`", seconds($0.seconds), $0.doc, $0.source ?? ""] }
        return "## Times\n\n" + MarkdownTable(["Name", "Time", "Meaning", "Source"], rows).text
    }

    static func rules(_ profile: Profile) -> String {
        if profile.rules.isEmpty { return "" }
        var text = "## Rules\n"
        for role in RuleDefinition.Role.allCases {
            let rules = profile.rules.filter { $0.role == role }
            if rules.isEmpty { continue }
            text += "\n### For the \(role.rawValue)\n\n"
            let rows = rules.map { rule in
                let comments = [
                    rule.hint, rule.dialect.map { "dialect `\($0)`" },
                    rule.quirk.map { "broken by known firmware: \($0)" },
                ]
                return [
                    rule.id, rule.severity.rawValue, rule.text, condition(of: rule.kind), rule.source ?? "",
                    comments.compactMap { $0 }.joined(separator: "; "),
                ]
            }
            text += MarkdownTable(["Rule", "", "What must hold", "Judged by", "Source", ""], rows).text
        }
        return text
    }

    /// The condition that a rule checks.
    private static func condition(of kind: RuleDefinition.Kind) -> String {
        switch kind {
        case .length(let event, let lengths): "\(words(event)) has \(words(lengths)) bytes"
        case .check(let event, let condition): "\(words(event)): `\(condition.text)`"
        case .increases(let event, let field, let step):
            "\(words(event)): `\(field)` rises" + (step.map { " by \($0)" } ?? "")
        case .sequence(let name): "the sequence \(name)"
        case .reply(let event, let expected, let limit):
            "after \(words(event)) comes \(words(expected)) within \(seconds(limit))"
        case .period(let event, let period, let tolerance):
            "\(words(event)) every \(seconds(period)), ± \(seconds(tolerance))"
        case .order(let event, let needed): "\(words(event)) needs \(words(needed)) before it"
        case .never(let event, let before): "no \(words(event)) after \(words(before))"
        case .checksums: "every checksum in a value or a message"
        case .code: "the plugin's code"
        case .twin: "a test that knows the device's state"
        case .oracle(let name): "the plugin's oracle: `\(name)`"
        }
    }

    private static func words(_ event: EventPattern) -> String {
        "`\(event.words)`" + (event.condition.map { " with `\($0.text)`" } ?? "")
    }

    static func vectors(_ profile: Profile) -> String {
        if profile.vectors.isEmpty { return "" }
        let rows = profile.vectors.map { vector in
            let meaning =
                switch vector.expectation {
                case .value(let value), .decoded(let value): "`\(value.yaml)`"
                case .error(let text): "refused: \(text)"
                }
            let bytes = vector.bytes.isEmpty ? "(none)" : "`\(hex(vector.bytes))`"
            return [vector.id, link(vector.type), bytes, meaning, vector.doc ?? ""]
        }
        return "## Examples\n\n" + MarkdownTable(["", "Type", "Bytes", "Value", ""], rows).text
    }

    private static func names(_ names: [String]) -> String {
        names.map { "`\($0)`" }.joined(separator: ", ")
    }

    private static func seconds(_ time: Double) -> String {
        time < 1 ? "\(word(time * 1000)) ms" : "\(word(time)) s"
    }

    private static func word(_ number: Double) -> String { Int(exactly: number).map(String.init) ?? "\(number)" }
}

extension StreamFraming {
    /// Description of the framing.
    fileprivate var words: String {
        var words: [String] = []
        if !start.isEmpty { words.append("begins with \(ProtocolPage.digits(start))") }
        switch length {
        case .fixed(let bytes)?: words.append("has \(bytes) byte\(bytes == 1 ? "" : "s")")
        case .field(let field)?: words.append("has as many bytes as \(field.words)")
        case nil: break
        }
        if !end.isEmpty { words.append("ends with \(ProtocolPage.digits(end))") }
        switch escape?.form {
        case .xor(let mask)?:
            words.append(
                "after \(ProtocolPage.digits([escape?.byte ?? 0])) bytes are xored with \(ProtocolPage.digits([mask]))")
        case .codes(let codes)?:
            let pairs = codes.sorted { $0.key < $1.key }.map { code, byte in
                "\(ProtocolPage.digits([escape?.byte ?? 0, code])) is \(ProtocolPage.digits([byte]))"
            }
            words.append(pairs.joined(separator: ", "))
        case nil: break
        }
        return words.joined(separator: ", ")
    }
}

extension StreamFraming.LengthField {
    fileprivate var words: String {
        let number: String
        switch form {
        case .unsigned(let isBigEndian): number = "u\(8 * size)\(isBigEndian && size > 1 ? ", big-endian," : "")"
        case .digits(let base): number = "\(size) \(base == 16 ? "hexadecimal" : "decimal") digits"
        }
        return "\(number) at offset \(offset) says" + (addend == 0 ? "" : ", and \(addend) more")
    }
}
