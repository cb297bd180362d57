import Captures
import Conversation

/// A value for each way in which the traffic of each ATT bearer of a connection goes.
///
/// Its accessors yield in one place each: one that does so in several is not inlined, and allocates its frame.
struct PerBearer<Value: Sendable>: Sendable {
    private let initial: Value
    /// Three for each bearer, by the directions' raw values; first those of the fixed channel.
    private var values: [Value]
    /// The enhanced bearers, in the order of their values; the tracker bounds how many are open.
    private var enhanced: [UInt8] = []

    /// Begins with the same value for all.
    init(_ value: Value) {
        initial = value
        values = Array(repeating: value, count: 3)
    }

    subscript(bearer: UInt8, direction: Direction) -> Value {
        @inline(__always)
        get { first(of: bearer).map { values[$0 + Int(direction.rawValue)] } ?? initial }
        @inline(__always)
        _modify {
            let first = first(of: bearer) ?? open(bearer)
            yield &values[first + Int(direction.rawValue)]
        }
    }

    /// All of them: what is sent, received, and of an unknown sender.
    var all: [Value] {
        values(from: 0) + enhanced.sorted().flatMap { bearer in first(of: bearer).map { values(from: $0) } ?? [] }
    }

    /// Takes out what there is of an enhanced bearer, which is closed.
    @discardableResult
    mutating func close(_ bearer: UInt8) -> [Value] {
        guard let place = enhanced.firstIndex(of: bearer) else { return [] }
        let first = 3 * (place + 1)
        let closed = values(from: first)
        values.removeSubrange(first..<(first + 3))
        enhanced.remove(at: place)
        return closed
    }

    /// Index of the first value of a bearer; nil for one that has none yet.
    @inline(__always)
    private func first(of bearer: UInt8) -> Int? {
        bearer == 0 ? 0 : enhanced.firstIndex(of: bearer).map { 3 * ($0 + 1) }
    }

    private mutating func open(_ bearer: UInt8) -> Int {
        enhanced.append(bearer)
        values += Array(repeating: initial, count: 3)
        return values.count - 3
    }

    private func values(from first: Int) -> [Value] {
        [Direction.sent, .received, .unknown].map { values[first + Int($0.rawValue)] }
    }
}
