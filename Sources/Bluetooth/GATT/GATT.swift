/// The Generic Attribute Profile (Vol 3, Part G): the meaning of attributes, and a server's attribute table as
/// reconstructed from traffic.
public enum GATT {}

extension UUID {
    /// «Primary Service» (Vol 3, Part G, 3.4).
    public static let primaryService = UUID(0x2800)
    /// «Secondary Service».
    public static let secondaryService = UUID(0x2801)
    /// «Include».
    public static let include = UUID(0x2802)
    /// «Characteristic».
    public static let characteristic = UUID(0x2803)
    /// «Client Characteristic Configuration».
    public static let clientCharacteristicConfiguration = UUID(0x2902)
    /// «Device Name».
    public static let deviceName = UUID(0x2A00)
    /// «Service Changed».
    public static let serviceChanged = UUID(0x2A05)
    /// «Database Hash».
    public static let databaseHash = UUID(0x2B2A)
}

extension GATT {
    /// The source of a name in the output.
    public enum Confidence: String, Sendable, Hashable, CaseIterable {
        /// Discovered in this connection.
        case discovered
        /// Imported by the user.
        case imported
        /// Discovered in an earlier connection of the same device.
        case remembered
        /// Inferred from a profile of the device's kind.
        case guessed
    }

    /// Operations that a characteristic permits (Vol 3, Part G, 3.3.1.1).
    public struct Properties: OptionSet, Sendable, Hashable {
        public var rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        public static let broadcast = Self(rawValue: 0x01)
        public static let read = Self(rawValue: 0x02)
        public static let writeWithoutResponse = Self(rawValue: 0x04)
        public static let write = Self(rawValue: 0x08)
        public static let notify = Self(rawValue: 0x10)
        public static let indicate = Self(rawValue: 0x20)
        public static let authenticatedSignedWrites = Self(rawValue: 0x40)
        public static let extended = Self(rawValue: 0x80)

        /// Names in bit order, as in the JSON table and in reports.
        public static let names = [
            "broadcast", "read", "write-without-response", "write", "notify", "indicate",
            "authenticated-signed-writes", "extended-properties",
        ]

        /// The names of the set bits.
        public var names: [String] {
            Self.names.indices.filter { rawValue & 1 << $0 != 0 }.map { Self.names[$0] }
        }

        /// The properties with these names; nil if a name is unknown.
        public init?(names: [String]) {
            rawValue = 0
            for name in names {
                guard let bit = Self.names.firstIndex(of: name) else { return nil }
                rawValue |= 1 << UInt8(bit)
            }
        }
    }
}
