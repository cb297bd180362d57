import Bluetooth
import Bytes
import Profile

/// Since when each controller of a capture scans continuously, according to its host's commands (Vol 4, Part E, 7.8.10,
/// 7.8.11, 7.8.64 and 7.8.65).
struct ScanTimes: Sendable {
    private struct Scan: Sendable {
        /// The window is as long as the interval.
        var isContinuous = false
        var since: Timestamp?
    }

    private var scans: [UInt16: Scan] = [:]

    /// LE Set Extended Scan Parameters and Enable.
    private static let extendedParameters = HCI.Opcode(rawValue: 0x2041)
    private static let extendedEnable = HCI.Opcode(rawValue: 0x2042)

    func since(adapter: UInt16) -> Timestamp? {
        scans[adapter].flatMap { $0.isContinuous ? $0.since : nil }
    }

    mutating func take(_ opcode: HCI.Opcode, _ parameters: ValueBytes, adapter: UInt16, at time: Timestamp) {
        switch opcode {
        case .leSetScanParameters: note(parameters.u16(1), parameters.u16(3), adapter)
        // Of the first PHY; a controller that scans two spends half of its time on each.
        case Self.extendedParameters: note(parameters.u16(4), parameters.u16(6), adapter)
        case .leSetScanEnable: scans[adapter, default: Scan()].since = parameters.u8(0) == 1 ? time : nil
        case Self.extendedEnable:
            // With a duration, scanning may end by itself.
            let isEndless = parameters.u8(0) == 1 && parameters.u16(2) == 0
            scans[adapter, default: Scan()].since = isEndless ? time : nil
        case .reset: scans[adapter] = nil
        default: return
        }
    }

    private mutating func note(_ interval: UInt16?, _ window: UInt16?, _ adapter: UInt16) {
        scans[adapter, default: Scan()].isContinuous = interval != nil && interval == window
    }
}
