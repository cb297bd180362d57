import Bluetooth
import Bytes
import Captures
import Foundation
import Output
import PDUTestKit
import TestKit
import Testing
import Workbench

/// Two captures differ in exactly what was changed.
struct CaptureComparisonTests {
    private func differences(_ change: (inout ComparedSession) -> Void) async throws -> CaptureComparison {
        var changed = ComparedSession()
        change(&changed)
        return try await ComparedSession().compared(with: changed)
    }

    @Test func theSameSessionHasNoDifferences() async throws {
        let comparison = try await differences { _ in }
        #expect(comparison.summary == [])
        #expect(!comparison.differs && !comparison.isUndecided)
        #expect(comparison.connections.map(\.common).allSatisfy { $0 > 8 })
        #expect(DifferenceReport(comparison).text().hasSuffix("\nno differences\n"))
    }

    @Test func aChangedWriteIsADifferenceOfItsValue() async throws {
        let comparison = try await differences { $0.written = [0, 0] }
        #expect(
            comparison.summary
                == ["value: Write Request Temperature Measurement / Client Characteristic Configuration"])
        #expect(comparison.fields == [FieldDifference("value", "01 00", "00 00")])
    }

    @Test func whatFollowsAChangedWriteIsListedAfterIt() async throws {
        let comparison = try await differences {
            $0.written = [0, 0]
            $0.temperatures = []
        }
        #expect(
            comparison.summary == [
                "value: Write Request Temperature Measurement / Client Characteristic Configuration",
                "only in A: Handle Value Notification Temperature Measurement",
            ])
        #expect(comparison.connections[0].differences.last?.count == 4)
    }

    @Test func anInsertedRequestDoesNotShiftThoseAfterIt() async throws {
        let comparison = try await differences { $0.reads = 2 }
        #expect(comparison.summary == ["only in B: Read Request Battery Level"])
    }

    @Test func aMissingNotificationIsOneDifference() async throws {
        let comparison = try await differences { $0.temperatures = [20, 22, 23] }
        #expect(comparison.summary == ["only in A: Handle Value Notification Temperature Measurement"])
    }

    @Test func anotherOrderIsNeitherAnAdditionNorALoss() async throws {
        let comparison = try await differences { $0.readsFirst = false }
        #expect(comparison.summary.count == 1)
        #expect(comparison.summary.first?.hasPrefix("order: ") == true)
        #expect(comparison.fields.map(\.name) == ["after"])
    }

    @Test func anotherMTUIsADifferenceOfTheExchange() async throws {
        let comparison = try await differences { $0.clientMTU = 185 }
        #expect(comparison.summary == ["value: Exchange MTU Request"])
        #expect(comparison.fields == [FieldDifference("Client Rx MTU", "247", "185")])
    }

    @Test func anErrorIsADifferenceOfTheResponse() async throws {
        let comparison = try await differences { $0.error = .insufficientAuthentication }
        #expect(comparison.summary == ["outcome: Read Request Battery Level"])
        #expect(
            comparison.fields == [FieldDifference("response", "completed", "Insufficient Authentication (0x05)")])
    }

    @Test func otherParametersAreADifference() async throws {
        let comparison = try await differences { $0.interval = 36 }
        #expect(comparison.summary.first == "parameters: connection parameters")
        #expect(comparison.fields.first == FieldDifference("interval", nil, "45 ms"))
    }

    @Test func anotherReasonOfTheEndIsADifference() async throws {
        let comparison = try await differences { $0.end = .connectionTerminatedByLocalHost }
        #expect(comparison.summary == ["end: end of the connection"])
        #expect(
            comparison.fields == [
                FieldDifference(
                    "reason", "Remote User Terminated Connection, by the peripheral",
                    "Remote User Terminated Connection, by the central")
            ])
    }

    @Test func handlesThatDifferAreOneDifferenceOfTheTable() async throws {
        let comparison = try await differences { $0.firstHandle = 0x10 }
        #expect(comparison.summary.count == 1)
        #expect(comparison.summary.first?.hasPrefix("table: ") == true)
        #expect(comparison.fields == [FieldDifference("handle", "0x0001", "0x0010")])
    }

    /// The reads that take longer by more than the tolerance and a connection interval are one difference.
    @Test(arguments: [(10, 0.2, false), (100, 0.2, true), (100, 100, false)] as [(Int64, Double, Bool)])
    func slowResponsesDifferBeyondTheTolerance(_ delay: Int64, _ tolerance: Double, _ differs: Bool) async throws {
        var options = ComparisonOptions()
        options.tolerance = tolerance
        var slow = ComparedSession()
        slow.delay = delay
        let comparison = try await ComparedSession().compared(with: slow, options)
        let isSlow = comparison.summary.contains("duration: Read Request Battery Level")
        #expect(isSlow == differs)
        if differs { #expect(comparison.fields.contains(FieldDifference("duration", "7.5 ms", "107.5 ms"))) }
    }

    @Test func anotherPairingIsADifferenceOfFeaturesAndMethod() async throws {
        var (one, other) = (ComparedSession(), ComparedSession())
        one.pairingCapability = .noInputNoOutput
        other.pairingCapability = .keyboardDisplay
        let comparison = try await one.compared(with: other)
        #expect(comparison.summary == ["pairing: pairing"])
        let fields = comparison.fields
        #expect(fields.first?.name == "method")
        #expect(fields.first?.a == "LE legacy, Just Works")
        #expect(fields.first?.b?.hasPrefix("LE legacy, Passkey Entry") == true)
        #expect(fields.contains(FieldDifference("initiator IO capability", "No Input, No Output", "Keyboard, Display")))
        #expect(try await other.compared(with: ComparedSession()).summary == ["pairing: pairing"])
    }

    /// What one has only heard, and the other only logged, is no difference.
    @Test func aHostsLogAndTheAirShowOneSession() async throws {
        let session = ComparedSession().recording
        let comparison = try CaptureComparison(
            try await ComparedSession.outline(of: session),
            try await ComparedSession.outline(of: AirReplay.recording(of: session)))
        #expect(comparison.summary == [])
        #expect(!comparison.differs)
        #expect(comparison.connections.map(\.hasDifferentViews) == [true])
        #expect(comparison.connections.map(\.common).allSatisfy { $0 > 8 })
    }

    @Test func aDifferenceBetweenTwoViewsIsFound() async throws {
        var changed = ComparedSession()
        changed.written = [0, 0]
        let comparison = try CaptureComparison(
            try await ComparedSession.outline(of: ComparedSession().recording),
            try await ComparedSession.outline(of: AirReplay.recording(of: changed.recording)))
        #expect(
            comparison.summary
                == ["value: Write Request Temperature Measurement / Client Characteristic Configuration"])
    }

    /// Two devices of one kind are compared with each other, whatever their addresses.
    @Test func theOnlyDevicesOfBothCapturesArePaired() async throws {
        let comparison = try await differences { $0.address = "c0:00:00:00:00:02" }
        #expect(comparison.connections.count == 1)
        #expect(!comparison.differs)
    }

    @Test func connectionsArePairedByNumber() async throws {
        var options = ComparisonOptions()
        options.pairs = [try #require(ComparisonOptions.ForcedPair("1:1"))]
        #expect(try await ComparedSession().compared(with: ComparedSession(), options).connections.count == 1)
        options.pairs = [try #require(ComparisonOptions.ForcedPair("1:2"))]
        let outline = try await ComparedSession.outline(of: ComparedSession().recording)
        let error = #expect(throws: UnknownConnection.self) { try CaptureComparison(outline, outline, options) }
        #expect(error?.description.hasSuffix("has no connection 2; it has the connection 1") == true)
    }

    @Test(arguments: ["", "1", "1:", ":1", "0:1", "1:2:3", "-1:2", "a:b", "+1:2", "99999999999999999999:1"])
    func otherTextsNameNoPair(_ text: String) {
        #expect(ComparisonOptions.ForcedPair(text) == nil)
    }

    @Test(
        arguments: [
            ("20%", 0.2), ("0%", 0), ("150 %", 1.5), ("0.5", 0.5), ("-1%", nil), ("x", nil), ("%", nil), ("nan", nil),
            ("inf%", nil),
        ] as [(String, Double?)])
    func tolerancesAreParts(_ text: String, _ tolerance: Double?) {
        #expect(ComparisonOptions.tolerance(text) == tolerance)
    }

    /// A capture without connections has nothing to compare, and no differences.
    @Test func capturesWithoutConnectionsAreUndecided() async throws {
        let session = HCISession()
        session.reset()
        let outline = try await ComparedSession.outline(of: session.recording)
        let comparison = try CaptureComparison(outline, outline)
        #expect(!comparison.differs && comparison.isUndecided)
    }

    @Test func jsonHasWhatTheTextHas() async throws {
        let comparison = try await differences { $0.written = [0, 0] }
        let json = try JSONValue(reading: Array(comparison.json.text.utf8))
        #expect(json["differs"] == .boolean(true))
        let difference = try #require(json["connections"]?.elements.first?["differences"]?.elements.first)
        #expect(difference["kind"]?.string == "value")
        #expect(difference["fields"]?.elements.first?["a"]?.string == "01 00")
        #expect(difference["fields"]?.elements.first?["b"]?.string == "00 00")
        #expect(difference["a"]?.elements.count == 2)
    }
}
