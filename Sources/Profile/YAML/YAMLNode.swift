/// A node of a YAML document, with its position. Scalars are texts, regardless of YAML's implicit types.
package struct YAMLNode: Sendable {
    package var content: Content
    package var place: SourcePlace
    /// The key of the node or of the list that contains it; empty for the document.
    package var label: String

    package indirect enum Content: Sendable {
        case scalar(Scalar)
        case list([YAMLNode])
        /// In document order; keys are unique.
        case mapping([Entry])
    }

    /// A text with its notation.
    package struct Scalar: Sendable {
        package var text: String
        /// Neither quoted nor a block scalar. Only plain scalars can be numbers, Booleans or null.
        package var isPlain: Bool
        /// Start of the text itself, after a quote or a block indicator.
        package var start: SourcePlace
    }

    package struct Entry: Sendable {
        package var key: Scalar
        package var place: SourcePlace
        package var value: YAMLNode
    }

    /// The scalar; nil for lists and mappings.
    package var scalar: Scalar? {
        if case .scalar(let scalar) = content { scalar } else { nil }
    }

    /// Whether the node is null: empty, `~` or `null`.
    package var isNothing: Bool { scalar?.isNothing ?? false }

    /// Description of the content for diagnostics.
    package var described: String {
        switch content {
        case .scalar(let scalar): scalar.described
        case .list: "a list"
        case .mapping: "a mapping"
        }
    }
}

extension YAMLNode.Scalar {
    /// Whether the node is null: empty, `~` or `null`.
    package var isNothing: Bool { isPlain && ["", "~", "null"].contains(text) }

    /// Description of the content for diagnostics, truncated to 40 characters.
    package var described: String {
        if isNothing { return "nothing" }
        let line = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        let shown = line.count > 40 || line != text ? "\(line.prefix(40))…" : line
        return isPlain ? "\"\(shown)\"" : "the text \"\(shown)\""
    }
}
