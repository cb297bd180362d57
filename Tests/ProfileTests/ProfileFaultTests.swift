import Profile
import TestKit
import Testing

/// The reader's messages for invalid profiles.
@Suite struct ProfileFaultTests {
    @Test func tenFaultsAreFoundInOneRun() {
        let text = """
            profile:
              id: Wrong-Id
              title: Ten faults
              version: 1
              format: 1
              vendr: Nobody
            match:
              - {name: '^(', weight: 400}
              - {service: 0x18F, weight: 1_0}
            types:
              a:
                fields:
                  - {name: x, type: u12}
                  - {name: y, type: u8, range: [10, 1]}
                  - {name: y, type: b}
                  - {name: z, type: bytes, when: "x >= && 3"}
                  - {name: u, type: u16, scal: {d: -1}, bits: [{name: b, bit: 17}], unit: V}
              b:
                fields: [{name: again, type: b}]
            vectors:
              - {id: V-1, type: a, hex: "0g"}
            """
        #expect(
            ProfileSamples.faults(text) == [
                "2:7: id: expected a name of lower-case letters, digits and underscores that begins with a letter, like \"wrong_id\", found \"Wrong-Id\"",
                "6:3: unknown key \"vendr\"; did you mean \"vendor\"?",
                "8:12: name: expected a regular expression, found the text \"^(\": ) is missing",
                "8:26: weight: expected a whole number from 1 to 100, found \"400\"",
                "9:15: service: expected a UUID: 0x180F, 180F or all 36 characters, found \"0x18F\"",
                "9:30: weight: expected a whole number from 1 to 100, found \"1_0\"",
                "13:25: type: expected a type, found \"u12\"; did you mean \"u16\" or \"u32\"?",
                "14:36: range: expected the lower bound first, found \"10\" before \"1\"",
                "15:9: y: there is one of this name already, in line 14",
                "16:44: when: expected a value, found \"&&\"",
                "17:30: unknown key \"scal\"; did you mean \"scale\"?",
                "17:67: bit: expected a whole number from 0 to 15, found \"17\"",
                "17:73: unit: does not go with u16 with bits; a part may have it",
                "19:14: again: a type cannot contain itself: b → b",
                "21:5: vectors: expected what the bytes mean, \"value\", \"decodes_to\" or \"error\"; it is missing",
                "21:29: hex: expected bytes in hexadecimal, like \"40 40 7F 69\", found the text \"0g\"",
            ])
    }

    @Test func theFileIsNamed() {
        let error = #expect(throws: ProfileFaults.self) { try ProfileReader.read("profile: 5", file: "a/b.yaml") }
        #expect(error?.description == "a/b.yaml:1:10: error: profile: expected the profile's identity, found \"5\"")
    }

    /// The fields of a faulty type are unknown: values of it, and of types that contain it, are not checked.
    @Test func whatFollowsFromAFaultIsNotSaid() {
        let text = ProfileSamples.profile(
            """
            types:
              point: {fields: [{name: x, type: i61}, {name: y, type: u8}]}
              line: {fields: [{name: from, type: point}, {name: width, type: u8}]}
              broken: {title: Broken}
            vectors:
              - {id: A, type: point, hex: "01 02", value: {x: 1, y: 2}}
              - {id: B, type: line, hex: "01 02 03", value: {from: {x: 1, y: 2}, width: wide}}
              - {id: C, type: broken, hex: "01", value: {x: 1}}
            """)
        #expect(
            ProfileSamples.faults(text) == [
                "3:36: type: expected a type, found \"i61\"; did you mean \"i16\" or \"i64\"?",
                "5:11: broken: expected \"fields\", \"switch\" or \"type\"; it is missing",
                "8:77: width: expected a whole number from 0 to 255, found \"wide\"",
            ])
    }

    /// Sections of a profile, each with its only fault.
    @Test(arguments: [
        ("types: {a: {fields: [{name: x, type: b}]}, c: {fields: []}}", "2:38: type: expected a type, found \"b\""),
        (
            "types: {a: {fields: [{name: x, type: int16_t}]}}",
            "2:38: type: expected a type, found \"int16_t\"; did you mean \"i16\"?"
        ),
        (
            "types: {a: {fields: [{name: x, type: double}]}}",
            "2:38: type: expected a type, found \"double\"; did you mean \"f64\"?"
        ),
        (
            "types: {a: {fields: [{name: x, type: flags}]}}",
            "2:38: type: expected a type, found \"flags\"; possible are u8 to u64, i8 to i64, f16, f32, f64, sfloat, float,"
        ),
        (
            "types: {a: {fields: [{name: x, type: u8, range: 0-100}]}}",
            "2:49: range: expected two bounds, [lower, upper], found \"0-100\""
        ),
        (
            "types: {a: {fields: [{name: x, type: u8, special: unknown}]}}",
            "2:51: special: expected names by value, like {0xFF: unknown}, found \"unknown\""
        ),
        ("types: {u8: {fields: []}}", "2:9: u8: this is the name of a built-in type"),
        ("types: {a: {title: A}}", "2:12: a: expected \"fields\", \"switch\" or \"type\"; it is missing"),
        ("types: {a: {switch: {name: o, type: i8}, cases: []}}", "2:31: type: expected u8 to u64, found \"i8\""),
        (
            "types: {a: {switch: {name: o, type: u8}, cases: [{value: 256, name: x}]}}",
            "2:58: value: expected a whole number from 0 to 255, found \"256\""
        ),
        (
            "types: {a: {fields: [{name: c, type: u8, checksum: {algorithm: crc32}}]}}",
            "2:53: algorithm: expected u32 for crc32, found u8"
        ),
        (
            "types: {a: {fields: [{name: c, type: u8, checksum: {algorithm: crc8, from: b}}]}}",
            "2:22: checksum: no field \"b\" before it"
        ),
        (
            "types: {a: {fields: [{name: x, type: u8, values: {1: one, 0x01: uno}}]}}",
            "2:59: 1: stands here twice, first in line 2"
        ),
        (
            "types: {a: {fields: [{name: x, type: string, scale: {d: 1}}]}}",
            "2:46: scale: does not go with string"
        ),
        ("types: {a: {fields: [{name: x, type: u8, count: rset +}]}}", "2:55: count: expected a value"),
        ("types: {a: {fields: [{name: x, type: u8, when: 3 + 4}]}}", "2:48: when: expected a condition"),
        (
            "rules: [{id: R, text: t, role: puck, severity: error, code: true}]",
            "2:32: role: expected peripheral, client or traffic"
        ),
        ("rules: [{id: R, text: t, role: client, severity: error}]", "2:9: rules: expected what is judged"),
        (
            "rules: [{id: R, text: t, role: client, severity: error, code: true, twin: true}]",
            "2:69: twin: cannot stand beside \"code\""
        ),
        (
            "rules: [{id: R, text: t, role: client, severity: error, check: {on: notfy x, holds: a == 1}}]",
            "2:69: on: expected read, write, notify, indicate, any or message, found \"notfy\"; did you mean \"notify\"?"
        ),
        (
            "rules: [{id: R, text: t, role: client, severity: error, length: {on: read x, is: [4, 2]}}]",
            "2:82: is: expected the lower bound first"
        ),
        ("match: {weight: 5}", "2:8: match: expected a list, found a mapping"),
        ("times: [a]", "2:8: times: expected times by name, found a list"),
        (
            "times: {a: 2 s}",
            "2:12: a: expected a time and its meaning, like {time: 2 s, doc: limit of a reply}, found \"2 s\""
        ),
        (
            "times: {a: {doc: d}}",
            "2:12: a: expected \"time\", a duration, like 5 s, 500 ms, 2 min or 8 h; it is missing"
        ),
        ("times: {a: {time: 2 s}}", "2:12: a: expected \"doc\", a text; it is missing"),
        (
            "times: {a: {time: 2 d, doc: d}}",
            "2:19: time: expected a duration, like 5 s, 500 ms, 2 min or 8 h, found \"2 d\""
        ),
        ("times: {A: {time: 2 s, doc: d}}", "2:9: times: expected a name of lower-case letters"),
        ("times: {a: {time: 2 s, doc: d}, a: {time: 3 s, doc: e}}", "2:33: a: stands here twice, first in line 2"),
        ("times: {a: {time: 2 s, doc: d, unit: s}}", "2:32: unknown key \"unit\"; the keys are time, doc, source"),
        (
            "rules: [{id: R, text: t, role: peripheral, severity: error, never: {on: notify x, after: advertise}}]",
            "2:83: after: expected two advertisements or two events of a connection"
        ),
        ("match: [{service_data: {data: 01}, weight: 60}]", "2:24: service_data: expected \"uuid\""),
        ("emulate: {interval: soon}", "2:21: interval: expected a duration"),
        (
            "gatt: [{service: 180F, name: b, characteristics: [{uuid: 2A19, name: l, properties: [reed]}]}]",
            "2:86: properties: expected broadcast, read"
        ),
        ("gat: []", "2:1: unknown key \"gat\"; did you mean \"gatt\"?"),
        (
            "vectors: [{id: V, type: state, hex: \"00\", error: x}]",
            "2:25: type: expected the name of a type, found \"state\""
        ),
    ])
    func faults(sections: String, expected: String) {
        let faults = ProfileSamples.faults(ProfileSamples.profile(sections))
        #expect(faults.count == 1 && faults.first?.hasPrefix(expected) == true, "\(faults)")
    }

    /// Values that do not match their types.
    @Test(arguments: [
        ("{x: 300, y: a}", "x: expected a whole number from 0 to 255, found \"300\""),
        ("{x: 1, y: c}", "y: expected a or b, found \"c\""),
        ("{x: 1}", "value: expected \"y\", a name or a whole number from -128 to 255; it is missing"),
        ("{x: 1, y: a, z: 1}", "unknown key \"z\""),
        ("5", "value: expected the fields of t, found \"5\""),
    ])
    func valuesThatDoNotFit(value: String, expected: String) {
        let text = ProfileSamples.profile(
            """
            types:
              t:
                fields: [{name: x, type: u8}, {name: y, type: u8, values: {0: a, 1: b}}]
            vectors:
              - {id: V, type: t, hex: "00 01", doc: none, value: \(value)}
            """)
        let faults = ProfileSamples.faults(text)
        #expect(faults.contains { $0.hasPrefix("6:") && $0.contains(expected) }, "\(faults)")
    }

    @Test func anExpressionsFaultStandsAtItsPlaceInIt() {
        let text = ProfileSamples.profile(
            """
            types:
              t:
                fields:
                  - {name: x, type: u8}
                  - name: y
                    type: u8
                    when: >-
                      x == 1 &&
                      x ==
            """)
        #expect(ProfileSamples.faults(text).map { $0.prefix(6) } == ["9:25: "])
    }
}

