import Bytes
import Captures
import Testing

/// Records of the kernel's monitor channel, in the layout of Linux's `hci_mon.h`.
@Suite struct MonitorRecordTests {
    /// HCI Reset to hci3.
    private let bytes: [UInt8] = [0x02, 0x00, 0x03, 0x00, 0x03, 0x00, 0x03, 0x0C, 0x00]

    @Test func aRecordIsRead() throws {
        let record = try #require(MonitorRecord(bytes[...]))
        #expect(record.opcode == .command)
        #expect(record.adapter == 3)
        #expect(Array(record.body) == [0x03, 0x0C, 0x00])
    }

    @Test func aRecordThatWasCutShortTellsSo() throws {
        var batch = PacketBatch()
        batch.append(try #require(MonitorRecord(bytes.dropLast())), number: 1, time: Timestamp(nanoseconds: 5))
        #expect(batch.packets[0].isCut)
        #expect(batch.packets[0].originalLength == 3)
        #expect(Array(batch.bytes(of: batch.packets[0])) == [0x03, 0x0C])
    }

    @Test(arguments: 0..<6)
    func lessThanAHeaderIsNone(count: Int) {
        #expect(MonitorRecord(bytes.prefix(count)) == nil)
    }

    @Test func whatFollowsTheBodyIsNotPartOfIt() throws {
        #expect(try #require(MonitorRecord((bytes + [0xFF])[...])).body.count == 3)
    }

    @Test func aDirectionOfLibpcapIsTaken() {
        var batch = PacketBatch()
        let time = Timestamp(nanoseconds: 5)
        for last: UInt8 in [0, 1] {
            batch.append(
                [0, 0, 0, last, 4, 0x0E, 0][...], originalLength: 7, encapsulation: .h4WithDirection, number: 1,
                time: time)
        }
        #expect(batch.packets.map(\.direction) == [.sent, .received])
    }
}
