package import Bluetooth
import Bytes
import Emulation
package import Host
package import PluginKit
package import Profile

/// The device under test: its description by the plugin, and the selection among the devices in range.
package struct TestedDevice: Sendable {
    package let plugin: DevicePlugin
    package let dialect: String?
    /// Its address; nil for any.
    package var address: Address?
    /// Its name or a prefix of it; nil for any.
    package var name: String?
    /// The six-digit passkey that it shows or that its user types; nil to pair without user interaction.
    package var passkey: UInt32?
    /// Whether a user at the terminal sees the device and can be asked for a passkey.
    package var hasUser = false
    /// The services of the dialect, with their characteristics.
    package let services: [ServiceDefinition]
    private let definitions: [String: CharacteristicDefinition]

    /// With `allDialects`, the device has the characteristics of all dialects, for values whose device is not known.
    package init(_ plugin: DevicePlugin, dialect: String?, allDialects: Bool = false) {
        self.plugin = plugin
        self.dialect = dialect
        services = plugin.profile.profile.services.filter {
            allDialects || $0.dialect == nil || $0.dialect == dialect
        }
        definitions = Dictionary(services.flatMap(\.characteristics).map { ($0.name, $0) }) { first, _ in first }
    }

    package var characteristics: [CharacteristicDefinition] { services.flatMap(\.characteristics) }

    /// Whether a characteristic requires an encrypted connection, or the user has given a passkey.
    package var needsPairing: Bool { passkey != nil || characteristics.contains { $0.security != .open } }

    /// The pairing capabilities of the tester's host.
    package var pairing: PairingSettings {
        if passkey != nil { return .typingPasskey }
        if !hasUser { return PairingSettings() }
        return .attended(needsMITMProtection: characteristics.contains { $0.security == .authenticated })
    }

    /// Whether the passkey is unknown: none is given, and there is no user to ask.
    var isUserMissing: Bool { passkey == nil && !hasUser }

    package func definition(of name: String) -> CharacteristicDefinition? { definitions[name] }

    func isWanted(_ advertisement: Host.Advertisement, _ finder: inout DeviceFinder) -> Bool {
        if let address { return advertisement.address.address == address }
        if let name { return advertisement.name?.hasPrefix(name) == true }
        return finder.record(advertisement)
    }

    /// Finds a characteristic of the profile in a server's table.
    package func characteristic(_ name: String, in table: GATT.Table) -> GATT.Table.Characteristic? {
        for service in services {
            guard let definition = service.characteristics.first(where: { $0.name == name }) else { continue }
            for place in table.services where place.type == service.uuid {
                let found = table.characteristics.first {
                    (place.start...place.end).contains($0.value) && $0.type == definition.uuid
                }
                if let found { return found }
            }
        }
        return nil
    }

    /// The profile's name of the characteristic whose value is at a handle.
    package func name(of handle: Handle, in table: GATT.Table) -> String? {
        guard let found = table.characteristics.first(where: { $0.value == handle }),
            let service = table.service(at: found.declaration)
        else { return nil }
        return services.first { $0.uuid == service.type }?.characteristics.first { $0.uuid == found.type }?.name
    }

    /// The type of a value; nil where the profile has none for it.
    func layout(
        of name: String, _ operation: OperationKind, _ bytes: [UInt8], _ written: WrittenValues = WrittenValues()
    ) -> Layout? {
        guard let definition = definitions[name], let reader = plugin.profile.attributes[definition.uuid] else {
            return nil
        }
        let context = DeviceContext()
        context.written = written
        context.characteristics = Set(definitions.keys)
        return reader.layout(for: operation, value: bytes.span.rawBytes, in: context)
    }

    /// Types of the values written to a characteristic: the one that this device accepts, else all of the profile.
    package func writtenTypes(of name: String) -> [String] {
        if let layout = layout(of: name, .write, []) { return [layout.name] }
        let reader = definitions[name].flatMap { plugin.profile.attributes[$0.uuid] }
        return reader?.layouts(for: .write).map(\.name) ?? []
    }

    /// Encodes a value to write to a characteristic, with the type as which the device decodes it.
    package func bytes(of value: Value, for name: String) throws -> [UInt8] {
        guard let definition = definitions[name], let reader = plugin.profile.attributes[definition.uuid] else {
            throw TwinFault("\(plugin.id) has no characteristic \(name)")
        }
        var fault: EncodeError?
        for layout in reader.layouts(for: .write) {
            do throws(EncodeError) {
                let bytes = try layout.encode(value)
                if self.layout(of: name, .write, bytes)?.id == layout.id { return bytes }
            } catch {
                fault = fault ?? error
            }
        }
        throw TwinFault("\(name): " + (fault.map { "\($0)" } ?? "no type describes what is written to it"))
    }
}
