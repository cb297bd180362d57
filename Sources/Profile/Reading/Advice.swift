import Bytes

/// Suggestions for diagnostics about unknown names.
package enum Advice {
    /// `; did you mean "weight"?`, or an empty string if no candidate is similar.
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
