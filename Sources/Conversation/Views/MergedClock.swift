package import Bytes

/// The clock of an input of `merge`: a description of an interface.
///
/// For example `clock +3600.123456 s, drift -12.34 ppm, 1234 common PDUs, spread 0.085 ms` or `reference clock`.
package struct MergedClock: Sendable, Hashable {
    /// Time that was added to the input's first packet.
    package var offset: TimeSpan
    /// Parts per million by which the input's clock ran slow.
    package var drift: Double
    /// PDUs and starts of connections in both captures that the clocks are aligned by; 0 if the offset was given.
    package var common: Int
    /// Their median deviation from the aligned time, in milliseconds.
    package var spread: Double
    /// Whether other clocks were aligned to it.
    package var isReference = false

    package static let reference = MergedClock(offset: .zero, drift: 0, common: 0, spread: 0, isReference: true)

    private static let referenceText = "reference clock"

    package init(offset: TimeSpan, drift: Double, common: Int, spread: Double, isReference: Bool = false) {
        self.offset = offset
        self.drift = drift
        self.common = common
        self.spread = spread
        self.isReference = isReference
    }

    /// `+3600.123456 s`, rounded.
    package var offsetText: String {
        let microseconds = (offset.magnitude + TimeSpan(nanoseconds: 500)).nanoseconds / 1000
        let (seconds, fraction) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        return "\(offset < .zero ? "-" : "+")\(seconds).\(String(fraction + 1_000_000).dropFirst()) s"
    }

    package var description: String {
        if isReference { return Self.referenceText }
        let start = "clock \(offsetText)"
        guard common > 0 else { return "\(start), as given" }
        return "\(start), drift \(Self.signed(drift, 2)) ppm, \(common) common PDUs, spread \(spread.text(fixed: 3)) ms"
    }

    /// Reads a description; nil for those of others.
    package init?(description: String) {
        if description == Self.referenceText {
            self = .reference
            return
        }
        let parts = description.split(separator: ",").map { $0.split(separator: " ").map(String.init) }
        guard let clock = parts.first, clock.count == 3, clock[0] == "clock", let offset = Double(clock[1]),
            offset.isFinite
        else { return nil }
        if parts.count == 2, parts[1] == ["as", "given"] {
            self.init(offset: TimeSpan(clamping: offset), drift: 0, common: 0, spread: 0)
            return
        }
        guard parts.count == 4, parts[1].count == 3, parts[1][0] == "drift", let drift = Double(parts[1][1]),
            parts[2].count == 3, let common = Int(parts[2][0]), common > 0, parts[3].count == 3,
            parts[3][0] == "spread", let spread = Double(parts[3][1]), drift.isFinite, spread.isFinite
        else { return nil }
        self.init(offset: TimeSpan(clamping: offset), drift: drift, common: common, spread: spread)
    }

    private static func signed(_ number: Double, _ decimals: Int) -> String {
        (number < 0 ? "" : "+") + number.text(fixed: decimals)
    }
}
