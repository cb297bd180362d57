import PDUTestKit
import Profile
import TestKit
import Testing

/// A vector of a protocol document: type, bytes and decoded value.
struct WorkedExample: Sendable, CustomTestStringConvertible {
    var id: String
    var type: String
    var hex: String
    var value: Value

    var testDescription: String { id }
}

private func drink(_ id: Int64, _ time: String, _ amount: Int64, _ level: Int64, _ type: String) -> Value {
    .record([
        "record_id": .integer(id), "timestamp": .text(time), "amount": .integer(amount), "level_after": .integer(level),
        "type": .text(type),
        "flags": .record(["synced": .boolean(false), "day": .boolean(false), "deleted": .boolean(false)]),
    ])
}

private func state(
    _ time: Value, _ weight: Int64, _ level: Int64, _ daily: Int64, _ battery: Int64, _ flags: Set<String>,
    _ unsynced: Int64
) -> Value {
    let names = ["time_valid", "calibrated", "stable", "cal_measuring", "cal_result", "low_battery"]
    var parts = Record()
    parts.fields = names.map { ($0, .boolean(flags.contains($0))) }
    return .record([
        "timestamp": time, "weight": .integer(weight), "level": .integer(level), "daily_total": .integer(daily),
        "battery": .integer(battery), "flags": .record(parts), "unsynced": .integer(unsynced),
    ])
}

private let records = [
    drink(101, "2026-02-01T11:00:00Z", 45, 785, "gulp"), drink(102, "2026-02-01T11:30:00Z", 150, 635, "pour"),
    drink(103, "2026-02-01T11:55:00Z", 223, 412, "pour"),
]

private func chunk(_ index: Int64, _ total: Int64, _ records: [Value]) -> Value {
    .record([
        "chunk_index": .integer(index), "total_chunks": .integer(total), "record_count": .integer(Int64(records.count)),
        "reserved": .integer(0), "records": .list(records),
    ])
}

