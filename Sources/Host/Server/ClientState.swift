package import Bluetooth

/// State that a server keeps for a client; for a bonded client, beyond the connection (Vol 3, Part G, 2.5.2.1, 3.3.3.3
/// and 7.2).
package struct ClientState: Hashable, Sendable {
    /// Client Characteristic Configuration values by descriptor handle; bit 0 notifications, bit 1 indications.
    package var configurations: [Handle: UInt16]
    /// Value of Client Supported Features.
    package var features: [UInt8]
    /// Whether the client knows the current database.
    package var isChangeAware: Bool
    /// Handles changed since the last Service Changed that the client confirmed; nil for none.
    package var changes: ClosedRange<Handle>?

    package init(
        configurations: [Handle: UInt16] = [:], features: [UInt8] = [], isChangeAware: Bool = true,
        changes: ClosedRange<Handle>? = nil
    ) {
        self.configurations = configurations
        self.features = features
        self.isChangeAware = isChangeAware
        self.changes = changes
    }

    /// Whether the client supports robust caching: its requests are rejected while it is change-unaware.
    var usesRobustCaching: Bool { (features.first ?? 0) & 0x01 != 0 }

    /// Merges the state set before the connection was encrypted: later configurations win, and features are never
    /// cleared (Vol 3, Part G, 7.2).
    mutating func update(with other: ClientState, configured: Set<Handle>) {
        for handle in configured { configurations[handle] = other.configurations[handle] }
        let missing = [UInt8](repeating: 0, count: max(0, other.features.count - features.count))
        features += missing
        for (index, byte) in other.features.enumerated() { features[index] |= byte }
    }

    /// Records a range of changed handles and drops configurations that no longer exist.
    mutating func note(changed range: ClosedRange<Handle>, keepingConfigurations isKept: (Handle) -> Bool) {
        configurations = configurations.filter { isKept($0.key) }
        isChangeAware = false
        guard let before = changes else {
            changes = range
            return
        }
        changes = min(before.lowerBound, range.lowerBound)...max(before.upperBound, range.upperBound)
    }
}

extension AttributeDatabase {
    /// The characteristic declaration's value for a Client Characteristic Configuration; nil if the handle belongs to
    /// another attribute.
    func declaration(ofConfiguration handle: Handle) -> [UInt8]? {
        guard self[handle]?.type == .clientCharacteristicConfiguration else { return nil }
        return self[Handle(1)...handle].last { $0.type == .characteristic }?.value
    }
}

/// Range of handles whose attributes differ between two databases, ignoring characteristic values; nil if discovery
/// sees no difference.
func changedRange(from old: AttributeDatabase, to new: AttributeDatabase) -> ClosedRange<Handle>? {
    let before = Dictionary(old.attributes.map { ($0.handle, $0) }) { first, _ in first }
    let after = Dictionary(new.attributes.map { ($0.handle, $0) }) { first, _ in first }
    let changed = Set(before.keys).union(after.keys).filter { handle in
        guard let one = before[handle], let other = after[handle], one.type == other.type else { return true }
        switch one.type {
        case .primaryService, .secondaryService, .include, .characteristic: return one.value != other.value
        default: return false
        }
    }
    guard let first = changed.min(), let last = changed.max() else { return nil }
    return first...last
}