/// The reader's messages for invalid or oversized YAML documents.
@Suite struct YAMLDocumentTests {
    private func fault(_ text: String) -> String {
        ProfileSamples.faults(text).first ?? "none"
    }

    @Test(arguments: [
        ("", "1:1: expected a profile, found nothing"),
        ("profile: {id: a", "2:1: not YAML: did not find expected ',' or '}'"),
        ("a: b: c", "1:5: not YAML: mapping values are not allowed in this context"),
        ("profile:\n\tid: a", "2:1: not YAML: found character that cannot start any token"),
        ("a: 1\n---\nb: 2", "2:1: expected the end of the document, found another document"),
        ("a: 1\nb: \u{7}", "2:4: not YAML: control characters are not allowed"),
        ("*a : 1", "1:1: expected a key, found an alias"),
        ("? [a]\n: 1", "1:3: expected a key, found a list or mapping"),
        ("profile: !!int 5", "1:10: expected no tag, found tag:yaml.org,2002:int"),
        ("profile: *nowhere", "1:10: there is no anchor &nowhere before this"),
        ("profile: &a [*a]", "1:14: there is no anchor &a before this"),
    ])
    func notYAML(text: String, expected: String) {
        #expect(ProfileSamples.faults(text).contains { $0.hasPrefix(expected) }, "\(ProfileSamples.faults(text))")
    }

