import Bluetooth

/// The two dialects (section 1).
enum Dialect: String, Sendable {
    case shipped, prd

    /// The bottle service.
    var service: UUID { UUID(value: base) }

    /// A characteristic of the bottle service, by the last byte of its UUID.
    func characteristic(_ number: UInt8) -> UUID { UUID(value: base & ~0xFF | UInt128(number)) }

    /// Whether a UUID is that of the bottle service or of one of its characteristics.
    func owns(_ type: UUID) -> Bool {
        type == service || characteristics.contains { characteristic($0.number) == type }
    }

    typealias Declaration = (number: UInt8, properties: GATT.Properties)

    /// The last bytes of the UUIDs of all characteristics, in the order of their declarations, with their properties.
    var characteristics: [Declaration] {
        switch self {
        case .shipped: Self.ofShipped
        case .prd: Self.ofRequired
        }
    }

    private static let ofShipped: [Declaration] = [
        (1, [.read, .notify]), (2, [.read, .write]), (5, [.write]), (3, [.read, .write]), (4, [.read, .notify]),
        (6, [.read, .write]), (7, [.read, .notify]), (8, [.read, .notify]),
    ]
    private static let ofRequired: [Declaration] = [
        (0xF1, [.read, .notify]), (0xF2, [.read, .write]), (0xF3, [.read, .notify]), (0xF4, [.read, .write]),
        (0xF5, [.read, .notify]),
    ]

    private var base: UInt128 {
        switch self {
        case .shipped: 0x6F75_616B_7661_7465_2D00_000000000000
        case .prd: 0x1234_5678_1234_5678_1234_56789ABCDEF0
        }
    }
}
