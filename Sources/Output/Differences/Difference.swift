import Bytes

/// A difference between two connections, or between two captures.
package struct Difference: Hashable, Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        /// A connection of one capture that has no partner in the other.
        case connection
        case parameters
        case encryption
        case pairing
        case table
        /// The value that a procedure carries.
        case value
        /// The response of a procedure: a value, an error, none.
        case outcome
        /// Procedures of one side only.
        case only
        /// A procedure that comes at another place in the order.
        case order
        case duration
        case end
    }

    package var kind: Kind
    /// The procedure, or what else differs: `Write Request Battery Level`.
    package var subject: String
    /// First and last frame on each side; nil on a side that has nothing of it.
    package var a: ClosedRange<Int>?
    package var b: ClosedRange<Int>?
    package var fields: [FieldDifference]
    /// Procedures that the difference stands for.
    package var count: Int
    /// For durations: procedures that were compared.
    package var compared: Int?

    package init(
        _ kind: Kind, _ subject: String, a: ClosedRange<Int>? = nil, b: ClosedRange<Int>? = nil,
        _ fields: [FieldDifference] = [], count: Int = 1, compared: Int? = nil
    ) {
        (self.kind, self.subject, self.a, self.b) = (kind, subject, a, b)
        (self.fields, self.count, self.compared) = (fields, count, compared)
    }
}

/// A field with its text on each side; nil on a side without it.
package struct FieldDifference: Hashable, Sendable {
    package var name: String
    package var a: String?
    package var b: String?

    package init(_ name: String, _ a: String?, _ b: String?) {
        (self.name, self.a, self.b) = (name, a, b)
    }

    /// Fields listed of a difference.
    static let limit = 64

    /// The fields whose texts differ, in the order of the first side.
    static func between(_ a: [OutlinedField], _ b: [OutlinedField]) -> [FieldDifference] {
        let textsOfA = Dictionary(a.map { ($0.name, $0.text) }) { first, _ in first }
        let textsOfB = Dictionary(b.map { ($0.name, $0.text) }) { first, _ in first }
        var differences: [FieldDifference] = []
        for field in a where textsOfB[field.name] != field.text {
            differences.append(FieldDifference(field.name, field.text, textsOfB[field.name]))
        }
        for field in b where textsOfA[field.name] == nil {
            differences.append(FieldDifference(field.name, nil, field.text))
        }
        return Array(differences.prefix(limit))
    }
}

/// How captures are compared.
package struct ComparisonOptions: Sendable {
    /// The part of a duration by which another one may differ.
    package var tolerance = 0.2
    /// Numbers of connections that are compared with each other; empty to pair all of them by device and order.
    package var pairs: [ForcedPair] = []

    package init() {}

    /// Two connections that the user pairs, by their numbers: `1:2`.
    package struct ForcedPair: Hashable, Sendable {
        package var a: Int
        package var b: Int

        package init?(_ text: String) {
            let numbers = text.split(separator: ":", omittingEmptySubsequences: false)
            guard numbers.count == 2, let a = Self.number(numbers[0]), let b = Self.number(numbers[1]) else {
                return nil
            }
            (self.a, self.b) = (a, b)
        }

        private static func number(_ text: Substring) -> Int? {
            guard text.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(text), number > 0 else { return nil }
            return number
        }
    }

    /// Parses a tolerance: `20%`, `0.2`.
    package static func tolerance(_ text: String) -> Double? {
        let isPercentage = text.hasSuffix("%")
        guard let number = Double(isPercentage ? String(text.dropLast()).trimmingBlanks : text), number.isFinite,
            number >= 0, number <= 1e6
        else { return nil }
        return isPercentage ? number / 100 : number
    }
}

extension String {
    /// Without blanks at the end.
    fileprivate var trimmingBlanks: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