    @Test func everyKeyThatStandsTwiceIsFound() {
        let text = """
            profile: {id: test, title: Test, version: "1", format: 1, id: other}
            types:
              a: {fields: []}
              "a": {fields: []}
              a: {fields: []}
            gatt: []
            gatt: []
            """
        #expect(
            ProfileSamples.faults(text) == [
                "1:59: id: stands here twice, first in line 1", "4:3: a: stands here twice, first in line 3",
                "5:3: a: stands here twice, first in line 3", "7:1: gatt: stands here twice, first in line 6",
            ])
    }

    @Test func aBombOfAliasesIsRefused() {
        let levels = (1...30).map { level in
            "l\(level): &l\(level) [\(Array(repeating: "*l\(level - 1)", count: 9).joined(separator: ", "))]"
        }
        let text = (["l0: &l0 [x, x, x]"] + levels).joined(separator: "\n")
        #expect(ProfileSamples.faults(text).contains { $0.contains("aliases stand for more than 10000 nodes") })
    }

    @Test func aBombOfKeysIsRefused() {
        let levels = (1...30).map { level in "\(level): &l\(level) {? [*l\(level - 1), *l\(level - 1)] : 1}" }
        let text = (["0: &l0 {a: 1}"] + levels).joined(separator: "\n")
        #expect(ProfileSamples.faults(text).contains { $0.contains("expected a key, found a list or mapping") })
    }

    @Test(arguments: [65, 900, 500_000])
    func deepDocumentsAreRefused(depth: Int) {
        let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let faults = ProfileSamples.faults(text)
        #expect(faults.contains { $0.contains("expected at most 64 levels") })
    }

    @Test func longDocumentsAreRefused() {
        #expect(fault("# " + String(repeating: "x", count: 1 << 20)) == "1:1: longer than 1 MB: not a profile")
    }

    @Test func typesThatGrowTooLargeAreRefused() {
        let types = (1...12).map { level in
            "  t\(level): {fields: [{name: a, type: t\(level - 1)}, {name: b, type: t\(level - 1)}]}"
        }
        let text = ProfileSamples.profile(
            "types:\n  t0: {fields: [{name: x, type: u8}]}\n" + types.joined(separator: "\n"))
        #expect(ProfileSamples.faults(text).first?.contains("expected at most 4096 fields") == true)
    }
}
