import Glibc

/// Radio path between two controllers, symmetric.
package struct Path: Hashable, Sendable {
    /// Path loss in dB: 40 at one metre, 80 across a hall.
    package var attenuation: Int
    /// Probability of packet loss, 0 to 1.
    package var loss: Double
    /// Delay of connection events, in nanoseconds.
    package var latency: Int64

    package init(attenuation: Int = 50, loss: Double = 0, latency: Int64 = 0) {
        self.attenuation = attenuation
        self.loss = min(max(loss, 0), 1)
        self.latency = max(latency, 0)
    }

    /// Path loss in free space at 2.4 GHz, in dB: 40 at one metre, 20 more at ten times the distance. Walls and bodies
    /// add to it.
    package static func attenuation(atMetres distance: Double) -> Int {
        Int((40 + 20 * log10(min(max(distance, 0.1), 1e6))).rounded())
    }

    /// Out of range: nothing is received.
    package static let outOfRange = Path(attenuation: 200)

    /// Receiver sensitivity, in dBm.
    static let sensitivity = -95

    /// Received signal strength for a transmit power of `power`, in dBm; nil if it is too weak.
    func strength(ofSignal power: Int8) -> Int? {
        let strength = Int(power) - attenuation
        return strength >= Self.sensitivity ? strength : nil
    }
}
