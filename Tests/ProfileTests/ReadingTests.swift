import Bluetooth
import Bytes
import PDUTestKit
import Profile
import TestKit
import Testing

/// The recorded fields of a value, each with its depth, value and range.
private func tree(_ layout: Layout, _ bytes: [UInt8]) throws -> [String] {
    let recorder = FieldRecorder()
    var reader = ByteReader(bytes.span, recorder: recorder)
    try layout.read(&reader)
    return recorder.fields.map {
        "\(String(repeating: "  ", count: Int($0.depth)))\($0.field.name) \($0.value) \($0.offset)+\($0.length)"
    }
}

@Test func fieldsHaveTheNamesOfTheirPath() throws {
    let layout = try #require(compile(aquavateTypes).types["drink_data"])
    let bytes = hex("01 00 02 00 01 00 67 00 00 00 14 3F 7F 69 DF 00 9C 01 01 05")
    #expect(
        try tree(layout, bytes) == [
            "test.drink_data 0 0+20", "  test.drink_data.chunk_index 1 0+2", "  test.drink_data.total_chunks 2 2+2",
            "  test.drink_data.record_count 1 4+1", "  test.drink_data.reserved 0 5+1",
            "  test.drink_data.records 0 6+14", "    test.drink_data.records.record_id 103 6+4",
            "    test.drink_data.records.timestamp 1769946900 10+4", "    test.drink_data.records.amount 223 14+2",
            "    test.drink_data.records.level_after 412 16+2", "    test.drink_data.records.type 1 18+1",
            "    test.drink_data.records.flags 5 19+1", "      test.drink_data.records.flags.synced 1 19+1",
            "      test.drink_data.records.flags.day 0 19+1", "      test.drink_data.records.flags.deleted 1 19+1",
        ])
}

@Test func casesAreGroups() throws {
    let layout = try #require(compile(aquavateTypes).types["command"])
    #expect(
        try tree(layout, hex("12 66 00 00 00")) == [
            "test.command 0 0+5", "  test.command.opcode 18 0+1", "  test.command.delete_drink 0 1+4",
            "    test.command.delete_drink.record_id 102 1+4",
        ])
    #expect(
        try tree(layout, hex("12 66")) == [
            "test.command 0 0+2", "  test.command.opcode 18 0+1", "  test.command.unknown 0 1+1",
            "    test.command.unknown.parameters 0 1+1",
        ])
}

@Test func aCaseEndsWhereItsLastFieldDoes() throws {
    let layout = try #require(compile(kitchenSink).types["message"])
    #expect(
        try tree(layout, hex("0002 01 3412 63")) == [
            "test.message 0 0+6", "  test.message.kind 2 0+2", "  test.message.nested 0 2+4",
            "    test.message.nested.inner 0 2+3", "      test.message.nested.inner.sort 1 2+1",
            "      test.message.nested.inner.number 0 3+2", "        test.message.nested.inner.number.number 4660 3+2",
            "    test.message.nested.end 99 5+1",
        ])
}

@Test func singleFieldsAreTheirOwnGroup() throws {
    let profile = try compile(kitchenSink)
    let level = try #require(profile.types["level"])
    #expect(try tree(level, [83]) == ["test.level 83 0+1"])
    #expect(level.group.name == "test.level")
    #expect(level.group.unit == "%")
    #expect(try level.decode([83]) == .integer(83))
    #expect(try level.encode(.integer(83)) == [83])
    let status = try #require(profile.types["status"])
    #expect(try tree(status, [1]) == ["test.status 1 0+1", "  test.status.on 1 0+1"])
    #expect(try status.decode([1]) == .record(["on": .boolean(true)]))
}

