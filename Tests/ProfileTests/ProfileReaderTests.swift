import Bluetooth
import Bytes
import Profile
import TestKit
import Testing

/// Reading valid profiles.
@Suite struct ProfileReaderTests {
    private func bottle() throws -> Profile {
        try ProfileReader.read(SampleProfile.bottle, file: "bottle.yaml")
    }

    private func field(_ name: String, of type: String) throws -> FieldDefinition {
        let target = TypeIndex(try bottle().types).target(of: name, in: type)
        guard case .field(let field)? = target else {
            throw Diagnostic("no field \(type).\(name)", at: SourcePlace(line: 1, column: 1))
        }
        return field
    }

    @Test func identity() throws {
        let header = try bottle().header
        #expect(header.id == "bottle")
        #expect(header.version == "1.0.0")
        #expect(header.firmware == "0.1.0")
        #expect(header.sources == ["the product document"])
        #expect(header.mtu == 247)
        #expect(header.dialects.map(\.title) == ["Shipped firmware", "Prd"])
        #expect(header.accepted.map(\.at) == ["drink_chunk"])
    }

    @Test func evidence() throws {
        let match = try bottle().match
        #expect(match.map(\.weight) == [100, 60, 30, 40])
        #expect(match.map(\.dialect) == ["shipped", nil, nil, nil])
        guard case .manufacturer(let company, let prefix) = match[2].sign else {
            Issue.record("expected manufacturer data, found \(match[2].sign)")
            return
        }
        #expect(company == 0x4C && prefix == [2, 0x15])
    }

    @Test func structure() throws {
        let profile = try bottle()
        #expect(profile.types.map(\.name).prefix(3) == ["timestamp", "current_state", "drink_chunk"])
        let level = try field("level", of: "current_state")
        #expect(level.title == "Level" && level.unit == "ml" && level.alias == "Bottle Level" && level.range == 0...830)
        #expect(try field("daily_total", of: "current_state").title == "Daily Total")
        #expect(try field("unsynced", of: "current_state").special == [0xFFFF: "unknown"])
        #expect(try field("temperature", of: "extras").scale == Scale(d: -2))
        #expect(try field("big", of: "extras").endian == .big)
        #expect(try field("reserved", of: "drink_chunk").constant == 0)
        #expect(level.place == SourcePlace(line: 32, column: 9))
    }

    @Test func kinds() throws {
        guard case .bits(1, let parts, false) = try field("flags", of: "current_state").kind else {
            Issue.record("flags are not bits")
            return
        }
        #expect(parts.map(\.bits) == [0...0, 1...1, 4...6])
        #expect(parts[2].cases.map(\.name) == ["off", "on"] && parts[2].cases[1].alias == "Enabled")
        guard case .enumeration(1, let cases) = try field("delta", of: "extras").kind else {
            Issue.record("delta is no enumeration")
            return
        }
        #expect(cases.map(\.value) == [0xFF, 1])
        guard case .text(.computed(let length), .nul) = try field("model", of: "extras").kind else {
            Issue.record("model has no computed length")
            return
        }
        #expect(length.text == "size - 1" && length.place == SourcePlace(line: 64, column: 64))
        guard case .computed(let count)? = try field("records", of: "drink_chunk").count else {
            Issue.record("records have no computed count")
            return
        }
        #expect(count.fields == ["record_count"])
    }

    @Test func choice() throws {
        let type = try #require(TypeIndex(try bottle().types)["command"])
        guard case .choice(let choice) = type.form else {
            Issue.record("command is no choice")
            return
        }
        #expect(choice.discriminant.name == "opcode")
        #expect(choice.cases.map(\.name) == ["tare_now", "set_time"] && choice.cases.map(\.value) == [1, 16])
        #expect(choice.cases.map(\.length) == [4, 5] && choice.cases[1].title == "Set Time")
        #expect(choice.otherwise?.fields.map(\.name) == ["parameters"])
    }

