package import BluetoothTypes
import GATT

/// What a server keeps of one client: for a bonded one beyond the connection (Vol 3, Part G, 2.5.2.1, 3.3.3.3 and 7.2).
package struct ClientState: Hashable, Sendable {
    /// Values of Client Characteristic Configuration by the descriptor's handle; bit 0 notifications, bit 1 indications.
    package var configurations: [Handle: UInt16]
    /// Value of Client Supported Features.
    package var features: [UInt8]
    /// Whether the client knows the database as it is now.
    package var isChangeAware: Bool
    /// Handles that have changed since the client's last Service Changed.
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

    /// Whether the client asked to be refused while it does not know the database.
    var usesRobustCaching: Bool { (features.first ?? 0) & 0x01 != 0 }

    /// Takes down that a range of handles has changed.
    mutating func note(changed range: ClosedRange<Handle>) {
        isChangeAware = false
        guard let before = changes else {
            changes = range
            return
        }
        changes = min(before.lowerBound, range.lowerBound)...max(before.upperBound, range.upperBound)
    }
}

/// Which handles two databases give to different attributes, values aside; nil when they are the same to discovery.
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