@Test func fieldsOfPayloadsAreDeclared() throws {
    var profile = Profile(
        header: Profile.Header(id: "test", title: "Test", version: "1", place: somewhere), file: "test.yaml")
    profile.types = aquavateTypes
    profile.messages = [
        MessageDefinition(
            name: "sync", title: "Sync", characteristic: "x", operation: .notify, framing: .lengthPrefix(bytes: 2),
            type: "sync_control", place: somewhere)
    ]
    let compiled = try CompiledProfile(profile)
    #expect(
        compiled.fields.map(\.name) == [
            "test.sync_control", "test.sync_control.start_index", "test.sync_control.count",
            "test.sync_control.command",
            "test.sync_control.status", "test.sync_control.chunk_size",
        ])
    #expect(compiled.types.count == aquavateTypes.count)
    let state = try #require(compiled.types["current_state"])
    #expect(state.lengths == 14...14)
    let recorder = FieldRecorder()
    let bytes = [UInt8](repeating: 0, count: 14)
    var reader = ByteReader(bytes.span, recorder: recorder)
    try state.read(&reader)
    let level = try #require(recorder.fields.first { $0.field.name == "test.current_state.level" })
    #expect(level.field.label == "level (Bottle Level)")
    #expect(level.field.unit == "ml")
}

@Test func namedFieldsHaveTheirNames() throws {
    let layout = try layout([
        .make("state", .enumeration(bytes: 1, [EnumerationCase(value: 1, name: "on", title: "On", alias: "Enabled")])),
        .i16("level") { $0.special = [0x8000: "unknown"] },
        .u16("company") { $0.assignedNames = .companies },
        .u16("other") { $0.filterName = "btatt.other" },
        .make("temperature", .signed(bytes: 2)) { $0.scale = Scale(d: -1, offset: -40) },
    ])
    let recorder = FieldRecorder()
    let bytes = hex("01 0080 4C00 0000 1A00")
    var reader = ByteReader(bytes.span, recorder: recorder)
    try layout.read(&reader)
    let fields = Array(recorder.fields.dropFirst())
    #expect(fields[0].field.names?[fields[0].value] == "On (Enabled)")
    #expect(fields[1].field.names?[fields[1].value] == "unknown")
    #expect(fields[2].field.names?[fields[2].value] == "Apple, Inc.")
    #expect(fields[3].field.name == "btatt.other")
    #expect(fields[4].field.scale == 0.1)
    #expect(fields[4].field.bias == -40)
}

@Test(
    arguments: [
        (.u8("value") { $0.constant = 0 }, "05", "value: 5; expected 0"),
        (
            .u8("value") {
                $0.range = 0...100
                $0.unit = "%"
            }, "65", "value: 101 % is outside of 0 to 100 %"
        ),
        (.i16("value") { $0.range = -50...1000 }, "C9FF", "value: -55 is outside of -50 to 1000"),
        (
            .u16("value") {
                $0.range = 0...10
                $0.scale = Scale(d: -1)
            }, "6500", "value: 10.1 is outside of 0 to 10"
        ),
        (
            .u16("value") {
                $0.range = 0.3...0.7
                $0.scale = Scale(d: -1)
            }, "0200", "value: 0.2 is outside of 0.3 to 0.7"
        ),
        (.f32("value") { $0.range = 100...800 }, "0000803F", "value: 1.0 is outside of 100 to 800"),
        (.f32("value") { $0.range = 100...800 }, "0000C07F", "value: nan is outside of 100 to 800"),
        (
            .make("value", .unsigned(bytes: 8)) { $0.range = 0...5 }, "FFFFFFFFFFFFFFFF",
            "value: 18446744073709551615 is outside of 0 to 5"
        ),
        (.flags("value", ["a": 0...5]), "C1", "value: reserved bits are set: 0xc0"),
        (.names("value", [0: "gulp", 1: "pour"]), "07", "value: 7 has no name here"),
        (.names("value", [0: "false", 1: "true"]), "07", "value: 7 has no name here"),
        (.u8("value"), "0102", "value: 1 byte left over"),
    ] as [(FieldDefinition, String, String)])
func whatIsNotAsTheProfileSaysIsRemarked(_ field: FieldDefinition, _ bytes: String, _ text: String) throws {
    let diagnostics = try layout([field]).diagnostics(on: hex(bytes))
    #expect(diagnostics.map(\.text) == [text])
    #expect(diagnostics.map(\.severity) == [text.hasSuffix("no name here") ? .note : .warning])
}

