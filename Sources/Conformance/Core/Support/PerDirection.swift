import Captures

/// A value for each way in which a connection's traffic goes.
struct PerDirection<Value: Sendable>: Sendable {
    private var sent: Value
    private var received: Value
    /// For traffic whose sender the capture does not show.
    private var unknown: Value

    /// Begins with the same value for all.
    init(_ value: Value) {
        (sent, received, unknown) = (value, value, value)
    }

    subscript(direction: Direction) -> Value {
        get {
            switch direction {
            case .sent: sent
            case .received: received
            case .unknown: unknown
            }
        }
        _modify {
            switch direction {
            case .sent: yield &sent
            case .received: yield &received
            case .unknown: yield &unknown
            }
        }
    }

    /// All of them.
    var all: [Value] { [sent, received, unknown] }
}
