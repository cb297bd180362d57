import BatteryTrace
import Bytes
import Testing

/// BT-006.
@Suite struct SnapshotRuleTests {
    private func found(_ batteries: BatteryHealth...) -> [String] {
        let snapshots = batteries.enumerated().map { index, battery in
            BatterySnapshot(id: index + 1, date: time(86_400 * Double(index)), battery: battery)
        }
        // The order of the dates counts, not the order of the list.
        let findings = findings(inSnapshots: snapshots.reversed())
        #expect(findings.allSatisfy { $0.rule == "BT-006" && $0.severity == .warning })
        return findings.map { "\($0.subject): \($0.expected); \($0.observed)" }
    }

    @Test func aBatteryThatAgesBreaksNoRule() {
        #expect(found().isEmpty)
        #expect(
            found(
                .init(cycles: 100, health: 0.95), .init(cycles: 100, health: 0.95), .init(cycles: 130),
                .init(cycles: 150, health: 0.93), .init(health: 0.96)
            ).isEmpty)
    }

    @Test func cyclesThatDecreaseAreFound() {
        #expect(
            found(.init(cycles: 100), .init(health: 0.9), .init(cycles: 99)) == [
                "snapshot 3: 100 cycles or more, as in snapshot 1; 99"
            ])
    }

    @Test func healthMayRiseByThreeHundredths() {
        #expect(found(.init(health: 0.94), .init(health: 0.97)).isEmpty)
        #expect(
            found(.init(health: 0.94), .init(health: 0.971)) == [
                "snapshot 2: health up to 0.97, 0.03 above snapshot 1; 0.971"
            ])
        #expect(found(.init(health: 0.90), .init(health: 0.93), .init(health: 0.96)).isEmpty)
    }

    @Test func devicesAreToldApart() {
        let (old, new) = (CivilDate("2022-01-05"), CivilDate("2025-06-01"))
        #expect(
            found(
                .init(cycles: 800, health: 0.80, mfgDate: old), .init(cycles: 3, health: 1, mfgDate: new),
                .init(cycles: 810, health: 0.79, mfgDate: old), .init(cycles: 5, health: 1, mfgDate: new)
            ).isEmpty)
        #expect(
            found(
                .init(cycles: 800, mfgDate: old), .init(cycles: 3, mfgDate: new), .init(cycles: 799, mfgDate: old)
            ) == ["snapshot 3: 800 cycles or more, as in snapshot 1; 799"])
        // A snapshot without a manufacturing date counts as the battery seen last.
        #expect(found(.init(cycles: 800, mfgDate: old), .init(cycles: 700)).count == 1)
    }
}
