/// Names of a structure's fields, for the expressions of later fields.
final class NameScope {
    struct Entry {
        enum Meaning {
            /// A number or a Boolean.
            case value
            /// A text or bytes, which expressions within a type cannot use.
            case other
            /// A structure or a number with bit parts.
            case structure(NameScope)
            /// A list whose elements are values or structures.
            indirect case list(Entry?)
        }

        /// The step that reads the field or begins the list.
        var step: Int
        var meaning: Meaning
        /// Plans of the enclosing lists.
        var lists: [Int32]
    }

    var entries: [String: Entry] = [:]
    private let parent: NameScope?

    init(parent: NameScope?) {
        self.parent = parent
    }

    /// Looks up a name in this scope and the enclosing ones.
    func find(_ name: String) -> Entry? {
        entries[name] ?? parent?.find(name)
    }

    /// All names in this scope and the enclosing ones.
    var all: [String] { Array(entries.keys) + (parent?.all ?? []) }
}
