import Profile
import Testing

@testable import profile_compiler

/// Swift types generated from a profile's types.
struct GeneratedTypesTests {
    /// The generated declarations of a profile with these types, without their indentation.
    private func declarations(_ types: String) throws -> [String] {
        let text = "profile: {id: box, title: Box, version: \"1\", format: 1}\ntypes:\n" + types
        let profile = try ProfileReader.read(text, file: "box.yaml")
        return SwiftTypes(profile).text.split(separator: "\n").map { String($0.drop { $0 == " " }) }
    }

    /// Whether the declarations contain these consecutive lines.
    private func contains(_ lines: [String], _ declarations: [String]) -> Bool {
        declarations.indices.contains { declarations[$0...].starts(with: lines) }
    }

    @Test func aStructureIsAStructOfItsFields() throws {
        let lines = try declarations(
            """
              state:
                title: State
                doc: what the box shows
                fields:
                  - {name: level, type: u16, unit: ml, doc: filled}
                  - {name: reserved_1, type: u8, constant: 0}
                  - {name: raw, type: i8, when: level > 9}
                  - {name: name, type: string}
            """)
        #expect(
            lines == [
                "extension DeviceProfile {", "/// State: what the box shows", "struct State: ProfileValue {",
                "static let typeName = \"state\"", "/// Filled. In ml.", "var level: Int", "var reserved1: Int = 0",
                "var raw: Int? = nil", "var name: String", "enum CodingKeys: String, CodingKey {",
                "case level = \"level\"", "case reserved1 = \"reserved_1\"", "case raw = \"raw\"",
                "case name = \"name\"", "}", "}", "}",
            ])
    }

    @Test func numbersAreReadByTheirPaths() throws {
        let lines = try declarations(
            """
              state:
                fields:
                  - {name: level, type: u16}
                  - {name: flags, type: u8, bits: [{name: lid_open, bit: 0}, {name: speed, bits: [1, 2]}]}
            """)
        #expect(lines.contains("static let paths = [\"level\", \"flags.lid_open\", \"flags.speed\"]"))
        #expect(lines.contains("self.init(level: value1, flags: Flags(lidOpen: value2, speed: value3))"))
        #expect(
            contains(
                [
                    "struct Flags: Codable, Hashable, Sendable {", "var lidOpen: Bool", "var speed: Int", "}",
                ], lines))
    }

    @Test func anEnumerationKeepsNumbersWithoutName() throws {
        let lines = try declarations(
            """
              mode: {type: u8, values: {0: off, 7: {name: default, doc: heats}}}
            """)
        #expect(
            lines == [
                "extension DeviceProfile {", "/// Mode", "enum Mode: RawRepresentable, Codable, Hashable, Sendable {",
                "case off", "/// Heats.", "case `default`", "/// A number without a name.", "case unnamed(Int)",
                "init(rawValue: Int) {", "switch rawValue {", "case 0: self = .off", "case 7: self = .`default`",
                "default: self = .unnamed(rawValue)", "}", "}", "var rawValue: Int {", "switch self {",
                "case .off: 0", "case .`default`: 7", "case .unnamed(let number): number", "}", "}",
                "/// Whether the profile names the number.",
                "var isNamed: Bool { if case .unnamed = self { false } else { true } }", "}", "}",
            ])
    }

    /// A field's enumeration is nested in its struct, a type's enumeration is shared; `Type` is not a valid name for a
    /// nested type.
    @Test func fieldsHaveTheTypesOfTheirEnumerations() throws {
        let lines = try declarations(
            """
              mode: {type: u8, values: {0: off, 1: heat}}
              state:
                fields:
                  - {name: mode, type: mode}
                  - {name: type, type: u8, values: {0: cup, 1: pot}}
                  - {name: bits, type: u8, bits: [{name: speed, bits: [0, 1], values: {0: slow, 1: fast}}]}
            """)
        for line in ["var mode: Mode", "var type: Kind", "var speed: Speed"] { #expect(lines.contains(line)) }
        #expect(lines.count { $0.hasPrefix("enum Mode:") } == 1)
        #expect(
            lines.contains(
                "self.init(mode: .init(rawValue: value1), type: .init(rawValue: value2), "
                    + "bits: Bits(speed: .init(rawValue: value3)))"))
    }

    @Test func anEnumerationThatSwiftCannotNameIsANumber() throws {
        let lines = try declarations(
            """
              state:
                fields:
                  - {name: mode, type: u8, values: {0: unnamed, 1: heat}}
                  - {name: word, type: u8, values: {0: a_b, 1: a__b}}
            """)
        #expect(lines.contains("var mode: Int"))
        #expect(lines.contains("var word: Int"))
    }

    private let request = """
          request:
            switch: {name: opcode, type: u8}
            cases:
              - {value: 1, length: 4, name: fill, doc: fills the box, fields: [{name: amount, type: u16},
                  {name: unused, type: u8, constant: 0}]}
              - {value: 2, length: 1, name: stop, fields: []}
              - {value: 3, name: heat, fields: [{name: degrees, type: f32}]}
            otherwise: {name: unknown, fields: [{name: rest, type: bytes}]}
        """

    @Test func aChoiceIsAStructOfTheFieldsOfItsCases() throws {
        let lines = try declarations(request)
        #expect(
            contains(
                [
                    "struct Request: ProfileValue {", "static let typeName = \"request\"", "var opcode: Opcode",
                    "/// Of `fill`.", "var amount: Int? = nil", "/// Of `heat`.", "var degrees: Float? = nil",
                    "/// Of `unknown`.", "var rest: [UInt8]? = nil",
                    "enum Opcode: RawRepresentable, Codable, Hashable, Sendable {", "/// Fills the box.", "case fill",
                    "case stop", "case heat",
                ], lines))
    }

    @Test func aChoiceHasAValueForEachCase() throws {
        #expect(
            try contains(
                [
                    "/// Fill: fills the box", "static func fill(amount: Int) -> Self {",
                    "Self(opcode: .fill, amount: amount)", "}", "/// Stop", "static var stop: Self {",
                    "Self(opcode: .stop)", "}",
                ], declarations(request)))
    }

    @Test func aCaseWithOtherFieldsThanNumbersIsReadAsAWhole() throws {
        #expect(
            try contains(
                [
                    "guard let value1 = numbers.integer() else { return nil }",
                    "if value1 == 3 || reading.isThere(\"rest\") {",
                    "guard let value = reading.decoded(as: Self.self) else { return nil }", "self = value", "return",
                    "}", "let value2 = numbers.integer()",
                    "self.init(opcode: .init(rawValue: value1), amount: value2)",
                ], declarations(request)))
    }

    @Test func aChoiceWhoseFieldsDisagreeHasNoStruct() throws {
        let lines = try declarations(
            """
              request:
                switch: {name: opcode, type: u8}
                cases:
                  - {value: 1, name: fill, fields: [{name: amount, type: u16}]}
                  - {value: 2, name: call, fields: [{name: amount, type: string}]}
            """)
        #expect(lines == [])
    }

    @Test func characteristicsHaveTheirNames() throws {
        let profile = try ProfileReader.read(
            """
            profile: {id: box, title: Box, version: "1", format: 1}
            types: {level: {type: u8}}
            gatt:
              - service: 180F
                name: battery
                characteristics: [{uuid: 2A19, name: battery_level, properties: [read], value: level}]
            """, file: "box.yaml")
        #expect(SwiftNames(profile).characteristicNames.contains("case batteryLevel = \"battery_level\"\n"))
    }

    @Test func timesAreConstantsInSeconds() throws {
        let lines = try source(
            """
            times:
              crossing: {time: 500 ms, doc: longest time that a notification may be on its way}
              full_push: {time: 10 s, doc: from a request to its answer, source: "main:712, section 10.6"}
            """)
        #expect(
            contains(
                [
                    "/// The times of the device and its client, in seconds.", "enum Time {",
                    "/// Longest time that a notification may be on its way.", "static let crossing = 0.5",
                    "/// From a request to its answer. src/main.cpp:712, section 10.6.",
                    "static let fullPush = 10.0", "}", "}",
                ], lines))
    }

    @Test func aProfileWithoutTimesHasNoEnumOfThem() throws {
        #expect(try !source("types: {level: {type: u8}}").contains("enum Time {"))
    }

    /// The source generated from a profile with these sections, in lines without their indentation.
    private func source(_ sections: String) throws -> [String] {
        let header = "{id: box, title: Box, version: \"1\", format: 1, abbreviations: {main: src/main.cpp}}"
        let text = try ProfileText(checking: "profile: \(header)\n\(sections)", file: "box.yaml")
        let source = try SwiftSource.text(of: text, scenarios: [], tests: [], hasValues: false)
        return source.split(separator: "\n").map { String($0.drop { $0 == " " }) }
    }
}
