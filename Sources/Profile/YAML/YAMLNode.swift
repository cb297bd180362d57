/// A node of a YAML document, with its place; scalars are texts, whatever YAML's own rules would make of them.
public struct YAMLNode: Sendable {
    public var content: Content
    public var place: SourcePlace
    /// The key whose value it is, or whose list it stands in; empty for the document.
    public var label: String

    public indirect enum Content: Sendable {
        case scalar(Scalar)
        case list([YAMLNode])
        /// In the order of the document; a key stands there once.
        case mapping([Entry])
    }

    /// A text, and how it was written.
    public struct Scalar: Sendable {
        public var text: String
        /// Neither in quotes nor in a block: only such texts are numbers, truth values or nothing.
        public var isPlain: Bool
        /// Where the text itself begins, behind a quote or the sign of a block.
        public var start: SourcePlace
    }

    /// A key and its value.
    public struct Entry: Sendable {
        public var key: Scalar
        public var place: SourcePlace
        public var value: YAMLNode
    }

    /// The scalar; nil for lists and mappings.
    public var scalar: Scalar? {
        if case .scalar(let scalar) = content { scalar } else { nil }
    }

    /// Whether nothing stands there: no text at all, `~` or `null`.
    public var isNothing: Bool { scalar?.isNothing ?? false }

    /// What was found there, for messages.
    public var described: String {
        switch content {
        case .scalar(let scalar): scalar.described
        case .list: "a list"
        case .mapping: "a mapping"
        }
    }
}

extension YAMLNode.Scalar {
    /// Whether nothing stands there: no text at all, `~` or `null`.
    public var isNothing: Bool { isPlain && ["", "~", "null"].contains(text) }

    /// What was found there, for messages: at most 40 characters of it.
    public var described: String {
        if isNothing { return "nothing" }
        let line = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        let shown = line.count > 40 || line != text ? "\(line.prefix(40))…" : line
        return isPlain ? "\"\(shown)\"" : "the text \"\(shown)\""
    }
}
