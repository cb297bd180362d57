import Bytes
import Captures
import Foundation
import PDUTestKit
import Testing

@testable import Archives

/// Dumps of BabbleSim's physical layer.
@Suite struct BabbleSimTests {
    private static let header =
        "start_time,end_time,center_freq,phy_address,modulation,power_level,abort_time,recheck_time,packet_size,packet"

    /// ADV_NONCONN_IND on channel 37, a packet of LE 2M, one of LE Coded in two lines, and one of IEEE 802.15.4.
    private static let transmissions = """
        \(header)
        625,968,2.000000,0x8e89bed6,16,4.000000,18446744073709551615,18446744073709551615,11,02 06 01 02 03 04 05 06 aa bb cc
        1000,1100,40.000000,0x50655d2c,32,0.000000,18446744073709551615,18446744073709551615,5,01 00 11 22 33
        2000,2300,4.000000,0x50655d2c,80,0.000000,18446744073709551615,18446744073709551615,1,01
        2300,2600,4.000000,0x50655d2c,80,0.000000,18446744073709551615,18446744073709551615,5,01 00 44 55 66
        3000,3100,5.000000,0xa7,256,0.000000,18446744073709551615,18446744073709551615,3,01 02 03

        """

    private func read(_ text: String) throws -> (packets: [CapturedPacket], bytes: [[UInt8]]) {
        let folder = try TemporaryFolder()
        let path = try folder.file("d_2G4_00.Tx.csv", text.utf8)
        let file = try CaptureFile(path, CaptureFile.Options())
        #expect(file.search == nil)
        let reader = try CaptureReader(source: file.source)
        var packets: [CapturedPacket] = []
        var bytes: [[UInt8]] = []
        while let batch = try reader.next() {
            packets += batch.packets
            bytes += batch.packets.map { Array(batch.bytes(of: $0)) }
        }
        return (packets, bytes)
    }

    @Test func transmissionsAreRead() throws {
        let (packets, bytes) = try read(Self.transmissions)
        #expect(packets.map(\.time.nanoseconds) == [625_000, 1_000_000, 2_000_000])
        #expect(packets.allSatisfy { $0.encapsulation == .linkLayerWithHeader })
        #expect(
            bytes == [
                hex("00 04 00 00 00000000 0300 d6be898e 02 06 01 02 03 04 05 06 aa bb cc"),
                hex("13 00 00 00 00000000 0340 2c5d6550 01 00 11 22 33"),
                hex("01 00 00 00 00000000 0380 2c5d6550 01 01 00 44 55 66"),
            ])
    }

    @Test func receptionsHaveTheStateOfTheirChecksum() throws {
        let text = """
            start_time,phy_address,modulation,center_freq,status,RSSI,packet_size,packet
            10,0x8e89bed6,16,26.000000,1,-50.400000,5,02 00 01 02 03
            20,0x8e89bed6,16,26.000000,2,-90.000000,5,02 00 01 02 03
            30,0x8e89bed6,16,26.000000,4,-200.000000,0,
            """
        let (_, bytes) = try read(text)
        #expect(bytes.map { Array($0[..<2]) } == [[12, UInt8(bitPattern: -50)], [12, UInt8(bitPattern: -90)]])
        #expect(bytes.map { Array($0[8..<10]) } == [[0x03, 0x0C], [0x03, 0x04]])
    }

    @Test func aLineThatIsCutIsLeftOut() throws {
        let text = String(Self.transmissions.prefix(Self.header.count + 60))
        #expect(BabbleSimDump(Array(text.utf8)).packets == 0)
        #expect(throws: CaptureError.self) { try read(text) }
        // A packet with fewer bytes than its size is a cut packet.
        let short = "\(Self.header)\n1,2,2.0,0x8e89bed6,16,0,0,0,9,02 03 01\n"
        let packet = try #require(try read(short).packets.first)
        #expect(packet.isCut)
    }

    @Test func anyCutIsRead() {
        let text = Array(Self.transmissions.utf8)
        for end in 0..<text.count {
            let dump = BabbleSimDump(Array(text[..<end]))
            #expect(dump.packets <= 3)
        }
    }

    @Test func anotherTableIsNone() {
        #expect(!BabbleSimDump.recognizes(Array("time,value\n1,2\n".utf8)))
        #expect(!BabbleSimDump.recognizes([]))
    }
}
