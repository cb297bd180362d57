import Captures

/// A value for each way in which a connection's traffic goes.
struct PerDirection<Value: Sendable>: Sendable {
    /// By the directions' raw values.
    private var values: InlineArray<3, Value>

    /// Begins with the same value for all.
    init(_ value: Value) {
        values = InlineArray(repeating: value)
    }

    subscript(direction: Direction) -> Value {
        @inline(__always)
        _read { yield values[Int(direction.rawValue)] }
        @inline(__always)
        _modify { yield &values[Int(direction.rawValue)] }
    }

    /// All of them: what is sent, received, and of an unknown sender.
    var all: [Value] { [self[.sent], self[.received], self[.unknown]] }
}
