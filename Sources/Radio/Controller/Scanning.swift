import Bluetooth
import Bytes

/// State of scanning (Vol 6, Part B, 4.4.3).
struct Scanning: Sendable {
    /// Scan parameters of one PHY.
    struct PHYParameters: Sendable {
        /// Bit number of the PHY: 0 LE 1M, 2 LE Coded.
        var bit: UInt8
        var isActive = false
        /// In units of 0.625 ms.
        var interval: UInt16 = 0x10
        /// In units of 0.625 ms.
        var window: UInt16 = 0x10
    }

    var isEnabled = false
    var ownType = HCI.AddressType.publicDevice
    /// Bit 0: only devices on the filter accept list.
    var filterPolicy: UInt8 = 0
    var phys = [PHYParameters(bit: 0)]
    var filtersDuplicates = false
    /// Whether the duplicate filter is reset at the start of each period.
    var forgetsEachPeriod = false
    var duplicates = DuplicateFilter()
    /// Scan duration, in nanoseconds; 0 for unlimited.
    var duration: Int64 = 0
    /// Scan period, in nanoseconds; 0 for a single scan.
    var period: Int64 = 0
    /// Identifies the last enabling, to detect stale alarms.
    var serial: UInt64 = 0

    /// Scan timing and PHYs.
    var listening: Listening {
        let first = phys.first ?? PHYParameters(bit: 0)
        return Listening(
            interval: Int64(first.interval) * Span.slot, window: Int64(first.window) * Span.slot,
            phys: phys.reduce(0) { $0 | 1 << $1.bit })
    }

    /// Whether the scanner sends scan requests on this PHY.
    func isActive(on phy: HCI.PHY) -> Bool {
        phys.contains { $0.isActive && $0.bit == phy.rawValue - 1 }
    }
}

/// Reports already sent to the host, up to a limit.
struct DuplicateFilter: Sendable {
    /// Identifies a report for duplicate filtering.
    struct Key: Hashable, Sendable {
        var address: DeviceAddress?
        var isScanResponse: Bool
        var setID: UInt8
        var dataID: UInt16
        var properties: AdvertisingProperties
    }

    /// Maximum number of reports stored; the oldest are dropped.
    private static let limit = 512
    private var known: Set<Key> = []
    private var order = FIFO<Key>()

    /// Records a report; returns false for a duplicate.
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
