import Bytes
import PDUTestKit
import Profile
import TestKit
import Testing

/// The key `sensitive` of fields, which `redact` replaces.
@Suite struct SensitiveFieldTests {
    /// The names of the sensitive fields that a type of a profile records for a value.
    private func sensitive(_ type: String, _ value: String, _ sections: String) throws -> [String] {
        let profile = try ProfileReader.read(ProfileSamples.profile(sections), file: "test.yaml")
        let layout = try #require(CompiledProfile(profile).types[type])
        let recorder = FieldRecorder()
        let bytes = hex(value)
        var reader = ByteReader(bytes.span, recorder: recorder)
        try layout.read(&reader)
        return recorder.fields.filter(\.field.isSensitive).map(\.field.name)
    }

    @Test func aFieldIsSensitiveWhereTheProfileMarksIt() throws {
        let sections = "types: {t: {fields: [{name: a, type: u8, sensitive: true}, {name: b, type: u8}]}}"
        #expect(try sensitive("t", "01 02", sections) == ["test.t.a"])
    }

    @Test func fieldsOfASensitiveTypeAndItsPartsAreSensitive() throws {
        let sections = """
            types:
              weight: {type: u16, sensitive: true}
              place: {fields: [{name: x, type: u8, bits: [{name: low, bits: [0, 3]}, {name: high, bits: [4, 7]}]}]}
              t:
                fields:
                  - {name: w, type: weight}
                  - {name: p, type: place, sensitive: true}
                  - {name: q, type: place}
            """
        #expect(
            try sensitive("t", "01 02 03 04", sections)
                == ["test.t.w", "test.t.p", "test.t.p.x", "test.t.p.x.low", "test.t.p.x.high"])
    }

    /// Another number in its place would select other fields.
    @Test func aDiscriminantIsNeverSensitive() throws {
        let types =
            "inner: {switch: {name: kind, type: u8}, cases: [{value: 1, name: one, fields: [{name: x, type: u8}]}]}"
        let sections = "types: {\(types), t: {fields: [{name: c, type: inner, sensitive: true}]}}"
        let found = try sensitive("t", "01 02", sections)
        #expect(found == ["test.t.c", "test.t.c.one", "test.t.c.one.x"])
        let marked = ProfileSamples.profile(
            "types: {t: {switch: {name: kind, type: u8, sensitive: true}, cases: [{value: 1, name: one}]}}")
        #expect(ProfileSamples.faults(marked).count == 1)
    }
}
