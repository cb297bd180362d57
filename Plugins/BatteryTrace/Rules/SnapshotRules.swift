public import Bytes

/// A violation of one of the plugin's rules.
public struct RuleFinding: Hashable, Sendable {
    /// `BT-005`.
    public var rule: String
    public var severity: Severity
    /// The subject of the check: a part of the URL, or the snapshot.
    public var subject: String
    public var expected: String
    public var observed: String

    public enum Severity: String, Hashable, Sendable {
        case error, warning
    }
}

/// BT-005: an ingest URL obeys its grammar. One finding for each fault.
public func findings(inIngestURL url: String, now: Timestamp) -> [RuleFinding] {
    do throws(IngestURL.Refusal) {
        _ = try IngestURL.read(url, now: now)
        return []
    } catch {
        return error.faults.map {
            RuleFinding(
                rule: "BT-005", severity: .error, subject: $0.part, expected: $0.expected, observed: $0.found)
        }
    }
}

/// BT-006: from one snapshot of a device to the next, cycles never decrease, and health rises by 0.03 at most.
///
/// Snapshots are checked in order of their dates. Two are from different devices if their first use or their
/// manufacture differs; a snapshot without these dates is assigned to the device seen last.
public func findings(inSnapshots snapshots: [BatterySnapshot]) -> [RuleFinding] { histories(of: snapshots).findings }

/// The snapshots of each device, in order of their dates; the device seen last comes last.
func devices(of snapshots: [BatterySnapshot]) -> [[BatterySnapshot]] {
    histories(of: snapshots).devices.map(\.snapshots)
}

private func histories(of snapshots: [BatterySnapshot]) -> (devices: [DeviceHistory], findings: [RuleFinding]) {
    var devices: [DeviceHistory] = []
    var findings: [RuleFinding] = []
    for snapshot in snapshots.sorted(by: { ($0.date, $0.id) < ($1.date, $1.id) }) {
        let index = devices.lastIndex { $0.canBe(snapshot.battery) }
        var device = index.map { devices.remove(at: $0) } ?? DeviceHistory()
        findings += device.take(snapshot)
        devices.append(device)
        if devices.count > DeviceHistory.limit { devices.removeFirst() }
    }
    return (devices, findings)
}

/// One device's snapshots so far, oldest first, and the values known from them.
private struct DeviceHistory {
    private(set) var snapshots: [BatterySnapshot] = []
    private var known = BatteryHealth()
    /// IDs of the snapshots with the known values.
    private var cyclesFrom = 0
    private var healthFrom = 0

    /// Maximum number of distinguished devices; the most recent are kept.
    static let limit = 256
    /// Maximum rise of health, with a tolerance for rounding.
    private static let tolerance = 0.03 + 1e-9

    /// Whether a snapshot may be from the same device.
    func canBe(_ battery: BatteryHealth) -> Bool {
        func agree(_ one: CivilDate?, _ other: CivilDate?) -> Bool { one == nil || other == nil || one == other }
        return agree(known.firstUse, battery.firstUse) && agree(known.mfgDate, battery.mfgDate)
    }

    mutating func take(_ snapshot: BatterySnapshot) -> [RuleFinding] {
        var findings: [RuleFinding] = []
        let battery = snapshot.battery
        snapshots.append(snapshot)
        func find(_ expected: String, _ observed: String) {
            findings.append(
                RuleFinding(
                    rule: "BT-006", severity: .warning, subject: "snapshot \(snapshot.id)", expected: expected,
                    observed: observed))
        }
        if let before = known.cycles, let cycles = battery.cycles, cycles < before {
            find("\(before) cycles or more, as in snapshot \(cyclesFrom)", "\(cycles)")
        }
        if let before = known.health, let health = battery.health, health - before > Self.tolerance {
            let limit = (before + 0.03).text(decimals: 4)
            find("health up to \(limit), 0.03 above snapshot \(healthFrom)", health.text(decimals: 4))
        }
        if battery.cycles != nil { (known.cycles, cyclesFrom) = (battery.cycles, snapshot.id) }
        if battery.health != nil { (known.health, healthFrom) = (battery.health, snapshot.id) }
        known.firstUse = known.firstUse ?? battery.firstUse
        known.mfgDate = known.mfgDate ?? battery.mfgDate
        return findings
    }
}
