import Bluetooth
import Bytes
import PDUTestKit
import PluginKit
import Profile
import TestKit
import Testing

@testable import Aquavate

/// The drinks of a capture, as sent by pucks and deleted by apps.
struct CapturedDrinksTests {
    /// 45 ml at 2026-02-01T11:00:00Z, and 150 ml half an hour later.
    private static let first = "65000000 30327F69 2D00 1103 00 00"
    private static let second = "66000000 38397F69 9600 7B02 01 00"
    private static let kitchen = ObservedValue.Peer(index: 1, title: "Kitchen", address: "24:0a:c4:12:a3:f4")
    private static let desk = ObservedValue.Peer(index: 2, title: "Desk", address: "24:0a:c4:12:a3:f6")
    /// A puck whose own controller was recorded.
    private static let own = ObservedValue.Peer(index: 3, title: "hci1")

    /// The given number of seconds after 2026-02-01T12:00:00Z.
    private static func noon(_ seconds: Int64) -> Timestamp {
        Timestamp(seconds: 1_769_947_200 + seconds, nanoseconds: 0)
    }

    private static func chunk(_ bytes: String, of peer: ObservedValue.Peer = kitchen) -> ObservedValue {
        ObservedValue(
            time: noon(0), frame: 1, peer: peer, type: Dialect.shipped.characteristic(4), handle: 0x1F,
            operation: .notify, value: hex(bytes))
    }

    private static func command(
        _ bytes: String, to peer: ObservedValue.Peer = kitchen, at seconds: Int64 = 1
    ) -> ObservedValue {
        ObservedValue(
            time: noon(seconds), frame: 2, peer: peer, type: Dialect.shipped.characteristic(5), handle: 0x1B,
            operation: .write, value: hex(bytes))
    }

    private static func config(
        _ bytes: String, _ operation: OperationKind = .read, of peer: ObservedValue.Peer = kitchen,
        dialect: Dialect = .shipped, at seconds: Int64 = 2
    ) -> ObservedValue {
        ObservedValue(
            time: noon(seconds), frame: 3, peer: peer, type: dialect.characteristic(dialect == .shipped ? 2 : 0xF2),
            handle: 0x15, operation: operation, value: hex(bytes))
    }

    private func amounts(_ values: [ObservedValue]) throws -> [Int64] {
        try CapturedDrinks(values).drinks.filter { !$0.isDeleted }.map(\.amount)
    }

    private static let both = "0000 0100 02 00 \(first) \(second)"

    @Test func aDrinkCountsOnceForItsPuck() throws {
        #expect(try amounts([Self.chunk(Self.both), Self.chunk(Self.both)]) == [45, 150])
        let twoPucks = [Self.chunk(Self.both), Self.chunk(Self.both, of: Self.desk)]
        #expect(try amounts(twoPucks) == [45, 150, 45, 150])
    }

    /// A recording at the puck's own controller may lack the puck's address.
    @Test func aRecordingOfBothEndsHasEachDrinkOnce() throws {
        let kitchen = [Self.chunk(Self.both, of: Self.own), Self.chunk(Self.both)]
        #expect(try amounts(kitchen) == [45, 150])
        let desk = [Self.chunk(Self.both, of: Self.own), Self.chunk(Self.both, of: Self.desk)]
        let drinks = try CapturedDrinks(kitchen + desk).drinks
        #expect(drinks.map(\.amount) == [45, 150, 45, 150])
        #expect(drinks.map(\.device) == [Self.kitchen, Self.kitchen, Self.desk, Self.desk].map { $0.address ?? "" })
    }

    @Test(arguments: [
        ("DELETE_DRINK of record 102", command("12 66000000"), [45]),
        ("of a record that was not sent", command("12 67000000"), [45, 150]),
        ("of another puck's record", command("12 66000000", to: desk), [45, 150]),
        ("RESET_DAILY", command("05 00 0000"), []),
        ("RESET_DAILY of the next day", command("05 00 0000", at: 43_200), [45, 150]),
        ("PING", command("02 00 0000"), [45, 150]),
    ])
    func deletedDrinksDoNotCount(name: String, command: ObservedValue, amounts: [Int64]) throws {
        #expect(try self.amounts([Self.chunk(Self.both), command]) == amounts, "\(name)")
    }

