import Bluetooth
import PDUTestKit
import TestKit

/// Attribute tables of pucks: correct, and with faults.
enum PuckLayout {
    /// The UUID of a bottle service attribute, by its last byte.
    static func bottle(_ number: UInt8, _ dialect: PuckSession.Dialect = .shipped) -> UUID {
        switch dialect {
        case .shipped: UUID(value: 0x6F75_616B_7661_7465_2D00_000000000000 + UInt128(number))
        case .prd: UUID(value: 0x1234_5678_1234_5678_1234_56789ABCDE00 + UInt128(number))
        }
    }

    typealias Service = ServerLayout.Service
    typealias Characteristic = ServerLayout.Characteristic

    static let genericAccess = Service.service(
        0x1800, .characteristic(0x2A00, [.read]), .characteristic(0x2A01, [.read]))
    static let information = Service.service(
        0x180A, .characteristic(0x2A29, [.read]), .characteristic(0x2A24, [.read]), .characteristic(0x2A26, [.read]),
        .characteristic(0x2A25, [.read]))
    static let battery = Service.service(0x180F, .characteristic(0x2A19, [.read, .notify], descriptors: 0x2902))

    private static func notifying(_ number: UInt8) -> Characteristic {
        .characteristic(bottle(number), [.read, .notify], descriptors: 0x2902)
    }
    private static func writable(_ number: UInt8) -> Characteristic {
        .characteristic(bottle(number), [.read, .write])
    }
    private static let command = Characteristic.characteristic(bottle(5), [.write])

    static let shipped = ServerLayout(genericAccess, .service(0x1801), information, battery, bottleService)
    /// With a Database Hash, as a newer host provides it.
    static let hashed = ServerLayout(
        genericAccess, .service(0x1801, .characteristic(0x2B2A, [.read])), information, battery, bottleService)
    private static let changing = Service.service(
        0x1801, .characteristic(0x2A05, [.indicate], descriptors: 0x2902))
    /// With Service Changed.
    static let changeable = ServerLayout(genericAccess, changing, information, battery, bottleService)
    /// `changeable` after the Battery service has moved.
    static let changed = ServerLayout(genericAccess, changing, information, bottleService, battery)
    private static let bottleService = Service.service(
        bottle(0), notifying(1), writable(2), command, writable(3), notifying(4), writable(6), notifying(7),
        notifying(8))

    /// With two Battery services.
    static let twoBatteries = ServerLayout(genericAccess, information, battery, battery, bottleService)
    /// With a readable Command.
    static let readableCommand = ServerLayout(
        genericAccess, information, battery,
        .service(
            bottle(0), notifying(1), writable(2), .characteristic(bottle(5), [.read, .write]), writable(3),
            notifying(4), writable(6), notifying(7), notifying(8)))
    /// Characteristics in the order of their numbers.
    static let reordered = ServerLayout(
        genericAccess, information, battery,
        .service(
            bottle(0), notifying(1), writable(2), writable(3), notifying(4), command, writable(6), notifying(7),
            notifying(8)))
    /// With a CCCD at Bottle Config.
    static let superfluousConfiguration = ServerLayout(
        genericAccess, information, battery,
        .service(
            bottle(0), notifying(1), .characteristic(bottle(2), [.read, .write], descriptors: 0x2902), command,
            writable(3), notifying(4), writable(6), notifying(7), notifying(8)))
    /// Without the CCCD of Drink Data.
    static let missingConfiguration = ServerLayout(
        genericAccess, information, battery,
        .service(
            bottle(0), notifying(1), writable(2), command, writable(3), .characteristic(bottle(4), [.read, .notify]),
            writable(6), notifying(7), notifying(8)))
    /// Firmware from 2026-01-23 to 2026-01-27.
    static let interim = ServerLayout(
        genericAccess, information, battery,
        .service(
            bottle(0), notifying(1), writable(2), command, writable(3), notifying(4), writable(6), notifying(7)))
    /// Firmware before 2026-01-23.
    static let first = ServerLayout(
        genericAccess, information, battery,
        .service(bottle(0), notifying(1), writable(2), command, writable(3), notifying(4)))
    /// With the service of the PRD in addition.
    static let mixed = ServerLayout(
        genericAccess, information, battery, bottleService,
        .service(bottle(0xF0, .prd), .characteristic(bottle(0xF1, .prd), [.read])))

    private static func requiredService(_ first: Characteristic) -> Service {
        .service(
            bottle(0xF0, .prd), first,
            .characteristic(bottle(0xF2, .prd), [.read, .write]),
            .characteristic(bottle(0xF3, .prd), [.read, .notify], descriptors: 0x2902),
            .characteristic(bottle(0xF4, .prd), [.read, .write]),
            .characteristic(bottle(0xF5, .prd), [.read, .notify], descriptors: 0x2902))
    }
    private static let weight = Characteristic.characteristic(
        bottle(0xF1, .prd), [.read, .notify], descriptors: 0x2902)
    static let required = ServerLayout(genericAccess, information, battery, requiredService(weight))
    /// With two Battery services.
    static let requiredWithTwoBatteries = ServerLayout(
        genericAccess, information, battery, battery, requiredService(weight))
    /// With a writable Current Weight.
    static let writableWeight = ServerLayout(
        genericAccess, information, battery,
        requiredService(.characteristic(bottle(0xF1, .prd), [.read, .write, .notify], descriptors: 0x2902)))
}
