import Testing

@testable import BatteryTrace

/// Infers the charger from the shape of the level's rise.
struct ChargerShapeTests {
    @Test(arguments: [
        (ChargeCurve.Connection.wired, 5.0, "wired, slow"), (.wired, 10, "wired, medium"),
        (.wired, 15.5, "wired, fast"),
        (.wireless, 5, "wireless, slow"), (.wireless, 7.9, "wireless, medium"), (.wireless, 15.5, "wireless, fast"),
    ])
    func longChargesTellTheirCharger(connection: ChargeCurve.Connection, watts: Double, expected: String) throws {
        let curve = ChargeCurve(capacity: 3274, watts: watts, connection: connection, startLevel: 0.1)
        for interval in [nil, 5, 60] as [Double?] {
            let samples = WatchedCharge(curve: curve, interval: interval).samples(until: 0.9)
            let session = try #require(
                ChargeEstimator(EstimateSettings(capacity: 3274), samples).allSessions.first)
            #expect(session.inferredCharger == expected)
        }
    }

    /// A short charge has no phase with a warm charger.
    @Test func shortChargesTellTheSpeedOnly() throws {
        let curve = ChargeCurve(capacity: 3274, watts: 20, startLevel: 0.6)
        let samples = WatchedCharge(curve: curve).samples(until: 0.78)
        let sessions = ChargeEstimator(EstimateSettings(capacity: 3274), samples).allSessions
        #expect(sessions.map(\.inferredCharger) == ["fast"])
    }

    @Test func aTrickleIsATrickle() {
        let curve = ChargeCurve(capacity: 3274, watts: 1.5, startLevel: 0.2)
        let sessions = ChargeEstimator(
            EstimateSettings(capacity: 3274), WatchedCharge(curve: curve, interval: 60).samples(until: 0.3)
        ).allSessions
        #expect(sessions.map(\.inferredCharger) == ["trickle"])
    }
}
