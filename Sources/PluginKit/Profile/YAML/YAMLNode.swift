/// A node of a YAML document, with its place; scalars are texts, whatever YAML's own rules would make of them.
struct YAMLNode {
    var content: Content
    var place: SourcePlace
    /// The key whose value it is, or whose list it stands in; empty for the document.
    var label: String

    indirect enum Content {
        case scalar(Scalar)
        case list([YAMLNode])
        /// In the order of the document; a key stands there once.
        case mapping([Entry])
    }

    /// A text, and how it was written.
    struct Scalar {
        var text: String
        /// Neither in quotes nor in a block: only such texts are numbers, truth values or nothing.
        var isPlain: Bool
        /// Where the text itself begins, behind a quote or the sign of a block.
        var start: SourcePlace
    }

    /// A key and its value.
    struct Entry {
        var key: Scalar
        var place: SourcePlace
        var value: YAMLNode
    }

    /// The scalar; nil for lists and mappings.
    var scalar: Scalar? {
        if case .scalar(let scalar) = content { scalar } else { nil }
    }

    /// Whether nothing stands there: no text at all, `~` or `null`.
    var isNothing: Bool { scalar?.isNothing ?? false }

    /// What was found there, for messages.
    var described: String {
        switch content {
        case .scalar(let scalar): scalar.described
        case .list: "a list"
        case .mapping: "a mapping"
        }
    }
}

extension YAMLNode.Scalar {
    /// Whether nothing stands there: no text at all, `~` or `null`.
    var isNothing: Bool { isPlain && ["", "~", "null"].contains(text) }

    /// What was found there, for messages: at most 40 characters of it.
    var described: String {
        if isNothing { return "nothing" }
        let line = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        let shown = line.count > 40 || line != text ? "\(line.prefix(40))…" : line
        return isPlain ? "\"\(shown)\"" : "the text \"\(shown)\""
    }
}
