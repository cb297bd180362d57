/// Where the host takes its random numbers from: the system, or, for runs that repeat, a seed.
package enum RandomSource: RandomNumberGenerator, Sendable {
    case system
    /// SplitMix64 (Steele, Lea and Flood, 2014): the same seed, the same numbers. Not for keys that protect anything.
    case seeded(UInt64)

    package mutating func next() -> UInt64 {
        guard case .seeded(let state) = self else {
            var system = SystemRandomNumberGenerator()
            return system.next()
        }
        let advanced = state &+ 0x9E37_79B9_7F4A_7C15
        self = .seeded(advanced)
        var mixed = advanced
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// 128 random bits.
    mutating func next128() -> UInt128 {
        let high = next()
        return UInt128(high) << 64 | UInt128(next())
    }
}
