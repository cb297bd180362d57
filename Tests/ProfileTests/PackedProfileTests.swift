import Bluetooth
import Bytes
import TestKit
import Testing

@testable import Profile

/// Profiles that are packed when the program is built.
struct PackedProfileTests {
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

    @Test(arguments: [
        SampleProfile.bottle, "a: [1, 'x', {b: ~}, [[]]]\nc: |\n  text\n   more\n", "ä: \"\\u0000 ☂ \\n\"",
    ])
    func aTreeIsUnpackedAsItWas(text: String) throws {
        let root = try #require(YAMLDocument.read(text, FaultList()))
        guard case .mapping(let entries) = root.content else { throw SourceFault() }
        let unpacked = TreeUnpacker.node(of: TreePacker.text(of: entries))
        #expect("\(unpacked.content)" == "\(root.content)")
    }

    private struct SourceFault: Error {}

    @Test(arguments: ["", "1", "oooooooooooooooo", "2p11", "1q111oooo0", "1p1115leveloooo", "1p111", "omo0o0o0o0"])
    func anyTextCanBeUnpacked(text: String) {
        _ = TreeUnpacker.node(of: text)
    }

    @Test func thePartsAreTheProfile() throws {
        let whole = try ProfileReader.read(SampleProfile.bottle, file: "bottle.yaml")
        let packed = try PackedProfile(packing: SampleProfile.bottle, file: "bottle.yaml").read()
        #expect(packed.types.map(\.name) == whole.types.map(\.name))
        #expect(packed.types.map(\.place) == whole.types.map(\.place))
        #expect(packed.rules.map(\.id) == whole.rules.map(\.id))
        #expect(packed.vectors.map(\.bytes) == whole.vectors.map(\.bytes))
        #expect(packed.match.map(\.sign) == whole.match.map(\.sign))
        #expect(packed.emulation?.reactions.count == whole.emulation?.reactions.count)
    }

    @Test func typesAreReadWhenTheyAreNeeded() throws {
        let profile = try CompiledProfile(deferring: PackedProfile(packing: text, file: "box.yaml"))
        #expect(profile.profile.header.title == "A \"box\"")
        #expect(profile.profile.rules.isEmpty)
        let layout = try #require(profile.attributes.values.first?.layouts(for: .read).first)
        #expect(layout.name == "pair")
        #expect(layout.lengths == 1...2)
        #expect(try layout.encode(layout.decode([101, 2])) == [101, 2])
        #expect(profile.fields.map(\.name) == ["box.pair", "box.pair.one", "box.pair.two"])
    }

    @Test(arguments: [("value: pair", "value: pear"), ("type: u8\n", "type: u9\n"), ("title: ", "titel: ")])
    func aWrongProfileIsNotPacked(right: String, wrong: String) {
        #expect(throws: ProfileFaults.self) {
            try PackedProfile(packing: text.replacing(right, with: wrong), file: "box.yaml")
        }
    }
}
