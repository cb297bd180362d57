import Profile

/// The payloads of the Aquavate puck's protocol document, chapter 4.
let aquavateTypes: [TypeDefinition] = [
    .scalar("timestamp", .unsigned(bytes: 4)) { $0.rendering = .timestamp(epoch: 0, resolution: 1) },
    .structure(
        "current_state",
        [
            .make("timestamp", .type("timestamp")), .i16("weight") { $0.unit = "g" },
            .u16("level") {
                $0.unit = "ml"
                $0.range = 0...830
                $0.alias = "Bottle Level"
            },
            .u16("daily_total") { $0.unit = "ml" },
            .u8("battery") {
                $0.unit = "%"
                $0.range = 0...100
            },
            .flags(
                "flags",
                [
                    "time_valid": 0...0, "calibrated": 1...1, "stable": 2...2, "cal_measuring": 3...3,
                    "cal_result": 4...4, "low_battery": 5...5,
                ]),
            .u16("unsynced"),
        ]),
    .structure(
        "bottle_config", [.f32("scale"), .i32("tare"), .u16("capacity"), .u16("goal")]),
    .structure(
        "sync_control",
        [
            .u16("start_index"), .u16("count"), .names("command", [0: "query", 1: "start", 2: "ack"]),
            .names("status", [0: "idle", 1: "in_progress", 2: "complete"]), .u16("chunk_size"),
        ]),
    .structure(
        "drink_record",
        [
            .u32("record_id"), .make("timestamp", .type("timestamp")), .i16("amount"), .i16("level_after"),
            .names("type", [0: "gulp", 1: "pour"]), .flags("flags", ["synced": 0...0, "day": 1...1, "deleted": 2...2]),
        ]),
    .structure(
        "drink_data",
        [
            .u16("chunk_index"), .u16("total_chunks"), .u8("record_count") { $0.range = 0...20 },
            .u8("reserved") { $0.constant = 0 },
            .make("records", .type("drink_record")) { $0.count = .computed(expression("record_count")) },
        ]),
    .choice(
        "command", .u8("opcode") { $0.rendering = .hex },
        [
            .make(0x01, "tare_now", length: 4, [.make("unused", .bytes(.fixed(3)))]),
            .make(0x04, "cal_set_data", length: 13, [.i32("empty"), .i32("full"), .f32("scale")]),
            .make(0x10, "set_time", length: 5, [.make("time", .type("timestamp"))]),
            .make(0x12, "delete_drink", length: 5, [.u32("record_id")]),
            .make(0x31, "get_motion", length: 4, [.u8("chunk"), .u16("unused")]),
        ], otherwise: .make(0, "unknown", [.make("parameters", .bytes(.rest))])),
    .structure(
        "prd_record",
        [
            .u32("record_id"), .make("timestamp", .type("timestamp")), .i16("amount"), .i16("bottle_level"),
            .names("synced", [0: "pending", 1: "synced"]),
            .names("type", [1: "sip", 2: "gulp", 3: "pour", 4: "refill"]),
            .u16("reserved") { $0.constant = 0 },
        ]),
    .structure("device_text", [.make("text", .text(.rest, end: .nul))]),
]
