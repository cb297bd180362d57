import Bluetooth
import PluginKit
import Profile

/// The attributes to follow in a server's table, shared by all servers with the same table and plugin.
final class ServerKind: Sendable {
    let table: GATT.Table
    /// The plugin that describes the device; -1 for none.
    let plugin: Int
    /// Followed attributes, by handle.
    let attributes: [UInt16: FollowedAttribute]
    /// Whether the table has each characteristic of a plugin's profile, by the plugin's index and the characteristic's
    /// name.
    let presence: [Int: [String: Bool]]
    /// Empty assemblers of the messages that values may be parts of.
    let messages: [MessageAssembler]

    init(_ table: GATT.Table, _ plugin: Int, _ plugins: PluginSet) {
        self.table = table
        self.plugin = plugin
        attributes = FollowedAttribute.all(in: table, plugins, plugin)
        let readers = Set(attributes.values.compactMap { $0.reading?.plugin }).sorted()
        let profiles = readers.map { ($0, plugins.plugins[$0].profile.profile) }
        presence = Dictionary(uniqueKeysWithValues: profiles.map { ($0, $1.presence(in: table)) })
        messages = profiles.flatMap { $1.messages }.map { MessageAssembler($0) }
    }
}

/// An attribute of a server whose values are followed.
struct FollowedAttribute: Sendable {
    let type: UUID
    /// The reading by a plugin, if it gives values a meaning beyond their own bytes.
    let reading: PluginSet.Reading?
    /// Whether it is a string of the Device Information service that some plugin's evidence includes.
    let isInformation: Bool

    /// The attributes of a table to follow, by value handle.
    static func all(in table: GATT.Table, _ plugins: PluginSet, _ plugin: Int) -> [UInt16: FollowedAttribute] {
        var followed: [UInt16: FollowedAttribute] = [:]
        for characteristic in table.characteristics {
            let isInformation = plugins.evidence.looksAtInformation(of: characteristic.type)
            let reading =
                plugins.followedTypes.contains(characteristic.type)
                ? plugins.reading(of: characteristic.type, plugin: plugin) : nil
            guard isInformation || reading != nil else { continue }
            followed[characteristic.value.rawValue] = FollowedAttribute(
                type: characteristic.type, reading: reading, isInformation: isInformation)
        }
        return followed
    }
}

extension Profile {
    /// Whether a table has each characteristic of the profile, by name, without those of services of which the table
    /// has nothing.
    fileprivate func presence(in table: GATT.Table) -> [String: Bool] {
        let types = Set(table.characteristics.map(\.type))
        var presence: [String: Bool] = [:]
        for characteristics in services.map(\.characteristics)
        where characteristics.contains(where: { types.contains($0.uuid) }) {
            for characteristic in characteristics where presence[characteristic.name] == nil {
                presence[characteristic.name] = types.contains(characteristic.uuid)
            }
        }
        return presence
    }
}
