import PluginKit

extension ConnectionParameters {
    /// Whether interval, latency and timeout are each in their range (Vol 6, Part B, 4.5.1 and 4.5.2).
    var isInRange: Bool {
        (6...3200).contains(interval) && latency <= 499 && (10...3200).contains(timeout)
    }

    /// Whether the timeout lets the peripheral leave out what it may: more than (1 + latency) x interval x 2
    /// (Vol 6, Part B, 4.5.2). The timeout counts 10 ms, the interval 1.25 ms.
    var isTimeoutLongEnough: Bool {
        Int(timeout) * 8 > (1 + Int(latency)) * Int(interval) * 2
    }

    var text: String { "interval \(interval), latency \(latency), timeout \(timeout)" }
}
