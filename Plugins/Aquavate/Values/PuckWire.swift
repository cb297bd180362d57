import Bytes
import PluginKit
import Profile

/// Encodes and decodes a puck's values by the types of the plugin's profile.
struct PuckWire: Sendable {
    private let profile: CompiledProfile

    /// Types of the profile.
    typealias Kind = DeviceProfile.TypeName

    init() throws(TwinFault) {
        profile = try Aquavate.compiledProfile()
    }

    /// The encoded value; empty if its type cannot hold it.
    func bytes(_ value: some Encodable, as kind: Kind) -> [UInt8] {
        profile.bytes(of: value, as: kind.name)
    }

    /// The decoded value; nil if the bytes do not match the type, or if bytes are left over.
    func value<Content: Decodable>(of bytes: [UInt8], as kind: Kind, _ type: Content.Type = Content.self) -> Content? {
        guard let layout = profile.types[kind.name] else { return nil }
        var reader = ByteReader(bytes.span)
        guard let value = try? layout.decode(&reader), reader.offset == bytes.count else { return nil }
        return try? RecordDecoder().decode(type, from: value)
    }
}
