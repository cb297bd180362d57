import Bytes
import PDUTestKit
import Profile
import ProfileTools
import TestKit
import Testing

/// The lint findings of a profile, each as `check line: text`.
private func findings(_ text: String, strict: Bool = false) throws -> [String] {
    ProfileLint.report(on: try ProfileReader.read(text, file: "test.yaml"), strict: strict).findings
        .map { "\($0.check ?? "") \($0.place.line): \($0.text)" }
}

/// The types of the characteristics below.
private let types = """
    types:
      state:
        fields:
          - {name: level, type: u16, range: [0, 830]}
          - {name: mode, type: u8, values: {0: off, 1: on, 2: broken}}
      list:
        fields:
          - {name: count, type: u8, range: [0, 20]}
          - {name: records, type: state, count: count}
      order:
        switch: {name: opcode, type: u8}
        cases:
          - {value: 1, name: reset}
          - {value: 2, name: set, fields: [{name: goal, type: u16}]}
    """

private func profile(
    types: String = types, properties: String = "[read, notify]", value: String = "state", extra: String = "",
    header: String = "mtu: 64"
) -> String {
    ProfileSamples.profile(
        """
        \(types)
        gatt:
          - service: 6F75616B-7661-7465-2D00-000000000000
            name: bottle
            characteristics:
              - {uuid: 6F75616B-7661-7465-2D00-000000000001, name: level, properties: \(properties), value: \(value)}
              - {uuid: 6F75616B-7661-7465-2D00-000000000002, name: history, properties: [read], value: list}
              - {uuid: 6F75616B-7661-7465-2D00-000000000003, name: control, properties: [write], value: order}
        \(extra)
        """, header: header)
}

/// Lint of whole profiles.
@Suite struct ProfileLintTests {
    @Test func aGoodProfileHasNoFindings() throws {
        #expect(try findings(profile()) == [])
    }

    /// The cost of a finding does not grow with the number of findings.
    @Test(.timeLimit(.minutes(1)))
    func manyFindingsAreListedOnceEach() throws {
        let count = 20_000
        let many = (0..<count).map { "\n  unused_\($0): {type: u8}" }.joined()
        let found = try findings(profile().replacing("\ngatt:", with: "\(many)\ngatt:"))
        #expect(found.count == count)
        #expect(Set(found).count == count)
        #expect(found.allSatisfy { $0.hasPrefix("unused-type") })
    }

