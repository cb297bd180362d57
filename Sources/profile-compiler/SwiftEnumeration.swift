import Profile

/// Generates an enum for a named enumeration; a value without a name is kept as its number.
struct SwiftEnumeration: Equatable {
    private struct Case: Equatable {
        var value: UInt64
        var name: String
        var doc: String?
    }

    private let cases: [Case]

    /// The case for values without a name.
    private static let unnamed = "unnamed"

    /// Nil if there are no names, or if they cannot be cases of one enum.
    init?(_ cases: [EnumerationCase]) {
        self.cases = cases.map { Case(value: $0.value, name: SwiftName.member($0.name), doc: $0.doc) }
        let names = Set(self.cases.map(\.name))
        guard !cases.isEmpty, names.count == cases.count, !names.contains(Self.unnamed),
            Set(cases.map(\.value)).count == cases.count, cases.allSatisfy({ $0.value <= Int.max })
        else { return nil }
    }

    func lines(name: String) -> [String] {
        let declarations = cases.flatMap { entry in
            (entry.doc.map { ["    /// \(SwiftName.sentence($0))"] } ?? []) + ["    case \(entry.name)"]
        }
        return ["enum \(name): RawRepresentable, Codable, Hashable, Sendable {"] + declarations + [
            "    /// A number without a name.", "    case \(Self.unnamed)(Int)", "",
            "    init(rawValue: Int) {", "        switch rawValue {",
        ] + cases.map { "        case \($0.value): self = .\($0.name)" } + [
            "        default: self = .\(Self.unnamed)(rawValue)", "        }", "    }", "",
            "    var rawValue: Int {", "        switch self {",
        ] + cases.map { "        case .\($0.name): \($0.value)" } + [
            "        case .\(Self.unnamed)(let number): number", "        }", "    }", "",
            "    /// Whether the profile names the number.",
            "    var isNamed: Bool { if case .\(Self.unnamed) = self { false } else { true } }", "}",
        ]
    }
}
