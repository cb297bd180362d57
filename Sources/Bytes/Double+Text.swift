extension Double {
    /// The number with `decimals` decimals and without an exponent, for magnitudes up to 1e15.
    public func text(fixed decimals: Int) -> String {
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        let scaled = min(max((self * scale).rounded(), -1e15), 1e15)
        let (whole, part) = Int64(scaled.magnitude).quotientAndRemainder(dividingBy: Int64(scale))
        let digits = String(part)
        let fraction = decimals == 0 ? "" : "." + String(repeating: "0", count: decimals - digits.count) + digits
        return (scaled < 0 ? "-" : "") + "\(whole)\(fraction)"
    }
}