    /// After CLEAR_HISTORY the IDs restart at 1.
    @Test func theNewestDrinkOfAnIDIsDeleted() throws {
        let again = Self.chunk("0000 0100 01 00 66000000 143F7F69 DF00 5F02 01 00")
        #expect(try amounts([Self.chunk(Self.both), again, Self.command("12 66000000")]) == [45, 150])
    }

    /// The header of a truncated chunk still counts all records.
    @Test func wholeRecordsOfACutChunkCount() throws {
        let cut = Self.chunk("0000 0100 14 00 \(Self.first) \(Self.second) 67000000 143F7F69 DF00")
        #expect(try amounts([cut]) == [45, 150])
        #expect(try amounts([cut, Self.chunk(Self.both)]) == [45, 150])
        #expect(try amounts([Self.chunk("0000 0000 00 00"), Self.chunk("0000 0100")]) == [])
    }

    /// V-LEGACY-10B-CHUNK.
    @Test func drinksWithoutAnIDCount() throws {
        let chunk = Self.chunk("0000 0100 01 00 30327F69 2D00 1103 00 00")
        let drinks = try CapturedDrinks([chunk, chunk]).drinks
        #expect(drinks.map(\.amount) == [45])
        #expect(drinks.map(\.level) == [785] && drinks.map(\.time) == [1_769_943_600])
    }

    // MARK: - The report

    private func report(_ values: [ObservedValue], device: String? = nil) throws -> CommandOutput {
        let content = InputContent(name: "a.btsnoop", content: .values(values))
        var input = CommandInput(values: ["capture": .content(content), "json": .flag], now: Self.noon(86_400))
        input.values["device"] = device.map { .text($0) }
        let command = try #require(HydrationCommands.groups[0].commands.first { $0.name == "report" })
        return try command.run(input)
    }

    private func total(_ values: [ObservedValue], device: String?) throws -> Double? {
        try JSONValue(reading: Array(report(values, device: device).text.utf8))["days"]?.elements.first?["total_ml"]?
            .number
    }

    /// Bottle Config with 1000 ml.
    private static let thousand = "E1FAD943 0F010000 3E03 E803"

    @Test(
        arguments: [
            ("none", [], 2500), ("a read", [config(thousand)], 1000),
            ("an accepted write", [config(thousand, .write)], 1000),
            ("a write below the range", [config("E1FAD943 0F010000 3E03 F401", .write)], 1000),
            ("a write with a scale of 50, which the puck drops", [config("00004842 0F010000 3E03 E803", .write)], 2500),
            ("a cut value", [config("E1FAD943 0F01")], 2500),
            ("prd", [config("3E03 0F010000 E803", dialect: .prd)], 1000),
            ("prd without a goal", [config("3E03 0F010000", dialect: .prd)], 2500),
            (
                "a write after the last drink",
                [config(thousand, at: -9000), config("E1FAD943 0F010000 3E03 B80B", .write)], 1000
            ),
            (
                "two pucks, whose goals are read again",
                [
                    config(thousand, at: -9002), config("E1FAD943 0F010000 3E03 B80B", of: desk, at: -9001),
                    config(thousand, at: -9000),
                ], 3000
            ),
        ] as [(String, [ObservedValue], Double)])
    func theGoalIsThatOfTheCapture(name: String, configs: [ObservedValue], goal: Double) throws {
        let output = try report([Self.chunk(Self.both)] + configs)
        let report = try JSONValue(reading: Array(output.text.utf8))
        #expect(report["goal_ml"]?.number == goal, "\(name)")
        #expect(report["goal_source"]?.string == (goal == 2500 ? "the usual one" : "the bottle's"), "\(name)")
    }

