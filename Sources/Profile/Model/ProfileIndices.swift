/// A rule by its place among the rules of a profile. The profile compiler makes a constant of each: `AQ-046` is `.aq046`.
public struct RuleIndex: Hashable, Comparable, Sendable, BitwiseCopyable {
    /// From 0, in the order of the file.
    public let rawValue: Int

    @inlinable
    public init(_ rawValue: Int) { self.rawValue = rawValue }

    @inlinable
    public static func < (one: RuleIndex, other: RuleIndex) -> Bool { one.rawValue < other.rawValue }
}

/// A characteristic by the place of its name among those of a profile. The profile compiler makes a constant of each:
/// `daily_goal` is `.dailyGoal`. Characteristics of several dialects may share a name.
public struct CharacteristicIndex: Hashable, Sendable, BitwiseCopyable {
    /// From 0, in the order of the file.
    public let rawValue: Int

    @inlinable
    public init(_ rawValue: Int) { self.rawValue = rawValue }
}

extension Profile {
    /// Names of all characteristics, each once, in the order of the file: a `CharacteristicIndex` is a place in it.
    package var characteristicNames: [String] {
        var known: Set<String> = []
        return services.flatMap(\.characteristics).map(\.name).filter { known.insert($0).inserted }
    }

    /// The rule with an id; nil where there is none.
    public func rule(_ id: String) -> RuleIndex? { rules.firstIndex { $0.id == id }.map { RuleIndex($0) } }
}
