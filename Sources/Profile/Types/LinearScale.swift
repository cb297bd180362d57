/// A scale with integer coefficients, so that steps of a tenth are exact: value = (raw · factor + bias) / divisor.
struct LinearScale: Hashable, Sendable {
    let factor: Double
    let bias: Double
    let divisor: Double

    /// 2^53: scales with coefficients beyond the exact range of a double are rejected.
    private static let limit = 9_007_199_254_740_992.0

    /// Nil if the scale maps everything to one value, or cannot be expressed with integer coefficients.
    init?(_ scale: Scale) {
        guard scale.m != 0, abs(scale.d) <= 15, abs(scale.b) <= 50 else { return nil }
        let power = scale.b < 0 ? Self.power(of: 2, -scale.b) : 1
        // Find the number of decimals of the offset and of m · 10^d.
        for digits in 0...15 where digits + scale.d >= 0 {
            let ten = Self.power(of: 10, digits)
            var factor = scale.m * Self.power(of: 10, digits + scale.d)
            let bias = (scale.offset * ten).rounded()
            guard Self.isWhole(factor), Self.isWhole(scale.offset * ten) else { continue }
            factor = factor.rounded() * (scale.b > 0 ? Self.power(of: 2, scale.b) : 1)
            guard [factor, bias * power, ten * power].allSatisfy({ abs($0) <= Self.limit }) else { return nil }
            self.factor = factor
            self.bias = bias * power
            divisor = ten * power
            return
        }
        return nil
    }

    func value(of raw: Double) -> Double { (raw * factor + bias) / divisor }

    /// The raw number with the nearest value.
    func raw(of value: Double) -> Double { exactRaw(of: value).rounded() }

    /// The range of raw numbers whose values lie within a range.
    func raw(of range: ClosedRange<Double>) -> ClosedRange<Double> {
        let bounds = [exactRaw(of: range.lowerBound), exactRaw(of: range.upperBound)].sorted()
        return Self.settled(bounds[0], .up)...max(Self.settled(bounds[0], .up), Self.settled(bounds[1], .down))
    }

    private func exactRaw(of value: Double) -> Double { (value * divisor - bias) / factor }

    /// Rounds by a rule, or to nearest if the number is already an integer within double precision.
    private static func settled(_ number: Double, _ rule: FloatingPointRoundingRule) -> Double {
        isWhole(number) ? number.rounded() : number.rounded(rule)
    }

    private static func isWhole(_ number: Double) -> Bool {
        abs(number - number.rounded()) <= 1e-9 * max(1, abs(number))
    }

    private static func power(of base: Double, _ exponent: Int) -> Double {
        (0..<exponent).reduce(1.0) { power, _ in power * base }
    }
}

extension Scale {
    /// The factor m · 10^d · 2^b.
    public var step: Double {
        guard let linear = LinearScale(self) else { return m }
        return linear.factor / linear.divisor
    }
}
