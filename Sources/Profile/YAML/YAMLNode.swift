/// A node of a YAML document, with its place; scalars are texts, whatever YAML's own rules would make of them.
package struct YAMLNode: Sendable {
    package var content: Content
    package var place: SourcePlace
    /// The key whose value it is, or whose list it stands in; empty for the document.
    package var label: String

    package indirect enum Content: Sendable {
        case scalar(Scalar)
        case list([YAMLNode])
        /// In the order of the document; a key stands there once.
        case mapping([Entry])
    }

    /// A text, and how it was written.
    package struct Scalar: Sendable {
        package var text: String
        /// Neither in quotes nor in a block: only such texts are numbers, truth values or nothing.
        package var isPlain: Bool
        /// Where the text itself begins, behind a quote or the sign of a block.
        package var start: SourcePlace
    }

    /// A key and its value.
    package struct Entry: Sendable {
        package var key: Scalar
        package var place: SourcePlace
        package var value: YAMLNode
    }

    /// The scalar; nil for lists and mappings.
    package var scalar: Scalar? {
        if case .scalar(let scalar) = content { scalar } else { nil }
    }

    /// Whether nothing stands there: no text at all, `~` or `null`.
    package var isNothing: Bool { scalar?.isNothing ?? false }

    /// What was found there, for messages.
    package var described: String {
        switch content {
        case .scalar(let scalar): scalar.described
        case .list: "a list"
        case .mapping: "a mapping"
        }
    }
}

extension YAMLNode.Scalar {
    /// Whether nothing stands there: no text at all, `~` or `null`.
    package var isNothing: Bool { isPlain && ["", "~", "null"].contains(text) }

    /// What was found there, for messages: at most 40 characters of it.
    package var described: String {
        if isNothing { return "nothing" }
        let line = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        let shown = line.count > 40 || line != text ? "\(line.prefix(40))…" : line
        return isPlain ? "\"\(shown)\"" : "the text \"\(shown)\""
    }
}
