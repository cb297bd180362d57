import Bluetooth
import Bytes
import TestKit
import Testing

@testable import Profile

/// Profiles that are checked at build time, and read in parts.
struct ProfileTextTests {
    private let text = """
        # A box.
        profile: {id: box, title: "A \\"box\\"\\n", version: "1", format: 1}

        types:
          # The first.
          level: {type: u8}
          pair:
            fields:
              - {name: one, type: level}
              - name: two
                type: u8
                when: 'one > 100'
        rules:
          - id: R
            text: two bytes
            role: peripheral
            severity: error
            length: {on: read battery_level, is: 2}
        gatt:
          - service: 180F
            name: battery
            characteristics:
              - {uuid: 2A19, name: battery_level, properties: [read], value: pair}
        vectors: []
        """

    /// Texts that can be divided at their keys, and some that cannot.
    @Test(arguments: [
        ("profile: {id: box,", "profile:\n  {id: box,", true),
        ("level: {type: u8}\n", "level: &level {type: u8}\n", true),
        ("{name: one, type: level}", "&one {name: one, type: level}", true),
        ("rules:\n", "times:\n  push: {time: 2 s, doc: answers}\nrules:\n", true),
        ("  pair:\n", "  \"pair\":\n", false),
        ("vectors: []", "vectors: []\n\"descriptors\": []", false),
    ])
    func aTextIsDivisibleWhereItsPartsAreTheWhole(_ right: String, _ other: String, _ isDivisible: Bool) throws {
        let profile = try ProfileText(checking: text.replacing(right, with: other), file: "box.yaml")
        #expect(profile.isDivisible == isDivisible)
        let deferred = try CompiledProfile(deferring: profile)
        #expect(deferred.fields.map(\.name) == ["box.pair", "box.pair.one", "box.pair.two"])
    }

    /// A type used through an alias is not in the part of the type that uses it.
    @Test func aliasesKeepATextInOnePiece() throws {
        let shared = text.replacing("level: {type: u8}", with: "level: &level {type: u8}")
        let profile = try ProfileText(
            checking: shared.replacing("  pair:\n", with: "  other: *level\n  pair:\n"), file: "box.yaml")
        #expect(!profile.isDivisible)
        #expect(try CompiledProfile(deferring: profile).types.keys.sorted() == ["level", "other", "pair"])
    }

    @Test func typesAreReadWhenTheyAreNeeded() throws {
        let profile = try CompiledProfile(deferring: ProfileText(checking: text, file: "box.yaml"))
        #expect(profile.profile.header.title == "A \"box\"")
        #expect(profile.profile.rules.isEmpty)
        let layout = try #require(profile.attributes.values.first?.layouts(for: .read).first)
        #expect(layout.name == "pair")
        #expect(layout.lengths == 1...2)
        #expect(try layout.encode(layout.decode([101, 2])) == [101, 2])
        #expect(profile.fields.map(\.name) == ["box.pair", "box.pair.one", "box.pair.two"])
    }

    @Test(arguments: [("value: pair", "value: pear"), ("type: u8\n", "type: u9\n"), ("title: ", "titel: ")])
    func aWrongProfileIsRefused(right: String, wrong: String) {
        #expect(throws: ProfileFaults.self) {
            try ProfileText(checking: text.replacing(right, with: wrong), file: "box.yaml")
        }
    }
}
