import PluginKit

extension ConnectionParameters {
    /// Whether interval, latency and timeout are each in range (Vol 6, Part B, 4.5.1 and 4.5.2).
    var isInRange: Bool {
        (6...3200).contains(interval) && latency <= 499 && (10...3200).contains(timeout)
    }

    /// Whether the timeout is long enough for the peripheral's latency: more than (1 + latency) x interval x 2 (Vol 6,
    /// Part B, 4.5.2). The unit of the timeout is 10 ms, that of the interval 1.25 ms.
    var isTimeoutLongEnough: Bool {
        Int(timeout) * 8 > (1 + Int(latency)) * Int(interval) * 2
    }

    var text: String { "interval \(interval), latency \(latency), timeout \(timeout)" }
}
