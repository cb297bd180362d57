import Captures
import Conversation

/// A value for each direction of each ATT bearer of a connection.
///
/// Each accessor yields in a single place: an accessor with several yields is not inlined, and allocates its coroutine
/// frame.
struct PerBearer<Value: Sendable>: Sendable {
    private let initial: Value
    /// The values of the fixed channel, then those of the enhanced bearers.
    private var values: [PerDirection<Value>]
    /// Numbers of the enhanced bearers; the tracker limits how many are open.
    private var enhanced: [UInt8] = []

    /// Creates the same initial value for all bearers and directions.
    init(_ value: Value) {
        initial = value
        values = [PerDirection(value)]
    }

    subscript(bearer: UInt8, direction: Direction) -> Value {
        @inline(__always)
        get {
            guard let place = place(of: bearer) else { return initial }
            return values[place][direction]
        }
        @inline(__always)
        _modify {
            let place = place(of: bearer) ?? open(bearer)
            yield &values[place][direction]
        }
    }

    var all: [Value] {
        values[0].all + enhanced.sorted().flatMap { bearer in place(of: bearer).map { values[$0].all } ?? [] }
    }

    /// Removes the values of a closed enhanced bearer and returns them.
    @discardableResult
    mutating func close(_ bearer: UInt8) -> [Value] {
        guard bearer != 0, let place = place(of: bearer) else { return [] }
        enhanced.remove(at: place - 1)
        return values.remove(at: place).all
    }

    /// Index of a bearer's values; nil if it has none.
    @inline(__always)
    private func place(of bearer: UInt8) -> Int? {
        bearer == 0 ? 0 : enhanced.firstIndex(of: bearer).map { $0 + 1 }
    }

    private mutating func open(_ bearer: UInt8) -> Int {
        enhanced.append(bearer)
        values.append(PerDirection(initial))
        return values.count - 1
    }
}