    @Test func aGeneratorNeedsAValueToBeginWith() throws {
        let reactions = "reactions: [{every: 1 s, do: [{notify: level, generator: {field: level, cycle: [1, 2]}}]}]"
        let found = try findings(profile(extra: "emulate: {\(reactions)}"))
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("missing-start-value") == true, "\(found)")
        let values = "values: [{characteristic: level, bytes: 01 00 01}]"
        #expect(try findings(profile(extra: "emulate: {\(values), \(reactions)}")) == [])
    }

    @Test func theSampleHasWhatItAccepts() throws {
        let report = ProfileLint.report(on: try ProfileReader.read(SampleProfile.bottle, file: "bottle.yaml"))
        #expect(report.findings.map(\.text) == [])
        #expect(
            report.accepted.map(\.finding.text) == [
                "drink_data: drink_chunk can take 286 bytes, but with an ATT_MTU of 247 a notification carries 244",
                "extras: drink_chunk can take 286 bytes, but with an ATT_MTU of 247 a notification carries 244",
            ])
    }

    @Test func aFindingIsDescribedWithItsPlaceAndWhatMendsIt() throws {
        let text = profile(value: "list", header: "mtu: 63")
        let report = ProfileLint.report(on: try ProfileReader.read(text, file: "test.yaml"))
        #expect(
            report.findings.first?.line(in: "a.yaml") == """
                a.yaml:20:9: error: level: list can take 61 bytes, but with an ATT_MTU of 63 a notification carries 60; \
                shorten it, give what counts in it a range, declare a larger mtu, or accept it with a reason [payload-exceeds-mtu]
                """)
    }

    @Test(arguments: [
        (
            "a: {fields: [{name: x, type: u8, bits: [{name: p, bits: [0, 3]}, {name: q, bits: [3, 4]}]}]}",
            "wrong-layout 3: q: other parts have these bits, too"
        ),
        (
            "a: {fields: [{name: x, type: bytes}, {name: y, type: u8}]}",
            "unreachable-field 3: y: x before it takes all bytes that there are"
        ),
        (
            "a: {switch: {name: o, type: u8}, cases: [{value: 1, name: p}, {value: 1, length: 1, name: q}]}",
            "unreachable-case 3: q: p in line 3 has the value 1 already"
        ),
        (
            "a: {fields: [{name: x, type: bytes, length: size}, {name: size, type: u8}]}",
            "wrong-layout 3: "
        ),
        (
            "a: {fields: [{name: x, type: u8, when: has(tracker)}]}",
            "wrong-layout 3: written() and has() are known only"
        ),
    ])
    func types(type: String, expected: String) throws {
        let text = ProfileSamples.profile("types:\n  \(type)\nadvertising: [{service_data: 0xFE95, value: a}]")
        let found = try findings(text)
        #expect(found.count == 1 && found.first?.hasPrefix(expected) == true, "\(found)")
    }

    @Test func aTypeThatNothingUses() throws {
        let text = ProfileSamples.profile("types: {a: {fields: [{name: x, type: u8}]}}")
        #expect(try findings(text) == ["unused-type 2: a: nothing uses this type"])
    }

    @Test func strictLintDemandsVectors() throws {
        let vectors =
            "vectors: [{id: V, type: list, hex: \"01 00 00 01\", value: {count: 1, records: [{level: 0, mode: on}]}}]"
        #expect(
            try findings(profile(extra: vectors), strict: true) == [
                "missing-vectors 11: order: no test vector"
            ])
    }

    @Test(arguments: [
        (
            "[{type: state}, {when: length == 3, type: list}]",
            "unreachable-alternative 20: level: list is never reached: the alternative in line 20 has no condition"
        ),
        (
            "[{when: length == 3, type: state}, {when: length == 3, type: list}, {type: state}]",
            "unreachable-alternative 20: level: list is never reached: line 20 has the same condition"
        ),
        ("state, length: 4", "wrong-length 20: level: its length is 4 bytes, but state takes 3 bytes"),
        (
            "state, cccd: false",
            "missing-cccd 20: level: clients cannot enable notifications without the descriptor 0x2902"
        ),
        (
            "[{when: has(levl), type: state}]",
            "unknown-name 20: level: there is no characteristic \"levl\"; did you mean \"level\"?"
        ),
    ])
    func values(value: String, expected: String) throws {
        #expect(try findings(profile(value: value)) == [expected])
    }

    @Test func twoCharacteristicsWithOneUUID() throws {
        let text = ProfileSamples.profile(
            """
            gatt:
              - service: 180F
                name: battery
                characteristics:
                  - {uuid: 2A19, name: level, properties: [read]}
                  - {uuid: 00002A19-0000-1000-8000-00805F9B34FB, name: other, properties: [read]}
            """)
        #expect(try findings(text) == ["duplicate-uuid 7: other: level in line 6 has the UUID 0x2a19 already"])
    }

    @Test func dialectsMayShareUUIDs() throws {
        let services = ["old", "new"].map { "  - {service: 180F, name: \($0)_battery, dialect: \($0)}" }
        let text = ProfileSamples.profile(
            "gatt:\n" + services.joined(separator: "\n"), header: "dialects: {old: {title: Old}, new: {title: New}}")
        #expect(try findings(text) == [])
    }

    @Test(arguments: [("u8", []), ("other", ["duplicate-uuid 7: new_level: old_level of dialect old in line 6"])])
    func aUUIDMeansTheSameInAllDialects(type: String, expected: [String]) throws {
        let services = [("old", "u8"), ("new", type)].map { dialect, type in
            "  - {service: 180F, name: \(dialect), dialect: \(dialect), characteristics: "
                + "[{uuid: 2A19, name: \(dialect)_level, properties: [read], value: \(type)_value}]}"
        }
        let text = ProfileSamples.profile(
            "types:\n  u8_value: {type: u8}\n  other_value: {type: i8}\ngatt:\n" + services.joined(separator: "\n"),
            header: "dialects: {old: {title: Old}, new: {title: New}}")
        let found = try findings(text).filter { !$0.hasPrefix("unused-type") }
        #expect(found.count == expected.count && zip(found, expected).allSatisfy { $0.hasPrefix($1) }, "\(found)")
    }

    @Test(arguments: [
        ("[{name: '^X', weight: 30}]", "weak-evidence 2: match: all evidence together comes to 30, and 50 are needed"),
        ("[{service: 180F, weight: 50}]", "ambiguous-evidence 2: match: many devices have the service 0x180f"),
        ("[{name: 'X*', weight: 60}]", "ambiguous-evidence 2: match: the pattern is found in every text"),
        ("[{manufacturer: {company: 76}, weight: 60}]", "ambiguous-evidence 2: match: a company has many devices"),
        ("[{name: X, weight: 60}, {name: X, weight: 50}]", "ambiguous-evidence 2: match: this stands here twice"),
        ("[{name: X, weight: 60, dialect: y}]", "unknown-name 2: match: there is no dialect \"y\""),
    ])
    func evidence(match: String, expected: String) throws {
        let found = try findings(ProfileSamples.profile("match: \(match)"))
        #expect(found.count == 1 && found.first?.hasPrefix(expected) == true, "\(found)")
    }

    @Test(arguments: [
        (
            "check: {on: notify levl, holds: level < 3}",
            "R: there is no characteristic \"levl\"; did you mean \"level\"?"
        ),
        (
            "check: {on: notify level, holds: levle < 3}",
            "R: there is no field \"levle\" in state; did you mean \"level\"?"
        ),
        ("increases: {on: read history, field: records.id}", "R: there is no field \"records.id\" in list"),
        ("sequence: startup", "R: there is no sequence \"startup\""),
        ("length: {on: notify level, is: [5, 9]}", "level: its length is 5 to 9 bytes, but state takes 3 bytes"),
        (
            "check: {on: read control, holds: length == 1}",
            "R: control has no read: this never happens"
        ),
        ("check: {on: notify level, holds: 'mode == 300'}", "R: mode == 300 is never true: mode is 0 to 255"),
        ("check: {on: notify level, holds: '300 >= mode'}", "R: mode <= 300 is always true: mode is 0 to 255"),
        (
            "reply: {after: write control, where: opcod == 1, expect: notify level, within: 1}",
            "R: there is no field \"opcod\" in order; did you mean \"opcode\"?"
        ),
    ])
    func rules(kind: String, expected: String) throws {
        let rule = "rules: [{id: R, text: t, role: peripheral, severity: error, \(kind)}]"
        let found = try findings(profile(extra: rule))
        #expect(found.count == 1 && found.first?.hasSuffix(" " + expected) == true, "\(found)")
    }

    @Test(arguments: [
        (
            "type: state, state: mode, transitions: {of: [on]}",
            "unknown-name 23: s: mode has no value \"of\"; did you mean \"off\" or \"on\"?"
        ),
        ("type: state, state: mod, transitions: {}", "unknown-name 23: s: there is no field \"mod\" in state"),
        (
            "type: state, state: mode, initial: [off], transitions: {off: [on], broken: [off]}",
            "unreachable-state 23: s: nothing leads from off to broken"
        ),
        (
            "type: stat, state: mode, transitions: {}",
            "unknown-name 23: s: there is no type \"stat\"; did you mean \"state\"?"
        ),
    ])
    func sequences(sequence: String, expected: String) throws {
        let found = try findings(profile(extra: "sequences: [{name: s, \(sequence)}]"))
        #expect(found.count == 1 && found.first?.hasPrefix(expected) == true, "\(found)")
    }

    /// Sequences do not apply to advertised data.
    @Test func aSequenceNeedsAConnection() throws {
        let text = ProfileSamples.profile(
            """
            types:
              beacon: {fields: [{name: mode, type: u8, values: {0: off, 1: on}}]}
            advertising: [{manufacturer_data: 0x0499, value: beacon}]
            sequences: [{name: s, type: beacon, state: mode, transitions: {off: [on], on: [off]}}]
            vectors: [{id: V, type: beacon, hex: "01", value: {mode: on}}]
            """)
        let found = try findings(text)
        #expect(
            found.map { $0.split(separator: " ").dropFirst(2).joined(separator: " ") } == [
                "s: beacon is only advertised, and a sequence needs a connection"
            ], "\(found)")
    }

    @Test(arguments: [
        ("value: {level: 2, mode: on}", "V: level: expected 2, found 1"),
        ("value: {level: 1, mode: on}", "none"),
        ("decodes_to: {level: 1, mode: off}", "V: mode: expected off (0), found on (1)"),
        ("error: needs", "V: expected an error with \"needs\", but it decodes to {level: 1, mode: on (1)}"),
    ])
    func vectors(meaning: String, expected: String) throws {
        let found = try findings(profile(extra: "vectors: [{id: V, type: state, hex: 01 00 01, \(meaning)}]"))
        #expect(found == (expected == "none" ? [] : ["failing-vector 23: \(expected)"]))
    }

    @Test(arguments: [
        ("01 00", "error: needs 1 byte", "none"),
        (
            "01", "error: needs 1 byte",
            "V: expected an error with \"needs 1 byte\", found \"Level: needs 2 bytes, 1 left\""
        ),
        ("01", "value: {level: 1, mode: on}", "V: cannot be decoded: Level: needs 2 bytes, 1 left"),
        ("01 00 01 FF", "value: {level: 1, mode: on}", "V: 1 of its bytes are left over"),
    ])
    func vectorsOfWrongLength(hex: String, meaning: String, expected: String) throws {
        let found = try findings(profile(extra: "vectors: [{id: V, type: state, hex: \"\(hex)\", \(meaning)}]"))
        #expect(found == (expected == "none" ? [] : ["failing-vector 23: \(expected)"]))
    }

    @Test(arguments: [
        ("values: [{characteristic: level, bytes: 00 01}]", "wrong-value 23: emulate: 2 bytes are no state for level"),
        ("values: [{characteristic: lvl, bytes: 00}]", "unknown-name 23: emulate: there is no characteristic \"lvl\""),
        ("reactions: [{on: subscribe lvl, do: []}]", "unknown-name 23: emulate: there is no characteristic \"lvl\""),
        (
            "advertising: [{manufacturer_data: 1, bytes: \(String(repeating: "00", count: 28))}]",
            "wrong-value 23: emulate: advertising: 28 bytes do not fit: an advertisement has room for 27"
        ),
        (
            "values: [{characteristic: level, bytes: 01 00 01}], reactions: [{every: 1, do: [{notify: level, generator: {field: x, random: [0, 1]}}]}]",
            "unknown-name 23: emulate: there is no field \"x\" in state"
        ),
    ])
    func emulation(emulation: String, expected: String) throws {
        let found = try findings(profile(extra: "emulate: {\(emulation)}"))
        #expect(found.count == 1 && found.first?.hasPrefix(expected) == true, "\(found)")
    }

    /// Vol 3, Part F, 3.2.9
    @Test(arguments: [512, 600]) func aValueHas512BytesAtMost(length: Int) throws {
        let text = ProfileSamples.profile(
            """
            types: {label: {type: string}}
            gatt:
              - service: 6F75616B-7661-7465-2D00-000000000000
                name: bottle
                characteristics:
                  - {uuid: 6F75616B-7661-7465-2D00-000000000001, name: owner, properties: [read], value: label}
            emulate: {values: [{characteristic: owner, value: \(String(repeating: "A", count: length))}]}
            """)
        let found = try findings(text)
        let fault = "wrong-value 8: emulate: owner: expected a value of 512 bytes at most, found 600"
        #expect(found == (length > 512 ? [fault] : []))
    }

    @Test(arguments: [
        ("advertise", "state", "level < 5", "none"),
        ("advertise state", "state", "level < 5", "none"),
        ("advertise list", "state", "u8(0) < 5", "unknown-name 24: R: no advertised data have the type \"list\""),
        ("advertise", "state", "lvl < 5", "unknown-name 24: R: there is no field \"lvl\" in state"),
    ])
    func advertisements(event: String, type: String, condition: String, expected: String) throws {
        let extra = """
            advertising: [{manufacturer_data: 0xFFFF, value: \(type)}]
            rules: [{id: R, text: t, role: peripheral, severity: error, check: {on: \(event), holds: \(condition)}}]
            """
        let found = try findings(profile(extra: extra))
        #expect(expected == "none" ? found == [] : found.first?.hasPrefix(expected) == true, "\(found)")
    }

    @Test func anAdvertisementNeedsAType() throws {
        let rule = "length: {on: advertise, is: 4}"
        let found = try findings(
            profile(extra: "rules: [{id: R, text: t, role: peripheral, severity: error, \(rule)}]"))
        #expect(found == ["unknown-name 23: R: the profile reads nothing that is advertised"])
    }

    @Test func anAcceptanceThatMatchesNothingIsAFinding() throws {
        let accepted = "mtu: 64, accepted: [{finding: missing-cccd, at: level, reason: none}]"
        #expect(
            try findings(profile(header: accepted)) == ["unused-acceptance 1: missing-cccd is not found in level"])
    }
}