    @Test func attributes() throws {
        let profile = try bottle()
        let service = try #require(profile.services.first)
        #expect(service.dialect == "shipped" && !service.isOptional)
        #expect(
            service.characteristics.map(\.properties) == [
                [.read, .notify], [.read, .notify], .write, [.read, .notify],
            ])
        let state = service.characteristics[0]
        #expect(state.length == 14...14 && state.knownHandles == [Handle(0x2A)])
        #expect(state.readings.count == 4)
        #expect(Set(service.characteristics[1].readings.keys) == [.read, .notify])
        let extras = try #require(service.characteristics[3].readings[.notify])
        #expect(extras.alternatives.map(\.type) == ["extras", "drink_chunk", "calibration_state"])
        #expect(extras.alternatives.map { $0.condition == nil } == [false, false, true])
        #expect(service.characteristics[3].descriptors.map(\.uuid) == [UUID(0x2901)])
        #expect(profile.advertising.count == 2)
        #expect(profile.messages.first?.timeout == 5)
    }

    @Test func behaviour() throws {
        let profile = try bottle()
        #expect(profile.rules.map(\.id) == (1...10).map { "B-\($0)" } + ["BOTTLE-CHECKSUM"])
        guard case .reply(let after, let expected, 2) = profile.rules[4].kind else {
            Issue.record("B-5 is no reply within 2 s")
            return
        }
        #expect(after.characteristic == "command" && after.condition != nil && expected.operation == .notify)
        guard case .order(_, let needed) = profile.rules[6].kind else {
            Issue.record("B-7 is no order")
            return
        }
        #expect(needed.isConfiguration && needed.characteristic == "drink_data")
        #expect(profile.sequences.first?.transitions.map(\.to) == [["triggered"], ["started", "idle"], ["idle"]])
        #expect(profile.emulation?.interval == 1)
        #expect(profile.emulation?.reactions.map(\.actions.count) == [4, 1])
    }

    @Test func times() throws {
        let text = ProfileSamples.profile(
            """
            times:
              crossing: {time: 2 s, doc: longest time that a notification may be on its way}
              push: {time: 0.45 s, doc: "from a request\\nto its answer", source: "main:712, main, section 10.6"}
              full_push: {time: 500 ms, doc: the same of all values, source: the document}
            """, header: "abbreviations: {main: src/main.cpp}")
        let times = try ProfileReader.read(text, file: "test.yaml").times
        #expect(times.map(\.name) == ["crossing", "push", "full_push"])
        #expect(times.map(\.seconds) == [2, 0.45, 0.5])
        #expect(times.map(\.source) == [nil, "src/main.cpp:712, src/main.cpp, section 10.6", "the document"])
        #expect(times[1].doc == "from a request to its answer")
        #expect(times[1].place == SourcePlace(line: 4, column: 3))
    }

    @Test func vectors() throws {
        let vectors = try bottle().vectors
        guard case .value(.record(let record)) = vectors[0].expectation else {
            Issue.record("the first vector has no record")
            return
        }
        #expect(record["timestamp"] == .time(1_769_947_200, nanoseconds: 1_769_947_200_000_000_000))
        #expect(record["weight"] == .integer(412))
        #expect(record["unsynced"] == .named(0xFFFF, "unknown"))
        guard case .record(let flags)? = record["flags"] else {
            Issue.record("flags are no record")
            return
        }
        #expect(flags["time_valid"] == .boolean(true) && flags["mode"] == .named(1, "on"))
        guard case .value(.record(let command)) = vectors[1].expectation else {
            Issue.record("the second vector has no record")
            return
        }
        #expect(command["opcode"] == .named(16, "set_time"))
        #expect(vectors[0].bytes.count == 14 && vectors[3].bytes == [0x40, 0x40])
    }

    /// YAML's own rules would give these scalars other types.
    @Test(arguments: [
        ("version: 1.0", "1.0"), ("version: 1_0", "1_0"), ("version: on", "on"), ("version: 0x10", "0x10"),
        ("version: 2026-01-01", "2026-01-01"), ("version: 'null'", "null"), ("version: 1.10", "1.10"),
    ])
    func textsAreTakenAsTheyAreWritten(line: String, expected: String) throws {
        let text = "profile: {id: test, title: Test, format: 1, \(line)}"
        #expect(try ProfileReader.read(text, file: "test.yaml").header.version == expected)
    }

    @Test(arguments: [
        ("5", 5.0), ("5 s", 5), ("500 ms", 0.5), ("2 min", 120), ("8 h", 28_800), ("0.5", 0.5), ("1s", 1),
    ])
    func durations(text: String, seconds: Double) throws {
        let profile = ProfileSamples.profile("emulate: {interval: \(text)}")
        #expect(try ProfileReader.read(profile, file: "test.yaml").emulation?.interval == seconds)
    }

    @Test func aliasesStandForWhatTheyName() throws {
        let profile = ProfileSamples.profile(
            """
            types:
              a: {fields: &common [{name: x, type: u8}]}
              b: {fields: *common}
            rules: []
            """, header: "doc: \"* stays *\"")
        let read = try ProfileReader.read(profile, file: "test.yaml")
        #expect(read.types.map { $0.title } == ["A", "B"])
        #expect(read.header.doc == "* stays *")
        guard case .structure(let fields)? = read.types.last?.form else {
            Issue.record("b is no structure")
            return
        }
        #expect(fields.map(\.name) == ["x"])
    }
}
