import Captures

/// A value for each direction of a connection.
struct PerDirection<Value: Sendable>: Sendable {
    /// By raw value of the direction.
    private var values: InlineArray<3, Value>

    /// Creates the same initial value for all directions.
    init(_ value: Value) {
        values = InlineArray(repeating: value)
    }

    subscript(direction: Direction) -> Value {
        @inline(__always)
        _read { yield values[Int(direction.rawValue)] }
        @inline(__always)
        _modify { yield &values[Int(direction.rawValue)] }
    }

    /// The values for sent PDUs, received PDUs and PDUs of an unknown sender.
    var all: [Value] { [self[.sent], self[.received], self[.unknown]] }
}
