/// Context of a value that its own bytes do not contain; conditions of a profile read it.
package protocol PayloadContext {
    /// A byte of what was written last to a characteristic on this connection; nil when nothing that long was.
    func written(to characteristic: String, at offset: Int) -> UInt8?
    /// Whether the device's attribute table has a characteristic; nil while that is not known.
    func has(_ characteristic: String) -> Bool?
    /// The request that the value answers; nil where none is known.
    var request: Value? { get }
}

extension PayloadContext {
    package var request: Value? { nil }
}

/// What was written last to each characteristic, on one connection.
package struct WrittenValues: Sendable {
    private struct Written {
        let characteristic: String
        var bytes: [UInt8]
    }

    /// In the order of the first writes; at most one for each characteristic of the profile.
    private var values: [Written] = []

    /// Bytes of a value that are kept: all that an attribute can have (Vol 3, Part F, 3.2.9).
    private static let limit = 512

    package init() {}

    /// What was written last to a characteristic; nil where that is not known. Of a longer value than an attribute can
    /// have, the first bytes are kept.
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

    /// A byte of what was written last to a characteristic; nil when nothing that long was.
    package func byte(at offset: Int, of characteristic: String) -> UInt8? {
        guard let place = place(of: characteristic), values[place].bytes.indices.contains(offset) else { return nil }
        return values[place].bytes[offset]
    }

    private func place(of characteristic: String) -> Int? {
        values.indices.first { values[$0].characteristic == characteristic }
    }
}

/// Nothing is known around the value.
package struct NoContext: PayloadContext {
    package init() {}
    package func written(to characteristic: String, at offset: Int) -> UInt8? { nil }
    package func has(_ characteristic: String) -> Bool? { nil }
}
