import Captures

extension OpenConnection {
    /// Index of a connection in `Tracker.openConnections`. Another connection gets it after this one has closed.
    struct Index: Hashable, Strideable, Sendable {
        let rawValue: Int

        @inline(__always)
        init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Indices of all directions of the connection.
        var directions: ClosedRange<DirectionIndex> {
            DirectionIndex(self, .unknown)...DirectionIndex(self, .received)
        }

        func distance(to other: Self) -> Int { other.rawValue - rawValue }
        func advanced(by distance: Int) -> Self { Self(rawValue: rawValue + distance) }
    }
}

/// Index of a direction of an open connection in `Tracker.directions` and `Tracker.summaries`.
struct DirectionIndex: Hashable, Strideable, Sendable {
    let rawValue: Int

    private init(rawValue: Int) {
        self.rawValue = rawValue
    }

    @inline(__always)
    init(_ connection: OpenConnection.Index, _ direction: Direction) {
        rawValue = Self.count * connection.rawValue + Int(direction.rawValue)
    }

    /// Number of directions of a connection: unknown, sent and received.
    @inline(__always)
    static var count: Int { 3 }

    func distance(to other: Self) -> Int { other.rawValue - rawValue }
    func advanced(by distance: Int) -> Self { Self(rawValue: rawValue + distance) }
}

/// State of one direction of an open connection, in an array with the directions of all of them.
protocol DirectionElement {}

extension DirectionState: DirectionElement {}
extension DirectionSummary: DirectionElement {}

// Typed subscripts: every frame passes through them, so they are inlined and change elements in place.

extension Array where Element == OpenConnection {
    subscript(index: OpenConnection.Index) -> OpenConnection {
        @inline(__always)
        get { self[index.rawValue] }
        @inline(__always)
        _modify { yield &self[index.rawValue] }
    }
}

extension Array where Element: DirectionElement {
    subscript(index: DirectionIndex) -> Element {
        @inline(__always)
        get { self[index.rawValue] }
        @inline(__always)
        _modify { yield &self[index.rawValue] }
    }

    subscript(connection: OpenConnection.Index, direction: Direction) -> Element {
        @inline(__always)
        get { self[DirectionIndex(connection, direction).rawValue] }
        @inline(__always)
        _modify { yield &self[DirectionIndex(connection, direction).rawValue] }
    }

    /// The elements of all directions of a connection.
    subscript(connection: OpenConnection.Index) -> ArraySlice<Element> {
        self[connection.directions.lowerBound.rawValue...connection.directions.upperBound.rawValue]
    }
}
