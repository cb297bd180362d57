import Profile

/// Types that together use every feature of a type.
let kitchenSink: [TypeDefinition] = [
    .structure(
        "numbers",
        (1...8).flatMap { size -> [FieldDefinition] in
            [
                .make("u\(size)", .unsigned(bytes: size)), .make("i\(size)", .signed(bytes: size)),
                .make("big_u\(size)", .unsigned(bytes: size)) { $0.endian = .big },
                .make("big_i\(size)", .signed(bytes: size)) { $0.endian = .big },
            ]
        }
            + [2, 4, 8].flatMap { size -> [FieldDefinition] in
                [
                    .make("f\(size)", .float(bytes: size)),
                    .make("big_f\(size)", .float(bytes: size)) { $0.endian = .big },
                ]
            } + [.make("short", .medical(bytes: 2)), .make("long", .medical(bytes: 4))]),
    .structure(
        "named",
        [
            .names("state", [0: "idle", 7: "busy", 200: "done"]), .names("on", [0: "false", 1: "true"]),
            .make("wide", .enumeration(bytes: 2, [EnumerationCase(value: 0xABCD, name: "odd")])) { $0.endian = .big },
            .u16("level") {
                $0.special = [0xFFFF: "unknown", 0xFFFE: "out_of_range"]
                $0.scale = Scale(d: -1)
                $0.range = 0...100
            },
            .i16("temperature") {
                $0.special = [0x8000: "unknown"]
                $0.scale = Scale(d: -2, offset: 25.5)
            },
            .make("binary", .signed(bytes: 3)) { $0.scale = Scale(m: 3, b: -10) },
            .u32("time") { $0.rendering = .timestamp(epoch: 946_684_800, resolution: 0.125) },
            .make("far", .unsigned(bytes: 8)) { $0.rendering = .timestamp(epoch: 0, resolution: 1) },
            .make("peer", .address), .make("big_peer", .address) { $0.endian = .big }, .make("short", .uuid(bytes: 2)),
            .make("long", .uuid(bytes: 16)), .make("big_long", .uuid(bytes: 16)) { $0.endian = .big },
        ]),
    .structure(
        "parts",
        [
            .make(
                "bits",
                .bits(
                    bytes: 3,
                    [
                        BitsDefinition(name: "low", title: "Low", bits: 0...0, place: somewhere),
                        signedPart("height", 1...7), namedPart("mode", 8...9),
                        BitsDefinition(name: "wide", title: "Wide", bits: 10...23, place: somewhere),
                    ], ignoresOthers: false)
            ) { $0.endian = .big },
            .flags("all", ["low": 0...31, "high": 32...63], bytes: 8),
            .flags("few", ["one": 3...3], bytes: 2, ignoresOthers: true),
        ]),
    .structure(
        "texts",
        [
            .u8("size") { $0.range = 0...20 }, .make("fixed", .text(.fixed(4), end: .length)),
            .make("padded", .text(.fixed(6), end: .nul)),
            .make("sized", .text(.computed(expression("size % 8")), end: .length)),
            .make("data", .bytes(.computed(expression("min(size, 3)")))), .make("rest", .text(.rest, end: .nul)),
        ]),
    .structure("point", [.i16("x"), .i16("y"), .flags("flags", ["hidden": 0...0], ignoresOthers: true)]),
    .structure(
        "lists",
        [
            .u8("count"), .make("points", .type("point")) { $0.count = .computed(expression("count & 3")) },
            .u16("numbers") { $0.count = .fixed(3) },
            .u8("sum_of_x") { $0.condition = expression("sum(points.x) > 0") },
            .u8("many") { $0.condition = expression("count(points) >= 2") },
            .make("groups", .type("group")) { $0.count = .rest },
        ]),
    .structure(
        "group",
        [
            .u8("size"), .make("points", .type("point")) { $0.count = .computed(expression("size & 1")) },
            .u8("hidden") { $0.condition = expression("sum(points.flags.hidden) == 1") },
            .u8("long") { $0.condition = expression("count(points) > 0 && size > 100") },
        ]),
    .structure(
        "checked",
        [
            .u8("head"), .u16("first"), .make("sum", .checksum(Checksum(.sum8))),
            .make("crc", .checksum(Checksum(.crc16CCITT, from: "first"))),
            .make("all", .checksum(Checksum(.crc32))) { $0.endian = .big },
        ]),
    .choice(
        "message", .u16("kind") { $0.endian = .big },
        [
            .make(1, "empty", length: 2, []), .make(1, "one", length: 3, [.u8("value")]),
            .make(2, "nested", [.make("inner", .type("inner")), .u8("end")]),
        ], otherwise: .make(0, "other", [.make("data", .bytes(.rest))])),
    .choice(
        "inner", .names("sort", [0: "none", 1: "number"]),
        [.make(0, "none", []), .make(1, "number", [.u16("number")])], otherwise: .make(0, "rest", [.u8("byte")])),
    .structure(
        "optional",
        [
            .flags("flags", ["has_time": 0...0, "has_point": 1...1, "big": 2...2]),
            .u32("time") { $0.condition = expression("flags.has_time") },
            .make("point", .type("point")) { $0.condition = expression("flags.has_point && !flags.big") },
            .u8("after") { $0.condition = expression("point.x > 0") },
            .u8("short") { $0.condition = expression("length < 4") },
            .u8("named") { $0.condition = expression("u8(0) & 7 in {3, 7}") },
        ]),
    .scalar("level", .unsigned(bytes: 1)) { $0.unit = "%" },
    .scalar("word", .text(.rest, end: .length)),
    .scalar(
        "status",
        .bits(bytes: 1, [BitsDefinition(name: "on", title: "On", bits: 0...0, place: somewhere)], ignoresOthers: true)),
]

private func signedPart(_ name: String, _ bits: ClosedRange<Int>) -> BitsDefinition {
    var part = BitsDefinition(name: name, title: name, bits: bits, place: somewhere)
    part.isSigned = true
    return part
}

private func namedPart(_ name: String, _ bits: ClosedRange<Int>) -> BitsDefinition {
    var part = BitsDefinition(name: name, title: name, bits: bits, place: somewhere)
    part.cases = [EnumerationCase(value: 0, name: "off"), EnumerationCase(value: 2, name: "on")]
    return part
}
