import Bluetooth
import Bytes
import Testing

/// UUIDs as text and on the wire (Vol 3, Part B, 2.5.1).
struct UUIDTests {
    private static let batteryService: UInt128 = 0x0000_180F_0000_1000_8000_0080_5F9B_34FB

    @Test(arguments: [
        "180f", "0x180F", "0X180f", "0000180F", "0000180f-0000-1000-8000-00805f9b34fb",
        "0x0000180F-0000-1000-8000-00805F9B34FB",
    ])
    func allFormsAreTheSame(text: String) throws {
        let uuid = try #require(UUID(text))
        #expect(uuid == UUID(0x180F))
        #expect(uuid.value == Self.batteryService)
        #expect(uuid.description == "0x180f")
    }

    @Test func longOnesKeepTheirDigits() throws {
        let text = "6f640001-9e3a-4d5b-8c7f-0123456789ab"
        let uuid = try #require(UUID(text[...]))
        #expect(uuid.value == 0x6F64_0001_9E3A_4D5B_8C7F_0123_4567_89AB)
        #expect(uuid.description == text)
    }

    @Test(arguments: [
        "", "0x", "18", "180", "180f0", "180g", "+80f", "-180f", "180f-", "0000180f-0000", "0000180f-",
        "0000180f00001000800000805f9b34fb", "0000180f-0000-1000-8000-00805f9b34f",
        "0000180f-0000-1000-8000-00805f9b34fbb", "0000180f-0000-1000-800000805f9b34fb", "0000-180f-0000-1000-8000",
        "0000180f--0000-1000-800000805f9b34fb", "\u{FF11}80f",
    ])
    func anythingElseIsNone(text: String) {
        #expect(UUID(text) == nil)
    }

    @Test func bytesAreLittleEndian() throws {
        #expect(UUID(wire: [0x0F, 0x18]) == UUID(0x180F))
        #expect(UUID(wire: [0x0F, 0x18, 0x01, 0x00]) == UUID(0x0001_180F))
        let long: [UInt8] = [
            0xAB, 0x89, 0x67, 0x45, 0x23, 0x01, 0x7F, 0x8C, 0x5B, 0x4D, 0x3A, 0x9E, 0x01, 0x00, 0x64, 0x6F,
        ]
        #expect(UUID(wire: long)?.description == "6f640001-9e3a-4d5b-8c7f-0123456789ab")
        for count in [0, 1, 3, 5, 15] { #expect(UUID(wire: Array(long.prefix(count))) == nil) }
        #expect(UUID(wire: long + [0]) == nil)
    }
}
