/// Context of a value beyond its bytes, for a profile's conditions.
package protocol PayloadContext {
    /// A byte of the value last written to a characteristic on this connection; nil if there is no such byte.
    func written(to characteristic: String, at offset: Int) -> UInt8?
    /// Whether the device's attribute table has a characteristic; nil if unknown.
    func has(_ characteristic: String) -> Bool?
    /// The request that the value answers; nil if unknown.
    var request: Value? { get }
}

extension PayloadContext {
    package var request: Value? { nil }
}

/// The values last written to each characteristic on one connection.
package struct WrittenValues: Sendable {
    private struct Written {
        let characteristic: String
        var bytes: [UInt8]
    }

    /// In order of first write; at most one per characteristic of the profile.
    private var values: [Written] = []

    /// Maximum number of bytes kept per value: the maximum length of an attribute value (Vol 3, Part F, 3.2.9).
    private static let limit = 512

    package init() {}

    /// The value last written to a characteristic; nil if unknown. Values are truncated to the maximum length of an
    /// attribute value.
    package subscript(characteristic: String) -> [UInt8]? {
        get { place(of: characteristic).map { values[$0].bytes } }
        set {
            let bytes = newValue.map { $0.count > Self.limit ? Array($0.prefix(Self.limit)) : $0 }
            switch (place(of: characteristic), bytes) {
            case (let place?, let bytes?): values[place].bytes = bytes
            case (let place?, nil): values.remove(at: place)
            case (nil, let bytes?): values.append(Written(characteristic: characteristic, bytes: bytes))
            case (nil, nil): return
            }
        }
    }

    /// A byte of the value last written to a characteristic; nil if there is no such byte.
    package func byte(at offset: Int, of characteristic: String) -> UInt8? {
        guard let place = place(of: characteristic), values[place].bytes.indices.contains(offset) else { return nil }
        return values[place].bytes[offset]
    }

    private func place(of characteristic: String) -> Int? {
        values.indices.first { values[$0].characteristic == characteristic }
    }
}

/// A context without any information.
package struct NoContext: PayloadContext {
    package init() {}
    package func written(to characteristic: String, at offset: Int) -> UInt8? { nil }
    package func has(_ characteristic: String) -> Bool? { nil }
}
