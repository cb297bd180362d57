/// What a judge remembers of each connection that is open.
///
/// Judges ask it with every event: it is public so that it can be inlined where it is used.
public struct PerConnection<State> {
    @usableFromInline
    var states: [Int: State] = [:]

    @inlinable
    public init() {}

    /// The state of a connection; nil before anything was remembered.
    @inlinable
    public subscript(connection: Int) -> State? {
        get { states[connection] }
        set { states[connection] = newValue }
        _modify { yield &states[connection] }
    }

    @inlinable
    public subscript(connection: Int, default state: @autoclosure () -> State) -> State {
        get { states[connection] ?? state() }
        set { states[connection] = newValue }
        _modify { yield &states[connection, default: state()] }
    }

    /// All of them, in the order of the connections.
    package var all: [(connection: Int, state: State)] {
        states.sorted { $0.key < $1.key }.map { (connection: $0.key, state: $0.value) }
    }
}

extension PerConnection: Sendable where State: Sendable {}

extension Double {
    /// A time of so many seconds, for people: `4.25 s`, `300 ms`.
    package var secondsText: String {
        if self < 1 { return "\(Int((max(self, -1e9) * 1000).rounded())) ms" }
        let hundredths = (min(self, 1e15) * 100).rounded() / 100
        return hundredths == hundredths.rounded() ? "\(Int(hundredths)) s" : "\(hundredths) s"
    }
}
