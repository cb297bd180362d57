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
