import Profile

/// Generates constants for the rules, characteristics and times of a profile, so that a plugin's Swift code no longer
/// compiles after a rename.
struct SwiftNames {
    private let profile: Profile

    init(_ profile: Profile) {
        self.profile = profile
    }

    /// The enum by which twins and clients refer to characteristics.
    var characteristicNames: String {
        let names = profile.characteristicNames
        if names.isEmpty { return "" }
        let cases = names.map { "        case \(SwiftName.member($0)) = \(SwiftSource.literal($0))\n" }
        return """

                /// The characteristics, by their names in the profile.
                enum CharacteristicName: String, Sendable, CaseIterable {
            \(cases.joined())    }

            """
    }

    /// The enum of the profile's times; empty if there are none.
    var times: String {
        if profile.times.isEmpty { return "" }
        let constants = profile.times.map { time in
            let source = time.source.map { " \($0)." } ?? ""
            return """
                        /// \(SwiftName.sentence(time.doc))\(source)
                        static let \(SwiftName.member(time.name)) = \(time.seconds)

                """
        }
        return """

                /// The times of the device and its client, in seconds.
                enum Time {
            \(constants.joined())    }

            """
    }

    var text: String {
        let characteristics = profile.characteristicNames
        return constants("RuleIndex", profile.rules.map { (SwiftName.constant($0.id), $0.text) })
            + constants(
                "CharacteristicIndex", characteristics.map { (SwiftName.member($0), "`\($0)`") },
                [
                    "/// The name in the profile.",
                    "var name: String { Self.names[rawValue] }",
                    "private static let names = [\(characteristics.map(SwiftSource.literal).joined(separator: ", "))]",
                ])
    }

    /// An extension of an index type with a constant for each entry.
    private func constants(
        _ type: String, _ entries: [(name: String, comment: String)], _ members: [String] = []
    ) -> String {
        if entries.isEmpty { return "" }
        let lines = entries.enumerated().flatMap { index, entry in
            [
                "/// \(entry.comment.split(whereSeparator: \.isNewline).joined(separator: " "))",
                "static var \(entry.name): \(type) { \(type)(\(index)) }",
            ]
        }
        return "extension \(type) {\n" + (lines + members).map { "    \($0)\n" }.joined() + "}\n\n"
    }
}
