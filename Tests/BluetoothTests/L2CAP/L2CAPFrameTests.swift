import Bluetooth
import Bytes
import PDUTestKit
import Testing

@Test func frameHeaderReadsAndWrites() throws {
    #expect(WireFormatCheck.faults(L2CAP.FrameHeader.self, hex("0700 0400")) == [])
    let header = try L2CAP.FrameHeader(decoding: hex("0e00 0500"))
    #expect(header == .init(length: 14, cid: .leSignaling))
}

@Test func connectionlessFrameReadsAndWrites() throws {
    #expect(WireFormatCheck.faults(L2CAP.ConnectionlessFrame.self, hex("0100 0102")) == [])
    #expect(try L2CAP.ConnectionlessFrame(decoding: hex("0100 0102")).psm == .sdp)
}

@Test func frameHasLengthAndChannel() {
    #expect(L2CAP.frame([0x0A, 0x03, 0x00], on: .att) == hex("0300 0400 0a0300"))
}

@Test(
    arguments: [
        (0x0000, "Null identifier"), (0x0001, "L2CAP Signaling Channel"), (0x0004, "Attribute Protocol"),
        (0x0005, "Low Energy L2CAP Signaling Channel"), (0x0006, "Security Manager Protocol"),
        (0x0007, "BR/EDR Security Manager"), (0x0008, "Reserved"), (0x003F, "AMP Test Manager"),
        (0x0040, "Dynamically Allocated Channel"), (0xFFFF, "Dynamically Allocated Channel"),
    ] as [(UInt16, String)])
func channelIsNamed(cid: UInt16, name: String) {
    #expect(L2CAP.ChannelID(rawValue: cid).name == name)
}

@Test func multiplexersAreNamed() {
    #expect(L2CAP.PSM.rfcomm.name == "RFCOMM")
    #expect(L2CAP.PSM(0x1001).name == "Dynamically Allocated")
    #expect(L2CAP.PSM(0x0101).name == nil)
    // Assigned PSMs are odd, with an even upper octet (Vol 3, Part A, 4.2).
    #expect((0...0x1000).filter { L2CAP.PSM($0).name != nil }.allSatisfy { $0 & 0x101 == 1 })
    #expect(L2CAP.SPSM.eatt.name == "EATT")
    #expect(L2CAP.SPSM(0x0001).name == "Fixed, SIG Assigned")
    #expect(L2CAP.SPSM(0x0081).name == "Dynamically Allocated")
    #expect(L2CAP.SPSM(0x0100).name == "Reserved")
}

@Test func resultsAreNamed() {
    #expect(L2CAP.CreditBasedResult(rawValue: 2).name == "Connection Refused - LE_PSM Not Supported")
    #expect((0...15).filter { L2CAP.CreditBasedResult(rawValue: $0).name == nil } == [1, 3])
    #expect((0...5).allSatisfy { L2CAP.ReconfigureResult(rawValue: $0).name != nil || $0 == 5 })
    #expect(L2CAP.ConnectionResult(rawValue: 6).name == "Refused - Invalid Source CID")
    #expect(L2CAP.MoveResult(rawValue: 5).name == "Refused - Move Channel collision")
    #expect(L2CAP.ConfigurationResult(rawValue: 5).name == "Failure - flow spec rejected")
    #expect(L2CAP.RejectReason(rawValue: 3).name == nil)
}
