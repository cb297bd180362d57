public import Bytes

/// Where a rule of the plugin was broken.
public struct RuleFinding: Hashable, Sendable {
    /// `BT-005`.
    public var rule: String
    public var severity: Severity
    /// What was checked: a part of the URL, the snapshot.
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
/// Snapshots are taken in the order of their dates. Two are of different devices if their first use or their manufacture
/// differs; where a snapshot does not tell, it is taken for the device that was seen last.
public func findings(inSnapshots snapshots: [BatterySnapshot]) -> [RuleFinding] { histories(of: snapshots).findings }

/// The snapshots of each device, in the order of their dates; the device that was seen last is the last one.
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

/// Values of one device's snapshots so far, newest first.
private struct DeviceHistory {
    private(set) var snapshots: [BatterySnapshot] = []
    private var known = BatteryHealth()
    /// Snapshots with the known values.
    private var cyclesFrom = 0
    private var healthFrom = 0

    /// Devices that are distinguished at most: the most recent ones.
    static let limit = 256
    /// How much health may rise, with room for the last bit of a sum.
    private static let tolerance = 0.03 + 1e-9

    /// Whether a snapshot may be of the same device.
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
