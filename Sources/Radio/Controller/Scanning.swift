import Bluetooth
import Bytes

/// What a scanner does (Vol 6, Part B, 4.4.3).
struct Scanning: Sendable {
    /// How it listens on one PHY.
    struct PHYParameters: Sendable {
        /// 0 LE 1M, 2 LE Coded: the number of the bit.
        var bit: UInt8
        var isActive = false
        /// In 0.625 ms.
        var interval: UInt16 = 0x10
        /// In 0.625 ms.
        var window: UInt16 = 0x10
    }

    var isEnabled = false
    var ownType = HCI.AddressType.publicDevice
    /// Bit 0: only devices on the filter accept list.
    var filterPolicy: UInt8 = 0
    var phys = [PHYParameters(bit: 0)]
    var filtersDuplicates = false
    /// Whether duplicates are forgotten when a period begins.
    var forgetsEachPeriod = false
    var duplicates = DuplicateFilter()
    /// Nanoseconds that scanning lasts; 0 for no end.
    var duration: Int64 = 0
    /// Nanoseconds from one beginning to the next; 0 for once.
    var period: Int64 = 0
    /// Which time it was enabled.
    var serial: UInt64 = 0

    /// When and where it listens.
    var listening: Listening {
        let first = phys.first ?? PHYParameters(bit: 0)
        return Listening(
            interval: Int64(first.interval) * Span.slot, window: Int64(first.window) * Span.slot,
            phys: phys.reduce(0) { $0 | 1 << $1.bit })
    }

    /// Whether it asks advertisers on this PHY for more.
    func isActive(on phy: HCI.PHY) -> Bool {
        phys.contains { $0.isActive && $0.bit == phy.rawValue - 1 }
    }
}

/// What was reported already, so far as there is room to remember.
struct DuplicateFilter: Sendable {
    /// The key of a report for duplicate filtering.
    struct Key: Hashable, Sendable {
        var address: DeviceAddress?
        var isScanResponse: Bool
        var setID: UInt8
        var dataID: UInt16
        var properties: AdvertisingProperties
    }

    /// Reports remembered, at most; then the oldest are forgotten.
    private static let limit = 512
    private var known: Set<Key> = []
    private var order = FIFO<Key>()

    /// Notes a report; false where it was known.
    mutating func insert(_ key: Key) -> Bool {
        guard known.insert(key).inserted else { return false }
        order.append(key)
        if known.count > Self.limit, let oldest = order.popFirst() { known.remove(oldest) }
        return true
    }

    mutating func removeAll() {
        known = []
        order.removeAll()
    }
}
