/// What is replaced in a capture.
package enum RedactionKind: String, Sendable, CaseIterable {
    case address, name, text, key, encrypted, sensitive, unexplained, date, comment
    case interfaceName = "interface_name"
    /// Packets that a key has opened, and that are written as plain text.
    case decrypted

    /// What the kind counts, for people.
    package var title: String {
        switch self {
        case .address: "device addresses"
        case .name: "names"
        case .text: "other texts"
        case .key: "keys, and what helps to compute them"
        case .encrypted: "encrypted payloads"
        case .sensitive: "values that a profile marks as sensitive"
        case .unexplained: "bytes that nothing explains"
        case .date: "dates in values"
        case .comment: "comments removed"
        case .interfaceName: "names of interfaces and hosts removed"
        case .decrypted: "packets written as plain text"
        }
    }
}

/// How many replacements a capture got, by kind.
package struct RedactionCounts: Sendable, Hashable {
    private var counts: [RedactionKind: Int] = [:]

    package init() {}

    package subscript(kind: RedactionKind) -> Int {
        get { counts[kind] ?? 0 }
        set { counts[kind] = newValue }
    }
}
