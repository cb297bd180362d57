import Bluetooth
import Dissection
import TestKit
import Testing

@testable import Conversation

/// The effects of a device's dialect.
struct DialectTests {
    /// The dialects assign different meanings to the same handle.
    private static let profile = """
        profile:
          id: box
          title: A box
          version: 1.0.0
          format: 1
          licence: Apache-2.0
          dialects: {old: {title: Old}, new: {title: New}}
        match:
          - {name: '^Box', weight: 60}
          - {service: 0x1234, weight: 60, dialect: old}
          - {service: 0x5678, weight: 60, dialect: new}
        types:
          level: {type: u8}
        gatt:
          - service: 0x1234
            name: old_box
            dialect: old
            characteristics:
              - {uuid: 1235, name: old_level, title: Old Level, properties: [notify], value: level, handles: [0x0010]}
          - service: 0x5678
            name: new_box
            dialect: new
            characteristics:
              - {uuid: 5679, name: new_level, title: New Level, properties: [notify], value: level, handles: [0x0010]}
        """

    @Test(arguments: [
        ([GAP.AdvertisingStructure.serviceUUIDs16([0x1234])], "old", "Old Level"),
        ([.serviceUUIDs16([0x5678])], "new", "New Level"),
        ([.completeLocalName("Box")], nil, nil),
        ([.serviceUUIDs16([0x1234, 0x5678])], nil, nil),
    ])
    func handlesOfADialectAreGuessedOfItsDevices(
        advertised: [GAP.AdvertisingStructure], dialect: String?, name: String?
    ) throws {
        let session = HCISession()
        session.report(Cast.puck, advertised)
        session.connect(to: Cast.puck).notify(0x0010, [1])
        let story = Story(session.recording, plugins: try PluginSet(profiles: [Self.profile]))
        #expect(story.batch.matches.values.map(\.plugin) == [0])
        #expect(story.batch.matches.values.map(\.dialect) == [dialect])
        #expect(story.dissected(3).attribute?.name == name)
    }
}
