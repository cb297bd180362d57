import Bytes
import Captures
import PDUTestKit
import Testing

private typealias Build = CaptureBuilder

@Test(arguments: [ByteOrder.bigEndian, .littleEndian], [0xA1B2_C3D4, 0xA1B2_3C4D, 0xA1B2_CD34] as [UInt32])
func pcapOfEveryOrderAndResolution(order: ByteOrder, magic: UInt32) throws {
    let extra: [UInt8] = magic == 0xA1B2_CD34 ? [1, 2, 3, 4, 5, 6, 7, 8] : []
    let capture = try ReadCapture(
        Build.pcap(
            187,
            [
                Build.pcapRecord(Build.reset, order, extra: extra),
                Build.pcapRecord(Build.notification, order, extra: extra),
            ],
            order, magic: magic))
    #expect(capture.format == .pcap)
    #expect(capture.bytes == [Build.reset, Build.notification])
    let fraction: Int64 = magic == 0xA1B2_3C4D ? 395_644 : 395_644_000
    #expect(capture.packets.map(\.time.nanoseconds) == [fraction, fraction].map { 1_674_874_116_000_000_000 + $0 })
    #expect(capture.views.map { $0?.direction } == [.sent, .unknown])
}

@Test(
    arguments: [
        (187, Encapsulation.h4), (201, .h4WithDirection), (254, .monitorWithHeader), (251, .linkLayer),
        (256, .linkLayerWithHeader), (272, .nordic), (192, .ppi),
    ] as [(UInt32, Encapsulation)])
func everyLinkTypeHasItsEncapsulation(linkType: UInt32, encapsulation: Encapsulation) throws {
    let capture = try ReadCapture(Build.pcap(linkType, [Build.pcapRecord([0, 0, 0, 1, 2, 3])]))
    #expect(capture.packets.map(\.encapsulation) == [encapsulation])
}

@Test func upperBitsOfTheLinkTypeAreFlags() throws {
    let capture = try ReadCapture(Build.pcap(0x1400_0000 | 187, [Build.pcapRecord(Build.reset)]))
    #expect(capture.packets.map(\.encapsulation) == [.h4])
}

@Test func directionComesBeforeTheH4Type() throws {
    let capture = try ReadCapture(
        Build.pcap(
            201,
            [
                Build.pcapRecord([0, 0, 0, 0] + Build.reset), Build.pcapRecord([0, 0, 0, 1] + Build.notification),
                Build.pcapRecord([0, 0, 0]),
            ]))
    #expect(capture.packets.map(\.direction) == [.sent, .received, .unknown])
    #expect(capture.views.map { $0?.type } == [.command, .acl, nil])
    #expect(capture.payloads == [Array(Build.reset.dropFirst()), Array(Build.notification.dropFirst()), nil])
    #expect(capture.packets.map(\.frameLength) == [4, 16, 0])
    #expect(capture.packets.map(\.capturedFrameLength) == [4, 16, 0])
}

@Test func monitorHeaderComesBeforeTheBody() throws {
    let capture = try ReadCapture(
        Build.pcap(254, [Build.pcapRecord([0, 2, 0, 5, 7, 8]), Build.pcapRecord([0xFF, 0xFF, 0, 12, 72, 105, 0])]))
    #expect(capture.views.map { $0?.type } == [.acl, nil])
    #expect(capture.views.map { $0?.adapter } == [2, 0xFFFF])
    #expect(capture.views.map { $0?.recordType } == [5, 12])
    #expect(capture.payloads == [[7, 8], [72, 105, 0]])
    #expect(capture.packets.map(\.frameLength) == [2, 3])
    #expect(capture.packets.map(\.capturedFrameLength) == [2, 3])
}

@Test func anotherLinkTypeIsNamed() {
    let error = #expect(throws: CaptureError.self) {
        try ReadCapture(Build.pcap(1, [Build.pcapRecord([UInt8](repeating: 0, count: 60))]))
    }
    #expect(error?.kind == .unsupported)
    #expect(error?.description.contains("offset 20: Ethernet (1): not a Bluetooth link type") == true)
    #expect(LinkType(rawValue: 9999).label == "unknown link type (9999)")
}

@Test func aCaptureWithoutPacketsIsNoError() throws {
    #expect(try ReadCapture(Build.pcap(187, [])).packets.isEmpty)
    #expect(try ReadCapture(Build.btsnoop(1002, [])).packets.isEmpty)
    #expect(try ReadCapture(Build.sectionHeader() + Build.interface(187)).packets.isEmpty)
}
