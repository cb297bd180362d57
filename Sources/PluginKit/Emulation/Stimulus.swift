/// A stimulus of a device: `sip` of 50 ml.
public struct Stimulus: Hashable, Sendable {
    /// The name of one of the plugin's `StimulusDefinition`s.
    public var name: String
    /// The amount, in the definition's unit; nil if the definition has none.
    public var amount: Double?

    public init(_ name: String, _ amount: Double? = nil) {
        self.name = name
        self.amount = amount
    }
}

/// A stimulus that a plugin defines for its devices: a possible step of scenarios and a key of a running twin.
public struct StimulusDefinition: Sendable {
    /// Name, in lower case with underscores: `place_bottle`.
    public var name: String
    /// Effect of the stimulus, as a sentence.
    public var title: String
    /// Permitted amounts; nil if it has no amount.
    public var amount: Amount?
    /// Key that triggers the stimulus with its usual amount; nil for none.
    public var key: Character?

    public struct Amount: Sendable {
        /// Unit that scenarios write after the number: `ml`. Empty for a bare number.
        package var unit: String
        public var range: ClosedRange<Double>
        /// Default amount; nil if an amount is required.
        public var usual: Double?

        public init(_ unit: String, in range: ClosedRange<Double>, usual: Double? = nil) {
            self.unit = unit
            self.range = range
            self.usual = usual
        }

        /// `50 ml`.
        public func text(_ number: Double) -> String {
            unit.isEmpty ? Self.digits(number) : "\(Self.digits(number)) \(unit)"
        }

        /// A number without a unit: `50`, `0.5`.
        public static func digits(_ number: Double) -> String {
            Int(exactly: number).map(String.init) ?? String(number)
        }
    }

    public init(_ name: String, _ title: String, amount: Amount? = nil, key: Character? = nil) {
        self.name = name
        self.title = title
        self.amount = amount
        self.key = key
    }

    /// The effective amount: `given`, clamped to the range, or the usual amount; 0 for a stimulus without an amount.
    public func taken(_ given: Double?) -> Double {
        guard let amount else { return 0 }
        let (lowest, highest) = (amount.range.lowerBound, amount.range.upperBound)
        let number = given ?? amount.usual ?? lowest
        return number.isNaN ? lowest : min(max(number, lowest), highest)
    }
}
