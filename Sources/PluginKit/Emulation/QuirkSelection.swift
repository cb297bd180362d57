import Bytes
import Profile

/// The quirks that a twin shows: all, like the real firmware (`exact`), or none, like the intended behaviour (`fixed`),
/// with exceptions.
public struct QuirkSelection: Hashable, Sendable {
    public enum Base: String, Hashable, Sendable, CaseIterable { case exact, fixed }

    public var base: Base
    /// Ids of the quirks (`Q-02`) for which the opposite of the base holds.
    public var exceptions: Set<String>

    public init(_ base: Base = .exact, except exceptions: Set<String> = []) {
        self.base = base
        self.exceptions = exceptions
    }

    /// Whether the device shows the quirk.
    public func shows(_ quirk: QuirkDefinition) -> Bool {
        (base == .exact && quirk.isUsual) != exceptions.contains(quirk.id)
    }
}

extension QuirkSelection {
    /// An invalid quirk selection.
    public struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
        public var description: String
    }

    /// Parses `exact`, `fixed`, or the only quirks to show: `Q-02,Q-07`. After `exact` or `fixed`, the listed quirks
    /// are exceptions.
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
    /// Removes a character from both ends.
    fileprivate func trimming(_ character: Character) -> String {
        var rest = self
        while rest.first == character { rest.removeFirst() }
        while rest.last == character { rest.removeLast() }
        return String(rest)
    }
}
