/// How well one controller hears another; the same both ways.
package struct Path: Hashable, Sendable {
    /// What the way takes of the signal, in dB: 40 at a metre, 80 at the end of a hall.
    package var attenuation: Int
    /// How many packets are lost by chance, 0 to 1.
    package var loss: Double
    /// By how much the exchange on a connection comes later than it was due, in nanoseconds.
    package var latency: Int64

    package init(attenuation: Int = 50, loss: Double = 0, latency: Int64 = 0) {
        self.attenuation = attenuation
        self.loss = min(max(loss, 0), 1)
        self.latency = max(latency, 0)
    }

    /// Out of range: nothing is heard.
    package static let outOfRange = Path(attenuation: 200)

    /// The weakest signal that a receiver makes out, in dBm.
    static let sensitivity = -95

    /// The strength at which a signal of `power` dBm arrives, in dBm; nil where it is too weak.
    func strength(ofSignal power: Int8) -> Int? {
        let strength = Int(power) - attenuation
        return strength >= Self.sensitivity ? strength : nil
    }
}
