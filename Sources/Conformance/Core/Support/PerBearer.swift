import Captures
import Conversation

/// A value for each way in which the traffic of each ATT bearer of a connection goes.
struct PerBearer<Value: Sendable>: Sendable {
    private let initial: Value
    private var fixed: PerDirection<Value>
    /// Those of enhanced bearers, by their numbers; the tracker bounds how many are open.
    private var enhanced: [UInt8: PerDirection<Value>] = [:]

    /// Begins with the same value for all.
    init(_ value: Value) {
        initial = value
        fixed = PerDirection(value)
    }

    subscript(bearer: UInt8, direction: Direction) -> Value {
        @inline(__always)
        _read {
            if bearer == 0 {
                yield fixed[direction]
            } else {
                yield enhanced[bearer]?[direction] ?? initial
            }
        }
        @inline(__always)
        _modify {
            if bearer == 0 {
                yield &fixed[direction]
            } else {
                let beginning = PerDirection(initial)
                yield &enhanced[bearer, default: beginning][direction]
            }
        }
    }

    /// All of them.
    var all: [Value] { fixed.all + enhanced.keys.sorted().flatMap { enhanced[$0]?.all ?? [] } }

    /// Takes out what there is of an enhanced bearer, which is closed.
    @discardableResult
    mutating func close(_ bearer: UInt8) -> [Value] { enhanced.removeValue(forKey: bearer)?.all ?? [] }
}
