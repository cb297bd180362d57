/// The Generic Attribute Profile (Vol 3, Part G): what attributes mean, and the table of a server's attributes as one
/// can know it from its traffic.
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
    /// How a name in the output came to be known.
    public enum Confidence: String, Sendable, Hashable, CaseIterable {
        /// Read from the discovery procedures of this connection.
        case discovered
        /// Given by the user.
        case imported
        /// Read from an earlier connection of the same device.
        case remembered
        /// Concluded from what a profile says devices of its kind have.
        case guessed
    }

    /// What a characteristic allows (Vol 3, Part G, 3.3.1.1).
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

        /// Names in the order of the bits, as the JSON table and the reports write them.
        public static let names = [
            "broadcast", "read", "write-without-response", "write", "notify", "indicate",
            "authenticated-signed-writes", "extended-properties",
        ]

        /// The names of those that are set.
        public var names: [String] {
            Self.names.indices.filter { rawValue & 1 << $0 != 0 }.map { Self.names[$0] }
        }

        /// The properties of these names; nil when one is unknown.
        public init?(names: [String]) {
            rawValue = 0
            for name in names {
                guard let bit = Self.names.firstIndex(of: name) else { return nil }
                rawValue |= 1 << UInt8(bit)
            }
        }
    }
}
