/// The number of a version of a server's attribute table, in `AttributeTableStore`.
package struct TableVersion: Hashable, Sendable, BitwiseCopyable {
    /// Index in the store, in the order in which the versions were opened; -1 where the server is not known.
    package let index: Int32

    /// The version of a server that is not known.
    @inline(__always)
    package static var unknown: Self { Self(index: -1) }

    /// Whether the server is known; tested for every ATT PDU.
    @inline(__always)
    package var isKnown: Bool { index >= 0 }
}

extension TableVersion: Comparable {
    package static func < (one: Self, other: Self) -> Bool { one.index < other.index }
}
