package import Bytes

/// Where the host takes its random numbers from: the system, or, for runs that repeat, a seed.
package enum RandomSource: RandomNumberGenerator, Sendable {
    case system
    /// The same seed, the same numbers. Not for keys that protect anything.
    case repeatable(SplitMix64)
    /// These numbers in order, then zeros: for the specification's sample data.
    case sequence([UInt64])

    /// Numbers that follow from a seed.
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
