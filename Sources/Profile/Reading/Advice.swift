import Bytes

/// What messages say to those who misspelled something.
package enum Advice {
    /// `; did you mean "weight"?`, or nothing where no name is near.
    package static func meant(_ name: String, among candidates: [String]) -> String {
        let near = Spelling.nearest(to: name, among: Set(candidates).sorted()).map { "\"\($0)\"" }
        return Spelling.suggestion(near, last: " or ")
    }

    /// `"a", "b" or "c"`, in the order given.
    package static func list(_ names: [String]) -> String {
        guard let last = names.last, names.count > 1 else { return names.first ?? "" }
        return "\(names.dropLast().joined(separator: ", ")) or \(last)"
    }
}
