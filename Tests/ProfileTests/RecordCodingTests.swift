import Bytes
import PDUTestKit
import Profile
import TestKit
import Testing

private struct CurrentState: Codable, Equatable {
    struct Flags: Codable, Equatable {
        var timeValid, calibrated, stable, calMeasuring, calResult, lowBattery: Bool
    }
    var timestamp: UInt32
    var weight: Int16
    var level: Int
    var dailyTotal: UInt16
    var battery: UInt8
    var flags: Flags
    var unsynced: UInt16
}

private struct DrinkData: Codable, Equatable {
    enum Sort: UInt8, Codable { case gulp, pour }
    struct Flags: Codable, Equatable { var synced, day, deleted: Bool }
    struct Drink: Codable, Equatable {
        var recordId: UInt32
        var timestamp: Double
        var amount: Int
        var levelAfter: Int
        var type: Sort
        var flags: Flags
    }
    var chunkIndex, totalChunks, recordCount: Int
    var reserved: Int?
    var records: [Drink]
}

private struct SyncControl: Codable, Equatable {
    enum Command: String, Codable { case query, start, ack }
    var startIndex, count: Int
    var command: Command
    var status: String
    var chunkSize: UInt8?
}

private func payload(_ name: String) throws -> Layout {
    try #require(compile(aquavateTypes + kitchenSink).types[name])
}

@Test func structuresBecomeSwiftStructs() throws {
    let bytes = hex("40 40 7F 69 9C 01 9C 01 E2 04 53 07 03 00")
    let layout = try payload("current_state")
    let state = try RecordDecoder().decode(CurrentState.self, from: layout.decode(bytes))
    #expect(
        state
            == CurrentState(
                timestamp: 1_769_947_200, weight: 412, level: 412, dailyTotal: 1250, battery: 83,
                flags: .init(
                    timeValid: true, calibrated: true, stable: true, calMeasuring: false, calResult: false,
                    lowBattery: false), unsynced: 3))
    #expect(try layout.encode(RecordEncoder().encode(state)) == bytes)
}

@Test func listsEnumerationsAndTimesBecomeSwift() throws {
    let bytes = hex("01 00 02 00 01 00 67 00 00 00 14 3F 7F 69 DF 00 F9 FF 01 00")
    let layout = try payload("drink_data")
    var data = try RecordDecoder().decode(DrinkData.self, from: layout.decode(bytes))
    #expect(data.records.map(\.type) == [.pour])
    #expect(data.records.map(\.timestamp) == [1_769_946_900])
    #expect(data.records.map(\.levelAfter) == [-7])
    #expect(data.reserved == 0)
    // A constant may be omitted.
    data.reserved = nil
    #expect(try layout.encode(RecordEncoder().encode(data)) == bytes)
    let seconds = hex("00 00 2A 00 01 00 11 00")
    let sync = try RecordDecoder().decode(SyncControl.self, from: payload("sync_control").decode(seconds))
    #expect(sync == SyncControl(startIndex: 0, count: 42, command: .start, status: "idle", chunkSize: 17))
    #expect(try payload("sync_control").encode(RecordEncoder().encode(sync)) == seconds)
}

@Test func absentFieldsAreNil() throws {
    struct Point: Codable, Equatable {
        struct Flags: Codable, Equatable { var hidden: Bool }
        var x, y: Int
        var flags: Flags
    }
    struct Optional: Codable, Equatable {
        struct Flags: Codable, Equatable { var hasTime, hasPoint, big: Bool }
        var flags: Flags
        var time: UInt32?
        var point: Point?
        var after, short, named: UInt8?
    }
    let layout = try payload("optional")
    for text in ["00 07", "01 01000000", "02 0500 0600 01 09", "03 01000000 FFFF 0000 00 05"] {
        let value = try RecordDecoder().decode(Optional.self, from: layout.decode(hex(text)))
        #expect((value.time != nil) == value.flags.hasTime)
        #expect((value.point != nil) == value.flags.hasPoint)
        #expect(try layout.encode(RecordEncoder().encode(value)) == hex(text))
    }
}

@Test func bytesAreArrays() throws {
    struct Command: Codable, Equatable {
        var opcode: UInt8
        var unused: [UInt8]
    }
    let layout = try payload("command")
    let command = try RecordDecoder().decode(Command.self, from: layout.decode(hex("01 0A 0B 0C")))
    #expect(command == Command(opcode: 1, unused: [10, 11, 12]))
    #expect(try layout.encode(RecordEncoder().encode(command)) == hex("01 0A 0B 0C"))
}

@Test func whatDoesNotFitIntoSwiftSaysWhere() throws {
    struct Narrow: Decodable { var level: UInt8 }
    struct Other: Decodable { var levels: UInt8 }
    let value = try payload("current_state").decode(hex("40 40 7F 69 9C 01 9C 01 E2 04 53 07 03 00"))
    do {
        _ = try RecordDecoder().decode(Narrow.self, from: value)
        Issue.record("412 went into a byte")
    } catch DecodingError.typeMismatch(_, let context) {
        #expect(context.codingPath.map(\.stringValue) == ["level"])
        #expect(context.debugDescription == "expected a number from 0 to 255, found 412")
    }
    #expect(throws: DecodingError.self) { try RecordDecoder().decode(Other.self, from: value) }
}

@Test func valuesBecomeJSON() throws {
    let value: Value = .record([
        "number": .integer(-3), "large": .unsigned(.max), "real": .real(0.1), "none": .real(.nan), "on": .boolean(true),
        "text": .text("a\"b"), "bytes": .bytes([1, 0xAB]), "state": .named(1, "pour"), "odd": .named(9, nil),
        "time": .time(5, nanoseconds: 1_769_947_200_500_000_000), "gone": .absent,
        "list": .list([.integer(1), .record([:])]),
    ])
    #expect(
        value.json == """
            {"number":-3,"large":"18446744073709551615","real":0.1,"none":null,"on":true,"text":"a\\"b","bytes":"01ab",\
            "state":"pour","odd":9,"time":"2026-02-01T12:00:00.500Z","list":[1,{}]}
            """)
}

@Test func emptyListsStayLists() throws {
    let value = try RecordEncoder().encode(DrinkData(chunkIndex: 0, totalChunks: 0, recordCount: 0, records: []))
    #expect(
        value
            == .record([
                "chunk_index": .integer(0), "total_chunks": .integer(0), "record_count": .integer(0),
                "records": .list([]),
            ]))
}

@Test func storedJSONComesBack() throws {
    struct Stored: Codable, Equatable {
        var level: Double
        var names: [String]
        var isOn: Bool
        var last: Int?
    }
    let stored = Stored(level: 0.25, names: [], isOn: true, last: nil)
    let text = try RecordEncoder().encode(stored).json
    #expect(text == #"{"level":0.25,"names":[],"is_on":true}"#)
    #expect(try RecordDecoder().decode(Stored.self, from: Value(JSONValue(reading: Array(text.utf8)))) == stored)
}
