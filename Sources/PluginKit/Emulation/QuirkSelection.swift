import Bytes
import Profile

/// Which of the profile's quirks a twin shows: all, as the firmware is (`exact`), or none, as it was meant (`fixed`), with
/// exceptions.
public struct QuirkSelection: Hashable, Sendable {
    public enum Base: String, Hashable, Sendable, CaseIterable { case exact, fixed }

    public var base: Base
    /// Ids of quirks (`Q-02`) for which the opposite holds.
    public var exceptions: Set<String>

    public init(_ base: Base = .exact, except exceptions: Set<String> = []) {
        self.base = base
        self.exceptions = exceptions
    }

    /// Whether the device misbehaves so.
    public func shows(_ quirk: QuirkDefinition) -> Bool {
        (base == .exact && quirk.isUsual) != exceptions.contains(quirk.id)
    }
}

extension QuirkSelection {
    /// Why a text selects no quirks.
    public struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
        public var description: String
    }

    /// `exact`, `fixed`, or the quirks that are shown and no others: `Q-02,Q-07`; behind `exact` or `fixed`, those for
    /// which the opposite holds.
    public init(parsing text: String, known: [String]) throws(Fault) {
        var names = text.split(separator: ",").map { $0.trimming(" ") }
        self.init(.fixed)
        if let base = names.first.flatMap(Base.init(rawValue:)) {
            self.base = base
            names.removeFirst()
        } else if names.isEmpty {
            throw Fault(description: "expected exact, fixed or the ids of quirks, like Q-02,Q-07")
        }
        for name in names {
            guard known.contains(name) else {
                let meant = Advice.meant(name, among: known + Base.allCases.map(\.rawValue))
                let all = known.isEmpty ? "the device has none" : "there are \(Advice.list(known))"
                throw Fault(description: "there is no quirk \"\(name)\"\(meant.isEmpty ? "; \(all)" : meant)")
            }
            exceptions.insert(name)
        }
    }
}

extension Substring {
    /// Without a character at both ends.
    fileprivate func trimming(_ character: Character) -> String {
        var rest = self
        while rest.first == character { rest.removeFirst() }
        while rest.last == character { rest.removeLast() }
        return String(rest)
    }
}
