public import BluetoothTypes

/// A Swift value of a profile's type. The profile compiler generates a struct for each structure and each choice.
public protocol ProfileValue: Codable, Hashable, Sendable {
    /// The name of the type in the profile.
    static var typeName: String { get }
}

/// Encoding of Swift values as bytes of the profile's types, and decoding.
extension CompiledProfile {
    /// The bytes of a value; empty where it does not fit its type.
    public func bytes(of value: some ProfileValue) -> [UInt8] { bytes(of: value, as: type(of: value).typeName) }

    /// The value of bytes that came from outside; nil where they are none of its type.
    public func value<Result: ProfileValue>(of bytes: [UInt8], _: Result.Type = Result.self) -> Result? {
        value(of: bytes, as: Result.typeName)
    }

    /// The bytes of a value; empty where the value is none of the type, or there is no such type.
    public func bytes(of value: some Encodable, as type: String) -> [UInt8] {
        guard let layout = types[type], let record = try? RecordEncoder().encode(value) else { return [] }
        return (try? layout.encode(record)) ?? []
    }

    /// The value of bytes that came from outside; nil where they are none of the type.
    public func value<Result: Decodable>(
        of bytes: [UInt8], as type: String, _: Result.Type = Result.self
    ) -> Result? {
        guard let value = try? types[type]?.decode(bytes) else { return nil }
        return try? RecordDecoder().decode(Result.self, from: value)
    }

    /// The UUIDs of services by their names in the profile; those that it does not have are left out.
    public func services(_ names: String...) -> [UUID] {
        names.compactMap { name in profile.services.first { $0.name == name }?.uuid }
    }
}
