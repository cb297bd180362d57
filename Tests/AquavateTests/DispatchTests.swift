import Bluetooth
import PDUTestKit
import Profile
import TestKit
import Testing

/// A value's type depends on the operation, the length, the command before it, and the device's characteristics.
struct DispatchTests {
    /// The context of a value.
    private struct Surroundings: PayloadContext {
        var command: [UInt8]?
        /// Names of the device's characteristics; nil while unknown.
        var characteristics: Set<String>?

        func written(to characteristic: String, at offset: Int) -> UInt8? {
            guard characteristic == "command", let command, command.indices.contains(offset) else { return nil }
            return command[offset]
        }
        func has(_ characteristic: String) -> Bool? { characteristics.map { $0.contains(characteristic) } }
    }

    /// The characteristics of 2026-01-16, of 2026-01-23 and of the current firmware.
    private static let first: Set = ["current_state", "bottle_config", "sync_control", "drink_data", "command"]
    private static let second = first.union(["device_settings", "activity_stats"])
    private static let third = second.union(["calibration_state"])

    private func type(
        of value: [UInt8], _ number: UInt8, _ operation: OperationKind, _ surroundings: Surroundings = Surroundings()
    ) throws -> String? {
        let puck = try VectorTests.puck.get()
        let uuid = UUID(value: 0x6F75_616B_7661_7465_2D00_000000000000 + UInt128(number))
        let reader = try #require(puck.compiled.attributes[uuid])
        return reader.layout(for: operation, value: value.span.bytes, in: surroundings)?.name
    }

    @Test(
        arguments: [
            ("30 00 0000", "activity_summary"), ("31 02 0000", "motion_chunk"), ("32 00 0000", "backpack_chunk"),
            ("02 00 0000", "activity_bytes"), ("21 00 0000", "activity_bytes"), ("22 00 0000", "activity_bytes"),
        ])
    func theCommandTellsActivityStatistics(_ command: String, _ expected: String) throws {
        // Twelve bytes are a summary, one wake event with its header, or neither.
        let value = hex("00 01 01 00 20247F69 2F00 00 80")
        let surroundings = Surroundings(command: hex(command), characteristics: Self.third)
        #expect(try type(of: value, 7, .notify, surroundings) == expected)
    }

    @Test(
        arguments: [
            ("21 00 0000", "activity_summary"), ("22 02 0000", "motion_chunk"), ("23 00 0000", "backpack_chunk"),
        ])
    func beforeCalibrationStateOtherCommandsDo(_ command: String, _ expected: String) throws {
        let surroundings = Surroundings(command: hex(command), characteristics: Self.second)
        #expect(try type(of: hex("17 02 00 01 00000000 0000 0000"), 7, .notify, surroundings) == expected)
    }

    @Test func withoutACommandOnlyTheBootValueIsTold() throws {
        #expect(try type(of: [UInt8](repeating: 0, count: 12), 7, .read) == "activity_summary")
        #expect(try type(of: hex("17 02 00 01 00000000 0000 0000"), 7, .read) == "activity_bytes")
        #expect(try type(of: hex("00 01 00 00"), 7, .read) == "activity_bytes")
    }

    @Test func theLengthTellsRecordsWithoutID() throws {
        #expect(try type(of: hex("0000 0100 01 00 30327F69 2D00 1103 00 00"), 4, .notify) == "legacy_drink_chunk")
        #expect(
            try type(of: hex("0000 0100 01 00 65000000 30327F69 2D00 1103 00 00"), 4, .notify) == "drink_chunk")
        #expect(try type(of: [UInt8](repeating: 0, count: 6), 4, .read) == "drink_chunk")
        let truncated = hex("0000 0300 14 00") + [UInt8](repeating: 0, count: 238)
        #expect(try type(of: truncated, 4, .notify) == "drink_chunk")
    }

    @Test func theCharacteristicsTellTheCommands() throws {
        let commands = [hex("02 00 0000"), hex("21 00 0000"), []]
        for command in commands {
            #expect(try type(of: command, 5, .write) == "command")
            #expect(try type(of: command, 5, .write, Surroundings(characteristics: Self.third)) == "command")
            #expect(try type(of: command, 5, .write, Surroundings(characteristics: Self.second)) == "interim_command")
            #expect(try type(of: command, 5, .write, Surroundings(characteristics: Self.first)) == "legacy_command")
        }
    }

    @Test func aSyncRequestIsNoStatus() throws {
        let value = hex("0000 0300 01 00 1400")
        #expect(try type(of: value, 3, .write) == "sync_request")
        #expect(try type(of: value, 3, .read) == "sync_status")
    }
}
