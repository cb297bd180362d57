import Bluetooth
import Bytes
import PDUTestKit
import TestKit

/// The devices of the cases.
enum Cast {
    static let phone = device(0x00_1A7D_DA7101, .public)
    static let puck = device(0xC0_FFEE_000001, .random)
    static let counter = device(0xC0_FFEE_000002, .random)
    static let watch = device(0x00_FFEE_000001, .public)
    static let tracker = device(0x00_FFEE_000002, .public)
    static let mobile = device(0xC0_FFEE_000003, .random)

    static func device(_ address: UInt64, _ kind: DeviceAddress.Kind) -> DeviceAddress {
        DeviceAddress(Address(value: address), kind)
    }

    /// A server with a name and a battery.
    static let battery = ServerLayout(
        .service(0x1800, .characteristic(0x2A00, [.read]), .characteristic(0x2A01, [.read])),
        .service(0x180F, .characteristic(0x2A19, [.read, .notify], descriptors: 0x2902)))

    /// A server with the handles of `battery` and another meaning for each.
    static let heartRate = ServerLayout(
        .service(0x1800, .characteristic(0x2A00, [.read])),
        .service(
            0x180D, .characteristic(0x2A38, [.read]), .characteristic(0x2A37, [.notify], descriptors: 0x2902)))

    /// A watch's attribute tables on BR/EDR and on LE: handle 0x0003 is its name on BR/EDR and its appearance on LE.
    static let classicWatch = ServerLayout(
        .service(0x1800, .characteristic(0x2A00, [.read])),
        .service(0x180F, .characteristic(0x2A19, [.read, .notify], descriptors: 0x2902)))
    static let energyWatch = ServerLayout(.service(0x1800, .characteristic(0x2A01, [.read])))

    /// A server that can indicate Service Changed.
    static let changeable = ServerLayout(
        .service(0x1801, .characteristic(0x2A05, [.indicate], descriptors: 0x2902)),
        .service(0x180F, .characteristic(0x2A19, [.read, .notify], descriptors: 0x2902)))

    /// `changeable` after an update: the battery service has moved, and a thermometer has taken its handles.
    static let changed = ServerLayout(
        .service(0x1801, .characteristic(0x2A05, [.indicate], descriptors: 0x2902)),
        .service(0x1809, .characteristic(0x2A1C, [.indicate], descriptors: 0x2902)),
        .service(0x180F, .characteristic(0x2A19, [.read, .notify], descriptors: 0x2902)))
}

/// A people counter: its attribute handles and its values.
enum LifeCount {
    static let device = Cast.device(0xC0_FFEE_00A5C3, .random)

    /// An attribute type of counter profile 1.
    static func counter(_ number: UInt16) -> UUID {
        UUID(value: 0x4C43_4E54_0000_4C69_6665_436F756E7400 + UInt128(number) << 80)
    }

    static let layout = ServerLayout(
        .service(0x1800, .characteristic(0x2A00, [.read]), .characteristic(0x2A01, [.read])),
        .service(0x180F, .characteristic(0x2A19, [.read, .notify], descriptors: 0x2902)),
        .service(
            counter(1),
            .characteristic(counter(2), [.notify], descriptors: 0x2902),
            .characteristic(counter(3), [.read]),
            .characteristic(counter(4), [.read, .notify], descriptors: 0x2902),
            .characteristic(counter(5), [.write, .indicate], descriptors: 0x2902)))

    /// An event, the given seconds after 2026-03-01T11:59:58.500Z; `flags` are those of its header.
    static func event(_ number: UInt32, delta: Int8 = 1, flags: UInt8 = 0x10, after seconds: UInt32 = 0) -> [UInt8] {
        [1 | flags, UInt8(bitPattern: delta)] + CaptureBuilder.integer(number, .littleEndian)
            + CaptureBuilder.integer(0x69A4_2A3E + seconds, .littleEndian) + hex("F401 C3A50F1E 0700")
    }
}
