package import Bytes

/// Source of random numbers: the system, or a seed for reproducible runs.
package enum RandomSource: RandomNumberGenerator, Sendable {
    case system
    /// Reproducible numbers from a seed. Not for keys that protect anything.
    case repeatable(SplitMix64)
    /// The given numbers, then zeros: for the specification's sample data.
    case sequence([UInt64])

    /// Reproducible numbers from a seed.
    package static func seeded(_ seed: UInt64) -> RandomSource { .repeatable(SplitMix64(seed: seed)) }

    package mutating func next() -> UInt64 {
        switch self {
        case .system:
            var system = SystemRandomNumberGenerator()
            return system.next()
        case .repeatable(var generator):
            defer { self = .repeatable(generator) }
            return generator.next()
        case .sequence(let numbers):
            self = .sequence(Array(numbers.dropFirst()))
            return numbers.first ?? 0
        }
    }

    /// 128 random bits.
    mutating func next128() -> UInt128 {
        let high = next()
        return UInt128(high) << 64 | UInt128(next())
    }
}
