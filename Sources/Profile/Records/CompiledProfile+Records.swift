public import BluetoothTypes

/// What behaviour in Swift speaks with: bytes of the profile's types, made of Swift values and made into them.
extension CompiledProfile {
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
