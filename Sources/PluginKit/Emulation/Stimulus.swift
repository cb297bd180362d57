/// Something that happens to a device: `sip` of 50 ml.
public struct Stimulus: Hashable, Sendable {
    /// A name of the plugin's `StimulusDefinition`s.
    public var name: String
    /// In the definition's unit; nil where the definition has no amount.
    public var amount: Double?

    public init(_ name: String, _ amount: Double? = nil) {
        self.name = name
        self.amount = amount
    }
}

/// What can happen to a plugin's devices: a step that scenarios may have, and a key of a running twin.
public struct StimulusDefinition: Sendable {
    /// In lower case with underscores: `place_bottle`.
    public var name: String
    /// What it does, as a sentence.
    public var title: String
    /// What its amount may be; nil where it has none.
    public var amount: Amount?
    /// Does it with the amount's usual value when this key is pressed; nil for none.
    public var key: Character?

    public struct Amount: Sendable {
        /// What a scenario writes behind the number: `ml`. Empty for a bare number.
        package var unit: String
        public var range: ClosedRange<Double>
        /// Taken where none is given; nil where one has to be.
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

    /// The amount to go by: the one that is given, kept within its range, or the usual one; 0 where it has none.
    public func taken(_ given: Double?) -> Double {
        guard let amount else { return 0 }
        let (lowest, highest) = (amount.range.lowerBound, amount.range.upperBound)
        let number = given ?? amount.usual ?? lowest
        return number.isNaN ? lowest : min(max(number, lowest), highest)
    }
}
