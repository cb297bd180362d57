import Bytes
import PluginKit
import Profile

/// The bottle's settings from a dump of its non-volatile storage: an ESP-IDF NVS partition with the namespace
/// `aquavate` (section 7.1), or one of the structures that the documents define: the daily state of 8 bytes,
/// CalibrationData of 20.
///
/// The documents name no keys. Entries are shown under those that they have; a value of 8 bytes is read as the daily state,
/// one of 20 as CalibrationData, one of 4 as a float. The only signed byte that the documents name is the time zone.
struct NVSDump {
    struct Entry: Hashable, Sendable {
        var key: String
        var value: String
    }

    /// In the order in which they were written.
    private(set) var entries: [Entry] = []
    private(set) var notes: [String] = []
    /// Hours by which the bottle's epoch is ahead of UTC; nil if it is not stored.
    private(set) var offsetHours: Int64?
    /// The daily goal in ml; nil if it is not stored.
    private(set) var goal: Int64?
    private let wire: PuckWire

    private static let space = "aquavate"
    private static let goals: ClosedRange<Int64> = 1...20_000

    init(_ bytes: [UInt8], name: String) throws(CommandError) {
        let made: PuckWire
        do throws(TwinFault) {
            made = try PuckWire()
        } catch {
            throw .unreadable("\(error)")
        }
        wire = made
        if bytes.count == 8 || bytes.count == 20 {
            add(bytes, under: bytes.count == 8 ? "daily state" : "calibration")
            return
        }
        guard bytes.count >= NVSPartition.pageSize else {
            throw .unreadable(
                "\(name): \(bytes.count) bytes: expected an NVS partition, pages of 4096 bytes, or a value of it: "
                    + "the daily state of 8 bytes or CalibrationData of 20")
        }
        let partition = NVSPartition(bytes, name: name)
        notes = partition.notes
        guard let values = partition.spaces[Self.space] else {
            let others = partition.spaces.keys.sorted().joined(separator: ", ").legible()
            throw .unreadable(
                "\(name): no namespace \(Self.space) in it"
                    + (others.isEmpty ? ": expected an NVS partition" : ", only \(others)"))
        }
        for (key, value) in values {
            switch value {
            case .integer(let number, let isSigned, let size):
                if isSigned, size == 1, (-14...14).contains(number) { offsetHours = number }
                if key.lowercased().contains("goal"), Self.goals.contains(number) { goal = number }
                entries.append(Entry(key: key, value: "\(number)"))
            case .text(let text): entries.append(Entry(key: key, value: text.legible()))
            case .bytes(let bytes): add(bytes, under: key)
            }
        }
    }

    private mutating func add(_ bytes: [UInt8], under key: String) {
        var text = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
        switch bytes.count {
        case 4:
            let pattern = bytes.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            text = "\(Float(bitPattern: pattern))"
        case 8:
            if let day = wire.value(of: bytes, as: .storedDay, DeviceProfile.StoredDay.self) {
                text = "baseline ADC \(day.baselineAdc), displayed total \(day.displayedTotal) ml"
            }
        case 20:
            if let data = wire.value(of: bytes, as: .prdCalibrationData, DeviceProfile.PrdCalibrationData.self) {
                text =
                    "scale factor \(data.scaleFactor), zero offset \(data.zeroOffset), tare \(data.tareWeightGrams) g, "
                    + "capacity \(data.bottleCapacityMl) ml, goal \(data.dailyGoalMl) ml, "
                    + (data.calibrationValid == .precision ? "precision calibrated" : "not calibrated")
                let found = Int64(data.dailyGoalMl)
                if Self.goals.contains(found) { goal = found }
            }
        default: break
        }
        entries.append(Entry(key: key, value: text))
    }
}