    @Test(
        arguments: [
            (nil, 240), ("Kitchen", 195), ("24:0A:C4:12:A3:F6", 45), ("hci1", 0), ("nobody", 0),
        ] as [(String?, Double)])
    func aDeviceIsChosenByItsAddressOrName(device: String?, expected: Double) throws {
        let desk = Self.chunk("0000 0100 01 00 \(Self.first)", of: Self.desk)
        #expect(try total([Self.chunk(Self.both), desk], device: device) == expected)
        if expected == 0 {
            #expect(try report([Self.chunk(Self.both), desk], device: device).outcome == .inconclusive)
        }
    }

    /// Drinks of a puck without a valid clock count when they were sent.
    @Test func drinksWithoutATimeCountAtTheirArrival() throws {
        let timeless = Self.chunk("0000 0100 01 00 65000000 00000000 2D00 1103 00 00")
        let output = try report([timeless])
        let report = try JSONValue(reading: Array(output.text.utf8))
        #expect(report["now"]?.string == "2026-02-01T12:00:00Z")
        #expect(report["drinks"]?.elements.map { $0["arrived"]?.string } == ["unset_clock"])
        #expect(output.notes.isEmpty)
    }

    /// If the recorder had no clock either, they belong to no day, and do not determine the present.
    @Test func drinksWithoutAnyTimeAreCountedBelow() throws {
        var timeless = Self.chunk("0000 0100 01 00 65000000 00000000 2D00 1103 00 00")
        timeless.time = Timestamp(seconds: 5, nanoseconds: 0)
        let report = try JSONValue(reading: Array(report([timeless]).text.utf8))
        #expect(report["now"]?.string == "2026-02-02T12:00:00Z")
        #expect(report["drinks"]?.elements.count == 0 && report["drinks_without_time"]?.number == 1)
    }

    // MARK: - The puck's offset from UTC

    /// A Current State that was received a number of seconds after noon, of a puck whose epoch is ahead by hours.
    private static func state(at seconds: Int64, ahead hours: Int) throws -> ObservedValue {
        let time = Timestamp(seconds: 1_769_947_200 + seconds, nanoseconds: 0)
        var state = CurrentState()
        state.timestamp = time.wholeSeconds + hours * 3600
        return ObservedValue(
            time: time, frame: 4, peer: kitchen, type: Dialect.shipped.characteristic(1), handle: 0x12,
            operation: .notify, value: try PuckWire().bytes(state, as: .currentState))
    }

    /// SET_TIME to noon.
    private static let setTime = command("10 40407F69", at: -20)

    /// The first drink is of 11:00 in the puck's epoch. As for a sync, the first state after SET_TIME shows no other
    /// offset.
    @Test(
        arguments: [
            ("no state", [], "2026-02-01T11:00:00Z"), ("an offset of 0", [(-10, 0)], "2026-02-01T11:00:00Z"),
            ("one state", [(-10, 9)], "2026-02-01T11:00:00Z"),
            ("two states", [(-10, 9), (-5, 9)], "2026-02-01T02:00:00Z"),
            ("states after the drinks", [(5, 9), (10, 9)], "2026-02-01T02:00:00Z"),
            ("a state that was old", [(-10, -5), (-5, 0)], "2026-02-01T11:00:00Z"),
            ("another offset later", [(-10, 9), (-5, 9), (5, 8), (10, 8)], "2026-02-01T02:00:00Z"),
        ] as [(String, [(Int64, Int)], String)])
    func anOffsetThatTheCaptureShowsIsSubtracted(name: String, states: [(Int64, Int)], expected: String) throws {
        let values = try [Self.setTime, Self.chunk(Self.both)] + states.map { try Self.state(at: $0, ahead: $1) }
        let captured = try CapturedDrinks(values.sorted { $0.time < $1.time })
        let first = try #require(captured.drinks.first)
        #expect(TimeZoneTable.utc.text(first.time) == expected, "\(name)")
        #expect(first.timestamp == 1_769_943_600)
    }

    @Test(arguments: [[], [config(thousand)]] as [[ObservedValue]])
    func aCaptureWithoutDrinksIsSaid(values: [ObservedValue]) throws {
        let output = try report(values)
        #expect(output.outcome == .inconclusive)
        #expect(output.notes.count == 1 && output.notes[0].hasPrefix("a.btsnoop: no drinks are sent in it"))
    }
}
