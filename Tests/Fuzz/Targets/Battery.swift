import BatteryTrace
import Bytes
import PluginKit
import Profile

/// User input to the battery plugin: tables, URLs and its catalogue.
extension FuzzTarget {
    static let battery = [samples, snapshots, ingestURL, batteries]

    /// A table of levels, and the estimates from it.
    private static let samples = FuzzTarget("battery-samples") { _ in
        seeds(
            "time,level,state\n2026-03-01T12:00:00Z,0.50,charging\n2026-03-01T12:03:00Z,0.51,charging\n",
            "0,0.5\n60,0.52\n120,0.54\n180.5,0.56\r\n240,1\n", "\"1772366400\",\"0.1\",full\n1772366401,-1,unknown\n")
    } fault: { bytes in
        guard let reading = try? SampleReading(csv: bytes) else { return nil }
        guard reading.samples.allSatisfy({ (0...1).contains($0.level) }) else { return "a level out of range" }
        var estimator = ChargeEstimator(EstimateSettings(capacity: 3274))
        for sample in reading.samples {
            guard let estimate = estimator.take(sample) else { continue }
            guard estimate.watts > 0, estimate.watts.isFinite, estimate.smoothedWatts.isFinite else {
                return "an estimate of \(estimate.watts) W"
            }
        }
        _ = try? Calibration.capacity(of: reading.samples, watts: 10, voltage: 3.82)
        _ = ChargeSession.table(estimator.allSessions, in: .utc)
        return nil
    }

    private static let snapshots = FuzzTarget("battery-snapshots") { _ in
        seeds("id,date,cycles,health,first_use,mfg_date\r\n1,2026-03-01T12:00:00Z,123,0.94,2024-09-21,2024-08-30\r\n")
    } fault: { bytes in
        let now = Timestamp(seconds: 1_772_366_400, nanoseconds: 0)
        guard let read = try? SnapshotTable(csv: bytes, now: now) else { return nil }
        _ = findings(inSnapshots: read.snapshots)
        // A written table must be readable again, except for decimals that tables do not have.
        let table = BatterySnapshot.table(read.snapshots, in: .utc)
        guard let again = try? SnapshotTable(csv: table, now: now) else {
            return "a table that was written cannot be read"
        }
        return BatterySnapshot.table(again.snapshots, in: .utc) == table
            ? nil : "a table reads differently once it is written"
    }

    private static let ingestURL = FuzzTarget("ingest-url") { _ in
        seeds(
            "batterytrace://ingest?cycles=123&health=0.94&first_use=2024-09-21&mfg=2024-08-30",
            "batterytrace://ingest?health=94%25")
    } fault: { bytes in
        let found = findings(
            inIngestURL: String(decoding: bytes, as: UTF8.self), now: Timestamp(seconds: 1_772_366_400, nanoseconds: 0))
        let isSafe = found.allSatisfy { finding in !finding.observed.unicodeScalars.contains { $0.value < 0x20 } }
        return isSafe ? nil : "a fault shows control characters"
    }

    private static let batteries = FuzzTarget("battery-catalog") { _ in
        seeds("{\"iPhone16,1\": {\"name\": \"iPhone 15 Pro\", \"capacity_mAh\": 3274, \"source\": \"\\u00e4\"}}")
    } fault: { bytes in
        if let catalog = try? BatteryCatalog(json: bytes),
            !catalog.entries.values.allSatisfy({ BatteryCatalog.capacityRange.contains($0.capacity) })
        {
            return "a capacity out of range"
        }
        guard let text = try? JSONValue(reading: bytes).text else { return nil }
        return (try? JSONValue(reading: Array(text.utf8)).text) == text ? nil : "JSON reads differently once written"
    }

    private static func seeds(_ texts: String...) -> [[UInt8]] { texts.map { Array($0.utf8) } }
}
