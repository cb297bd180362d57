package import BluetoothTypes

/// The Generic Attribute Profile (Vol 3, Part G): what attributes mean, and the table of a server's attributes as one
/// can know it from its traffic.
package enum GATT {}

extension UUID {
    /// «Primary Service» (Vol 3, Part G, 3.4).
    package static let primaryService = UUID(0x2800)
    /// «Secondary Service».
    package static let secondaryService = UUID(0x2801)
    /// «Include».
    package static let include = UUID(0x2802)
    /// «Characteristic».
    package static let characteristic = UUID(0x2803)
    /// «Client Characteristic Configuration».
    package static let clientCharacteristicConfiguration = UUID(0x2902)
    /// «Device Name».
    package static let deviceName = UUID(0x2A00)
    /// «Service Changed».
    package static let serviceChanged = UUID(0x2A05)
    /// «Database Hash».
    package static let databaseHash = UUID(0x2B2A)
}

extension GATT {
    /// How a name in the output came to be known.
    package enum Confidence: String, Sendable, Hashable, CaseIterable {
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
    package struct Properties: OptionSet, Sendable, Hashable {
        package var rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        package static let broadcast = Self(rawValue: 0x01)
        package static let read = Self(rawValue: 0x02)
        package static let writeWithoutResponse = Self(rawValue: 0x04)
        package static let write = Self(rawValue: 0x08)
        package static let notify = Self(rawValue: 0x10)
        package static let indicate = Self(rawValue: 0x20)
        package static let authenticatedSignedWrites = Self(rawValue: 0x40)
        package static let extended = Self(rawValue: 0x80)

        /// Names in the order of the bits, as the JSON table and the reports write them.
        package static let names = [
            "broadcast", "read", "write-without-response", "write", "notify", "indicate",
            "authenticated-signed-writes", "extended-properties",
        ]

        /// The names of those that are set.
        package var names: [String] {
            Self.names.indices.filter { rawValue & 1 << $0 != 0 }.map { Self.names[$0] }
        }

        /// The properties of these names; nil when one is unknown.
        package init?(names: [String]) {
            rawValue = 0
            for name in names {
                guard let bit = Self.names.firstIndex(of: name) else { return nil }
                rawValue |= 1 << UInt8(bit)
            }
        }
    }
}
