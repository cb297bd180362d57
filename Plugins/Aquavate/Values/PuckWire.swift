import Bytes
import PluginKit
import Profile

/// Puts a puck's values into bytes and reads them, by the types of the plugin's profile.
struct PuckWire: Sendable {
    private let profile: CompiledProfile

    /// Types of the profile.
    typealias Kind = DeviceProfile.TypeName

    init() throws(TwinFault) {
        profile = try Aquavate.compiledProfile()
    }

    /// The bytes of a value; none for what its type cannot hold.
    func bytes(_ value: some Encodable, as kind: Kind) -> [UInt8] {
        profile.bytes(of: value, as: kind.name)
    }

    /// The value of bytes; nil for those that are none, with bytes left over too.
    func value<Content: Decodable>(of bytes: [UInt8], as kind: Kind, _ type: Content.Type = Content.self) -> Content? {
        guard let layout = profile.types[kind.name] else { return nil }
        var reader = ByteReader(bytes.span)
        guard let value = try? layout.decode(&reader), reader.offset == bytes.count else { return nil }
        return try? RecordDecoder().decode(type, from: value)
    }
}
