import ATT
import Bytes
import Testing

@testable import Profile

/// Cutting a profile into what decoding needs at once and what it needs later.
struct ProfileTextTests {
    private let text = """
        # A box.
        profile: {id: box, title: A box, version: "1", format: 1}

        types:
          # The first.
          level: {type: u8}
          pair:
            fields:
              - {name: one, type: level}
              - name: two
                type: u8
        rules:
          - {id: R, text: wrong for: a reason}
        gatt:
          - service: 180F
            name: battery
            characteristics:
              - {uuid: 2A19, name: battery_level, properties: [read], value: pair}
        vectors: []
        """

    @Test func sectionsThatDecodingNeedsAreOne() {
        let keys = ProfileText(text).outline.split(separator: "\n").filter { !$0.hasPrefix(" ") }
        #expect(keys == ["profile: {id: box, title: A box, version: \"1\", format: 1}", "gatt:"])
    }

    @Test func typesAreCutApart() {
        let types = ProfileText(text).types
        #expect(types.map(\.name) == ["level", "pair"])
        #expect(types.first?.text == "  level: {type: u8}\n")
        #expect(types.last?.text.hasSuffix("        type: u8\n") == true)
    }

    @Test(arguments: ["", "\n", "types", "types:", "types:\n  ", "types:\n  a:", "a:\n  b: c\n", "  types:\n  a: b"])
    func anyTextCanBeCut(text: String) {
        let parts = ProfileText(text)
        #expect(parts.outline.utf8.count + parts.types.reduce(0) { $0 + $1.text.utf8.count } <= text.utf8.count)
    }

    @Test func typesAreReadWhenTheyAreNeeded() throws {
        let profile = try CompiledProfile(deferring: text, file: "box.yaml")
        let layout = try #require(profile.attributes.values.first?.layouts(for: .read).first)
        #expect(layout.name == "pair")
        #expect(layout.lengths == 2...2)
        #expect(try layout.encode(layout.decode([1, 2])) == [1, 2])
        #expect(profile.fields.map(\.name) == ["box.pair", "box.pair.one", "box.pair.two"])
    }

    @Test func aTypeThatIsMissingIsFound() {
        let wrong = text.replacing("value: pair", with: "value: pear")
        #expect(throws: ProfileFaults.self) { try CompiledProfile(deferring: wrong, file: "box.yaml") }
    }

    @Test func aTypeThatIsWrongHasNoFields() throws {
        let profile = try CompiledProfile(
            deferring: text.replacing("type: u8\nrules", with: "type: u9\nrules"), file: "box.yaml")
        let layout = try #require(profile.attributes.values.first?.layouts(for: .read).first)
        #expect(layout.lengths == 0...0)
    }
}
