import Captures
import Conversation

/// A value for each way in which the traffic of each ATT bearer of a connection goes.
///
/// Its accessors yield in one place each: one that does so in several is not inlined, and allocates its frame.
struct PerBearer<Value: Sendable>: Sendable {
    private let initial: Value
    /// Those of the fixed channel, then those of the enhanced bearers.
    private var values: [PerDirection<Value>]
    /// The numbers of the enhanced bearers; the tracker bounds how many are open.
    private var enhanced: [UInt8] = []

    /// Begins with the same value for all.
    init(_ value: Value) {
        initial = value
        values = [PerDirection(value)]
    }

    subscript(bearer: UInt8, direction: Direction) -> Value {
        @inline(__always)
        get { place(of: bearer).map { values[$0][direction] } ?? initial }
        @inline(__always)
        _modify {
            let place = place(of: bearer) ?? open(bearer)
            yield &values[place][direction]
        }
    }

    /// All of them.
    var all: [Value] {
        values[0].all + enhanced.sorted().flatMap { bearer in place(of: bearer).map { values[$0].all } ?? [] }
    }

    /// Takes out what there is of an enhanced bearer, which is closed.
    @discardableResult
    mutating func close(_ bearer: UInt8) -> [Value] {
        guard bearer != 0, let place = place(of: bearer) else { return [] }
        enhanced.remove(at: place - 1)
        return values.remove(at: place).all
    }

    /// Where the values of a bearer are; nil where it has none yet.
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