@Test(
    arguments: [
        (.u8("value") { $0.constant = 0 }, "00"), (.u8("value") { $0.range = 0...100 }, "64"),
        (
            .u8("value") {
                $0.range = 0...100
                $0.special = [255: "unknown"]
            }, "FF"
        ),
        (
            .u16("value") {
                $0.range = 0.3...0.7
                $0.scale = Scale(d: -1)
            }, "0300"
        ),
        (
            .u16("value") {
                $0.range = 0.3...0.7
                $0.scale = Scale(d: -1)
            }, "0700"
        ),
        (.flags("value", ["a": 0...5], ignoresOthers: true), "C1"), (.names("value", [200: "x"]), "C8"),
    ] as [(FieldDefinition, String)])
func whatTheProfileAllowsIsNotRemarked(_ field: FieldDefinition, _ bytes: String) throws {
    #expect(try layout([field]).diagnostics(on: hex(bytes)) == [])
}

/// An earlier write, as in a capture.
private struct Written: PayloadContext {
    var command: [UInt8]
    func written(to characteristic: String, at offset: Int) -> UInt8? {
        characteristic == "command" && command.indices.contains(offset) ? command[offset] : nil
    }
    func has(_ characteristic: String) -> Bool? { nil }
}

@Test func attributesChooseAmongTypes() throws {
    func alternative(_ condition: String?, _ type: String) -> PayloadChoice.Alternative {
        .init(condition: condition.map { expression($0) }, type: type, place: somewhere)
    }
    var profile = Profile(
        header: Profile.Header(id: "test", title: "Test", version: "1", place: somewhere), file: "test.yaml")
    profile.types = kitchenSink
    var stats = CharacteristicDefinition(
        uuid: UUID(0xAA07), name: "activity_stats", title: "Activity Stats", properties: [], place: somewhere)
    stats.readings[.notify] = PayloadChoice([
        alternative("written(command, 0) == 0x30", "point"), alternative("length == 1 + u8(0)", "texts"),
        alternative("has(other)", "level"), alternative(nil, "word"),
    ])
    var service = ServiceDefinition(uuid: UUID(0xAA00), name: "bottle", title: "Bottle", place: somewhere)
    service.characteristics = [stats]
    profile.services = [service]
    let reader = try #require(CompiledProfile(profile).attributes[UUID(0xAA07)])
    #expect(reader.usesContext)
    #expect(reader.service == UUID(0xAA00))
    func name(_ bytes: [UInt8], after command: [UInt8], _ operation: OperationKind = .notify) -> String? {
        reader.layout(for: operation, value: bytes.span.rawBytes, in: Written(command: command))?.name
    }
    #expect(name([1, 2], after: [0x30, 0]) == "point")
    #expect(name([1, 2], after: [0x31]) == "texts")
    #expect(name([1, 2, 3], after: []) == "word")
    #expect(name([], after: []) == "word")
    #expect(name([1, 2], after: [0x30], .read) == nil)
    #expect(reader.layouts(for: .notify).map(\.name) == ["point", "texts", "level", "word"])
}

/// Programs get the word of the profile, people its title, also for negative numbers in a field or part of one.
@Test func numbersBelowZeroHaveNames() throws {
    let profile = try compile([
        .structure(
            "sample",
            [
                .i16("temperature") { $0.special = [0x8000: "not_measured"] },
                .make(
                    "trend",
                    .bits(
                        bytes: 1,
                        [
                            BitsDefinition(name: "slope", title: "Slope", bits: 0...1, place: somewhere)
                                .signed(names: [0b11: "falling_fast"])
                        ], ignoresOthers: true)),
            ])
    ])
    let layout = try #require(profile.types["sample"])
    let recorder = FieldRecorder()
    let bytes = hex("00 80 03")
    var reader = ByteReader(bytes.span, recorder: recorder)
    try layout.read(&reader)
    let names = recorder.fields.compactMap { recorded in
        recorded.field.names.map {
            "\(recorded.field.name) \($0[recorded.value] ?? "") \($0.key(recorded.value) ?? "")"
        }
    }
    #expect(
        names == [
            "test.sample.temperature not measured not_measured",
            "test.sample.trend.slope falling fast falling_fast",
        ])
}

extension BitsDefinition {
    fileprivate func signed(names: [UInt64: String]) -> BitsDefinition {
        var part = self
        part.isSigned = true
        part.cases = names.map { EnumerationCase(value: $0.key, name: $0.value) }
        return part
    }
}
