/// Index of a rule within its profile. The profile compiler generates a constant for each: `AQ-046` is `.aq046`.
public struct RuleIndex: Hashable, Comparable, Sendable, BitwiseCopyable {
    /// From 0, in file order.
    public let rawValue: Int

    @inlinable
    public init(_ rawValue: Int) { self.rawValue = rawValue }

    @inlinable
    public static func < (one: RuleIndex, other: RuleIndex) -> Bool { one.rawValue < other.rawValue }
}

/// Index of a characteristic name within its profile. The profile compiler generates a constant for each: `daily_goal`
/// is `.dailyGoal`. Characteristics of several dialects may share a name.
public struct CharacteristicIndex: Hashable, Sendable, BitwiseCopyable {
    /// From 0, in file order.
    public let rawValue: Int

    @inlinable
    public init(_ rawValue: Int) { self.rawValue = rawValue }
}

extension Profile {
    /// Names of all characteristics, without duplicates, in file order. `CharacteristicIndex` refers to this list.
    package var characteristicNames: [String] {
        var known: Set<String> = []
        return services.flatMap(\.characteristics).map(\.name).filter { known.insert($0).inserted }
    }

    /// The rule with an id; nil if there is none.
    public func rule(_ id: String) -> RuleIndex? { rules.firstIndex { $0.id == id }.map { RuleIndex($0) } }
}
