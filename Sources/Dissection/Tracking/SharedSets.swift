/// Lets sets of equal content share their storage: tens of thousands of devices of one kind show the same signs.
struct SharedSets: Sendable {
    private var known: Set<Set<UInt16>> = []

    /// Further sets are stored by themselves.
    private static let limit = 1024

    /// The set in storage that equal sets share.
    mutating func shared(_ set: Set<UInt16>) -> Set<UInt16> {
        guard known.count < Self.limit else {
            return known.firstIndex(of: set).map { known[$0] } ?? set
        }
        return known.insert(set).memberAfterInsert
    }
}
