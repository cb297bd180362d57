/// What a judge remembers of each connection that is open: mostly one, so that the last one is looked at first.
///
/// Judges ask it with every event: it is public so that it can be inlined where it is used.
public struct PerConnection<State> {
    @usableFromInline
    struct Entry {
        @usableFromInline
        let connection: Int
        /// Nil only while somebody changes it.
        @usableFromInline
        var state: State?

        @inlinable
        init(_ connection: Int, _ state: State?) {
            self.connection = connection
            self.state = state
        }
    }

    /// In the order of the connections.
    @usableFromInline
    var entries: [Entry] = []

    @inlinable
    public init() {}

    /// The state of a connection; nil before anything was remembered.
    @inlinable
    public subscript(connection: Int) -> State? {
        get {
            let place = place(of: connection)
            return isThere(connection, at: place) ? entries[place].state : nil
        }
        _modify {
            let place = place(of: connection)
            if !isThere(connection, at: place) { entries.insert(Entry(connection, nil), at: place) }
            yield &entries[place].state
            if entries[place].state == nil { entries.remove(at: place) }
        }
    }

    @inlinable
    public subscript(connection: Int, default state: @autoclosure () -> State) -> State {
        get { self[connection] ?? state() }
        _modify {
            let place = place(of: connection)
            if !isThere(connection, at: place) { entries.insert(Entry(connection, nil), at: place) }
            var value = entries[place].state.take() ?? state()
            yield &value
            entries[place].state = value
        }
    }

    /// Where a connection is, or would be.
    @inlinable
    func place(of connection: Int) -> Int {
        var place = entries.count
        guard place > 0, connection <= entries[place - 1].connection else { return place }
        place -= 1
        if connection == entries[place].connection { return place }
        var first = 0
        while first < place {
            let middle = (first + place) / 2
            if entries[middle].connection < connection { first = middle + 1 } else { place = middle }
        }
        return place
    }

    @inlinable
    func isThere(_ connection: Int, at place: Int) -> Bool {
        place < entries.count && entries[place].connection == connection
    }

    /// All of them, in the order of the connections.
    public var all: [(connection: Int, state: State)] {
        entries.compactMap { entry in entry.state.map { (connection: entry.connection, state: $0) } }
    }
}

extension PerConnection.Entry: Sendable where State: Sendable {}
extension PerConnection: Sendable where State: Sendable {}

extension Double {
    /// A time of so many seconds, for people: `4.25 s`, `300 ms`.
    public var secondsText: String {
        if self < 1 { return "\(Int((max(self, -1e9) * 1000).rounded())) ms" }
        let hundredths = (min(self, 1e15) * 100).rounded() / 100
        return hundredths == hundredths.rounded() ? "\(Int(hundredths)) s" : "\(hundredths) s"
    }
}
