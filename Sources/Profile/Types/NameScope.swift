/// What the names of a structure's fields mean, for the expressions of the fields after them.
final class NameScope {
    struct Entry {
        enum Meaning {
            /// A number or a Boolean.
            case value
            /// A text, bytes: nothing that a value's own conditions compute with.
            case other
            /// Fields within it, or parts.
            case structure(NameScope)
            /// Elements, each a value or a structure.
            indirect case list(Entry?)
        }

        /// The step that reads it, or begins the list.
        var step: Int
        var meaning: Meaning
        /// Plans of the lists that it lies in.
        var lists: [Int32]
    }

    var entries: [String: Entry] = [:]
    private let parent: NameScope?

    init(parent: NameScope?) {
        self.parent = parent
    }

    /// The entry of a name here or around here.
    func find(_ name: String) -> Entry? {
        entries[name] ?? parent?.find(name)
    }

    /// The names here and around here.
    var all: [String] { Array(entries.keys) + (parent?.all ?? []) }
}
