import Bluetooth
import Bytes
import PDUTestKit
import PluginKit
import Profile
import TestKit
import Testing

/// Properties of the whole profile.
struct ProfileTests {
    /// Lint finds only the deviations that the protocol document predicts, and the profile accepts them.
    @Test func lintFindsWhatTheDescriptionPredicts() throws {
        let lint = try VectorTests.puck.get().lint
        #expect(lint.findings == [])
        #expect(
            lint.accepted == [
                "unused-type stored_drink", "unused-type stored_metadata", "unused-type stored_day",
                "unused-type prd_calibration_data", "unused-type advertising_structure",
                "unused-type advertising_data", "payload-exceeds-mtu drink_data",
            ])
    }

    @Test func theAttributeTableIsThatOfTheFirmware() throws {
        let puck = try VectorTests.puck.get()
        let bottle = try #require(puck.profile.services.first { $0.name == "bottle" })
        #expect(
            bottle.characteristics.map { "\($0.uuid.description.suffix(1))=\($0.properties.rawValue)" }
                == ["1=18", "2=10", "5=8", "3=10", "4=18", "6=10", "7=18", "8=18"])
        let required = try #require(puck.profile.services.first { $0.name == "prd_bottle" })
        #expect(required.characteristics.map(\.properties.rawValue) == [18, 10, 18, 10, 18])
    }

    @Test func everyRuleOfTheDescriptionIsDeclared() throws {
        let all = try VectorTests.puck.get().profile.rules
        let rules = all.filter { !$0.asksOracle }
        #expect(all.prefix(rules.count).map(\.id) == rules.map(\.id))
        let expected =
            (1...109).map { "AQ-" + String(repeating: "0", count: 3 - "\($0)".count) + "\($0)" }
            + (201...240).map { "AQ-\($0)" } + (301...314).map { "AQ-\($0)" } + Self.required
        #expect(rules.map(\.id) == expected)
        #expect(
            rules.filter(\.needsActiveTest).map(\.id)
                == ["012", "015", "105", "106", "107", "108", "218", "234", "235"].map { "AQ-" + $0 })
        #expect(
            rules.filter { $0.dialect == "prd" }.map(\.id)
                == ["011", "024", "025", "074", "075", "076", "077", "078", "237", "238"].map { "AQ-" + $0 }
                + Self.required)
        #expect(rules.first { $0.id == "AQ-060" }?.quirk == "Q-01")
        #expect(rules.first { $0.id == "AQ-212" }?.quirk == "Q-29")
        #expect(rules.first { $0.id == "AQ-031" }?.severity == .error)
        #expect(rules.first { $0.id == "AQ-037" }?.severity == .warning)
    }

    /// Rules of the PRD dialect that the profile numbers itself.
    private static let required = (Array(501...515) + Array(521...524)).map { "AQ-\($0)" }

    @Test func calibrationGoesItsWay() throws {
        let sequence = try #require(VectorTests.puck.get().profile.sequences.first)
        let next = Dictionary(uniqueKeysWithValues: sequence.transitions.map { ($0.from, Set($0.to)) })
        #expect(next["wait_empty"] == ["measure_empty", "error", "idle"])
        #expect(next["measure_full"] == ["complete", "wait_full", "error", "idle"])
        #expect(next["confirm_empty"] == nil)
        // A calibration outlives its connection, so a client may find it in any state.
        #expect(sequence.initial == [])
    }

    @Test func whatIsNotAsDescribedIsRemarked() throws {
        let puck = try VectorTests.puck.get()
        func diagnostics(_ type: String, _ bytes: [UInt8]) throws -> [String] {
            try #require(puck.compiled.types[type]).diagnostics(on: bytes).map(\.text)
        }
        // A battery of 101 %, flag bit 6 and 601 unsynced records.
        #expect(try diagnostics("current_state", hex("40407F69 9C01 9C01 E204 65 47 5902")).count == 3)
        // A drink of 29 ml of an unknown type.
        #expect(
            try diagnostics("drink_chunk", hex("0000 0100 01 00 65000000 30327F69 1D00 1103 02 00")).count == 2)
        #expect(try diagnostics("current_state", hex("40407F69 9C01 9C01 E204 53 07 0300 00")).count == 1)
    }
}