/// Chapter 13 of the Aquavate protocol document.
private let examples: [WorkedExample] = [
    .init(
        id: "V-CS-BOOT", type: "current_state", hex: "00 00 00 00 00 00 00 00 00 00 00 00 00 00",
        value: state(.integer(0), 0, 0, 0, 0, [], 0)),
    .init(
        id: "V-CS-NORMAL", type: "current_state", hex: "40 40 7F 69 9C 01 9C 01 E2 04 53 07 03 00",
        value: state(.text("2026-02-01T12:00:00Z"), 412, 412, 1250, 83, ["time_valid", "calibrated", "stable"], 3)),
    .init(
        id: "V-CS-NEGATIVE-LOWBAT", type: "current_state", hex: "7C 40 7F 69 F4 FF 00 00 E2 04 18 27 00 00",
        value: state(
            .text("2026-02-01T12:01:00Z"), -12, 0, 1250, 24, ["time_valid", "calibrated", "stable", "low_battery"], 0)),
    .init(
        id: "V-CS-CAL-RESULT-NEG", type: "current_state", hex: "BE 40 7F 69 90 EE FE FF E2 04 53 17 00 00",
        value: state(
            .integer(1_769_947_200 + 126), -4464, 65534, 1250, 83,
            ["time_valid", "calibrated", "stable", "cal_result"], 0)),
    .init(
        id: "V-CFG-UNCALIBRATED", type: "bottle_config", hex: "00 00 80 3F 00 00 00 00 3E 03 C4 09",
        value: .record(["scale": .real(1), "tare": .integer(0), "capacity": .integer(830), "goal": .integer(2500)])),
    .init(
        id: "V-CFG-READ", type: "bottle_config", hex: "E1 FA D9 43 0F 01 00 00 3E 03 C4 09",
        value: .record([
            "scale": .real(435.96), "tare": .integer(271), "capacity": .integer(830), "goal": .integer(2500),
        ])),
    .init(
        id: "V-SYNC-START-42-17", type: "sync_control", hex: "00 00 2A 00 01 00 11 00",
        value: .record([
            "start_index": .integer(0), "count": .integer(42), "command": .text("start"), "status": .text("idle"),
            "chunk_size": .integer(17),
        ])),
    .init(id: "V-DRINK-EMPTY", type: "drink_data", hex: "00 00 00 00 00 00", value: chunk(0, 0, [])),
    .init(
        id: "V-DRINK-3REC", type: "drink_data",
        hex: """
            00 00 01 00 03 00 65 00 00 00 30 32 7F 69 2D 00 11 03 00 00 66 00 00 00 38 39 7F 69 96 00 7B 02 01 00
            67 00 00 00 14 3F 7F 69 DF 00 9C 01 01 00
            """, value: chunk(0, 1, records)),
    .init(
        id: "V-DRINK-CHUNK1OF2", type: "drink_data", hex: "01 00 02 00 01 00 67 00 00 00 14 3F 7F 69 DF 00 9C 01 01 00",
        value: chunk(1, 2, [records[2]])),
    .init(
        id: "V-DRINK-NEGLEVEL", type: "drink_data", hex: "00 00 01 00 01 00 68 00 00 00 04 40 7F 69 A3 01 F9 FF 01 00",
        value: chunk(0, 1, [drink(104, "2026-02-01T11:59:00Z", 419, -7, "pour")])),
    .init(
        id: "V-CMD-TARE", type: "command", hex: "01 00 00 00",
        value: .record(["opcode": .text("tare_now"), "unused": .text("00 00 00")])),
    .init(
        id: "V-CMD-CAL-SET", type: "command", hex: "04 82 CD 01 00 F9 52 07 00 E1 FA D9 43",
        value: .record([
            "opcode": .text("cal_set_data"), "empty": .integer(118_146), "full": .integer(479_993),
            "scale": .real(435.96),
        ])),
    .init(
        id: "V-CMD-SET-TIME", type: "command", hex: "10 40 40 7F 69",
        value: .record(["opcode": .text("set_time"), "time": .text("2026-02-01T12:00:00Z")])),
    .init(
        id: "V-CMD-DELETE-102", type: "command", hex: "12 66 00 00 00",
        value: .record(["opcode": .integer(0x12), "record_id": .integer(102)])),
    .init(
        id: "SET_TIME of 4 bytes", type: "command", hex: "10 40 40 7F",
        value: .record(["opcode": .text("set_time"), "parameters": .text("40 40 7F")])),
    .init(
        id: "V-PRD-REFILL", type: "prd_record", hex: "66 00 00 00 38 39 7F 69 70 FE 3E 03 00 04 00 00",
        value: .record([
            "record_id": .integer(102), "timestamp": .text("2026-02-01T11:30:00Z"), "amount": .integer(-400),
            "bottle_level": .integer(830), "synced": .text("pending"), "type": .text("refill"), "reserved": .integer(0),
        ])),
    .init(
        id: "V-DIS-MODEL", type: "device_text", hex: "50 75 63 6B 20 76 31 2E 30 00",
        value: .record(["text": .text("Puck v1.0")])),
]

@Test(arguments: examples)
func workedExamplesHoldBothWays(_ example: WorkedExample) throws {
    let layout = try #require(compile(aquavateTypes).types[example.type])
    let bytes = hex(example.hex)
    #expect(try hexText(layout.encode(example.value)) == hexText(bytes))
    #expect(try layout.decode(bytes) == layout.canonical(example.value))
    #expect(try layout.encode(layout.decode(bytes)) == bytes)
    #expect(layout.lengths.contains(bytes.count))
}

@Test func decodedValuesAreCanonical() throws {
    let types = try compile(aquavateTypes).types
    let set = try #require(types["command"]).decode(hex("10 40 40 7F 69"))
    #expect(
        set
            == .record([
                "opcode": .named(0x10, "set_time"),
                "time": .time(1_769_947_200, nanoseconds: 1_769_947_200_000_000_000),
            ]))
    let text = try #require(types["device_text"]).decode(hex("30 2E 31 2E 30 00 DE AD BE EF"))
    #expect(text == .record(["text": .text("0.1.0")]))
}
