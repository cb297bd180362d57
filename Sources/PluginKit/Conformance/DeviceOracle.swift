/// Knows what a device would do: it is told all that the client does and says what the device sends. A twin of the
/// device is one; a judge that has one compares what it predicts with what the capture shows.
package protocol DeviceOracle: Sendable {
    /// Takes the next event, and predicts what the device sends next because of it.
    mutating func predict(after event: borrowing ConformanceEvent) -> [PredictedValue]
}

/// A value that a device is predicted to send.
package struct PredictedValue: Sendable {
    /// `read`, `notify` or `indicate`.
    package var operation: OperationKind
    /// Name of the characteristic in the profile.
    package var characteristic: String
    package var value: Value
    /// When, in nanoseconds since 1970.
    package var time: ClosedRange<Int64>

    package init(
        _ operation: OperationKind, of characteristic: String, _ value: Value, within time: ClosedRange<Int64>
    ) {
        self.operation = operation
        self.characteristic = characteristic
        self.value = value
        self.time = time
    }
}
