import BluetoothTypes
import Bytes
import GATT
import TestKit

/// A people counter, the handles of its attributes and what it says.
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

    /// The bytes of an event at 2026-03-01T11:59:58.500Z plus so many seconds; flags are those of its header.
    static func event(_ number: UInt32, delta: Int8 = 1, flags: UInt8 = 0x10, after seconds: UInt32 = 0) -> [UInt8] {
        [1 | flags, UInt8(bitPattern: delta)] + CaptureBuilder.integer(number, .littleEndian)
            + CaptureBuilder.integer(0x69A4_2A3E + seconds, .littleEndian) + hex("F401 C3A50F1E 0700")
    }
}
