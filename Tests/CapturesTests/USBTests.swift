import Bytes
import Captures
import PDUTestKit
import Testing

private typealias Build = CaptureBuilder
private typealias Record = CaptureBuilder.USBRecord

/// A link type of USB captures and a byte order of the file.
struct USBVariant: Sendable, CustomTestStringConvertible {
    var linkType: UInt32
    var order: ByteOrder
    var testDescription: String { "\(linkType), \(order)" }

    static let all = ([189, 220, 249, 266] as [UInt32]).flatMap { linkType in
        [ByteOrder.littleEndian, .bigEndian].map { USBVariant(linkType: linkType, order: $0) }
    }

    func pcap(_ records: [CaptureBuilder.USBRecord]) -> [UInt8] {
        Build.pcap(linkType, records.map { Build.pcapRecord($0.bytes(linkType, order), order) }, order)
    }

    func pcapng(_ records: [CaptureBuilder.USBRecord]) -> [UInt8] {
        Build.sectionHeader(order) + Build.interface(UInt16(linkType), order)
            + records.flatMap { Build.enhancedPacket($0.bytes(linkType, order), order) }
    }
}

/// HCI packets of a session, without their type.
enum USBSession {
    static let reset = hex("03 0c 00")
    static let resetComplete = hex("0e 04 01 03 0c 00")
    /// 21 bytes, which an endpoint of 16 bytes needs two transfers for.
    static let connectionComplete = hex("3e 13 01 00 4000 00 00 aabbccddeeff 1800 0000 2a00 05")
    static let notification = hex("4000 0b00 0700 0400 1b 1b00 01020304")
    static let longNotification = hex("4020 5c00 5800 0400 1b 1b00") + [UInt8](repeating: 0x5A, count: 85)
    static let synchronous = [hex("0100 06 a1a2a3a4a5a6"), hex("0100 03 b1b2b3")]
    static let streamEstablished = hex("3e 1d 19 00 6000") + [UInt8](repeating: 1, count: 25)
    static let isochronous = hex("6020 0800 0100 0400 c1c2c3c4")

    /// Frames 5 to 19. The comments give the frames in which packets end.
    static let traffic: [CaptureBuilder.USBRecord] = [
        .command(reset),  // 5
        Record(.control, 0x00, isSubmission: false),
        Record(.interrupt, 0x81, isSubmission: true),
        .received(.interrupt, 0x81, resetComplete),  // 8
        .received(.interrupt, 0x81, Array(connectionComplete.prefix(16))),
        .received(.interrupt, 0x81, Array(connectionComplete.dropFirst(16))),  // 10
        .sent(.bulk, 0x02, notification),  // 11
        Record(.bulk, 0x02, isSubmission: false),
        .received(.bulk, 0x82, Array(longNotification.prefix(64))),
        .received(.bulk, 0x82, Array(longNotification.dropFirst(64))),  // 14
        .received(.isochronous, 0x83, synchronous.flatMap { $0 }, packets: [4, 0, 9, 2]),  // 15, 15
        .sent(.isochronous, 0x03, synchronous[0], packets: [5, 4]),  // 16
        .received(.interrupt, 0x81, Array(streamEstablished.prefix(16))),
        .received(.interrupt, 0x81, Array(streamEstablished.dropFirst(16))),  // 18
        .received(.bulk, 0x82, isochronous),  // 19
    ]

    struct Packet: Equatable {
        var number: Int
        var type: H4PacketType?
        var direction: Direction?
        var bytes: [UInt8]

        init(_ number: Int, _ type: H4PacketType?, _ direction: Direction?, _ bytes: [UInt8]) {
            self.number = number
            self.type = type
            self.direction = direction
            self.bytes = bytes
        }
    }

    /// The packets of an adapter's descriptors and `traffic`.
    static let packets: [Packet] = [
        Packet(5, .command, .sent, reset), Packet(8, .event, .received, resetComplete),
        Packet(10, .event, .received, connectionComplete), Packet(11, .acl, .sent, notification),
        Packet(14, .acl, .received, longNotification), Packet(15, .sco, .received, synchronous[0]),
        Packet(15, .sco, .received, synchronous[1]), Packet(16, .sco, .sent, synchronous[0]),
        Packet(18, .event, .received, streamEstablished), Packet(19, .iso, .received, isochronous),
    ]

    /// The bytes of all packets.
    static let contents = packets.map(\.bytes)
}

extension ReadCapture {
    /// The HCI packets without their type.
    fileprivate var contents: [[UInt8]] { payloads.map { $0 ?? [] } }

    /// The HCI packets.
    fileprivate var hciPackets: [USBSession.Packet] {
        packets.indices.map {
            USBSession.Packet(packets[$0].number, views[$0]?.type, views[$0]?.direction, payloads[$0] ?? [])
        }
    }
}

/// The first `count` packets of the session were read, and no others.
private func expectSession(_ capture: ReadCapture, first count: Int = USBSession.packets.count) {
    #expect(capture.hciPackets == Array(USBSession.packets.prefix(count)))
    #expect(capture.packets.allSatisfy { !$0.isCut && $0.encapsulation == .usb && $0.adapter == 0 })
}

/// A command Reset to device 5 on bus 1, byte by byte as the link types define their headers.
@Test(
    arguments: [
        (
            189, ByteOrder.littleEndian,
            """
            8877665544332211 53 02 00 05 0100 00 00 0405060708000000 0a000000 8dffffff 03000000 03000000
            20 00 0000 0000 0300  030c00
            """
        ),
        (
            189, .bigEndian,
            """
            1122334455667788 53 02 00 05 0001 00 00 0000000807060504 0000000a ffffff8d 00000003 00000003
            20 00 0000 0000 0300  030c00
            """
        ),
        (
            220, .littleEndian,
            """
            8877665544332211 53 02 00 05 0100 00 00 0405060708000000 0a000000 8dffffff 03000000 03000000
            20 00 0000 0000 0300 00000000 00000000 00000000 00000000  030c00
            """
        ),
        (
            249, .littleEndian,
            "1c00 8877665544332211 00000000 1b00 00 0100 0500 00 02 0b000000 00  20 00 0000 0000 0300  030c00"
        ),
        (
            266, .bigEndian,
            """
            0001 20 00 03000000 00000000 00000000 8877665544332211 00001001 01 05 00 00
            20 00 0000 0000 0300  030c00
            """
        ),
    ] as [(UInt32, ByteOrder, String)])
func theHeaderBeforeATransferIsRead(linkType: UInt32, order: ByteOrder, record: String) throws {
    let capture = try ReadCapture(Build.pcap(linkType, [Build.pcapRecord(hex(record), order)], order))
    #expect(capture.hciPackets == [USBSession.Packet(1, .command, .sent, USBSession.reset)])
}

@Test(arguments: USBVariant.all, [1, 7, 100, 256 * 1024])
func everyPacketKindIsReadFromUSB(variant: USBVariant, chunkSize: Int) throws {
    let records = Record.adapterDescriptors + USBSession.traffic
    for file in [variant.pcap(records), variant.pcapng(records)] {
        let capture = try ReadCapture(file, chunkSize: chunkSize)
        expectSession(capture)
        #expect(capture.frameCount == 19)
        #expect(capture.warnings.isEmpty)
        // The request for the device descriptor.
        #expect(capture.skippedRecords == ["USB transfer of another device": 1])
    }
}

@Test func aUSBCaptureWithoutDescriptorsIsReadFromItsFirstPlausiblePacket() throws {
    for variant in USBVariant.all {
        let capture = try ReadCapture(variant.pcap(USBSession.traffic))
        #expect(capture.contents == USBSession.contents)
        // A capture that starts after the command, with the rest of an event before the first whole one.
        var records = Array(USBSession.traffic.dropFirst(3))
        records.insert(.received(.interrupt, 0x81, hex("0000 2a00 05")), at: 0)
        #expect(try ReadCapture(variant.pcap(records)).contents == Array(USBSession.contents.dropFirst()))
    }
}

@Test func dataAloneShowsAnAdapter() throws {
    for data in [USBSession.notification, USBSession.longNotification] {
        let capture = try ReadCapture(USBVariant.all[2].pcap([.received(.bulk, 0x82, data)]))
        #expect(capture.contents == [data])
    }
    #expect(throws: CaptureError.self) {
        try ReadCapture(USBVariant.all[2].pcap([.received(.bulk, 0x82, Array("USBC0123456789".utf8))]))
    }
}

@Test func eachUSBAdapterHasANumber() throws {
    let records = (Record.adapterDescriptors + USBSession.traffic).flatMap {
        [$0, $0.of(device: 6), $0.of(device: 5, bus: 2)]
    }
    for variant in USBVariant.all {
        let capture = try ReadCapture(variant.pcap(records))
        for adapter in 0..<3 {
            let own = capture.packets.indices.filter { capture.packets[$0].adapter == adapter }
            #expect(own.map { capture.contents[$0] } == USBSession.contents)
            #expect(own.map { capture.packets[$0].number } == USBSession.packets.map { 3 * $0.number - 2 + adapter })
        }
    }
}

@Test func usbAdaptersAndInterfacesShareNoNumber() throws {
    let capture = try ReadCapture(
        Build.sectionHeader() + Build.interface(187) + Build.interface(220) + Build.enhancedPacket(Build.reset)
            + Build.enhancedPacket(Record.command(USBSession.reset).bytes(220), interface: 1))
    #expect(capture.packets.map(\.encapsulation) == [.h4, .usb])
    #expect(capture.packets.map(\.adapter) == [0, 1])
    #expect(capture.contents == [USBSession.reset, USBSession.reset])
}

@Test func otherUSBDevicesAreCounted() throws {
    let report = Record.received(.interrupt, 0x81, hex("0e04 01 030c 00 00 00")).of(device: 9)
    let keyboard =
        (Record.descriptor(1, Record.keyboardDevice, id: 81)
        + Record.descriptor(2, Record.keyboardConfiguration, id: 82)).map { $0.of(device: 9) }
    for variant in USBVariant.all {
        // After the keyboard's descriptors, even what looks like an event is none.
        let event = Record.received(.interrupt, 0x81, USBSession.resetComplete).of(device: 9)
        var records = keyboard + [report, event]
        records += Record.adapterDescriptors + USBSession.traffic
        records.append(report)
        let capture = try ReadCapture(variant.pcap(records))
        #expect(capture.contents == USBSession.contents)
        #expect(capture.packets.map(\.number) == USBSession.packets.map { $0.number + 6 })
        #expect(capture.skippedRecords == ["USB transfer of another device": 8])
    }
}

@Test func aUSBCaptureOfOtherDevicesOnlyIsAnError() {
    let mouse = Record.received(.interrupt, 0x81, hex("01 02 00 ff"))
    let error = #expect(throws: CaptureError.self) { try ReadCapture(USBVariant.all[2].pcap([mouse, mouse])) }
    #expect(error?.kind == .unsupported)
    #expect(error?.finding.text == "no Bluetooth adapter among the USB devices")
}

@Test func endpointsOfOtherInterfacesAreNotRead() throws {
    // A composite adapter: endpoint 84 belongs to an interface of another class.
    let configuration =
        hex("09 02 3700 02 01 00 e0 32  09 04 00 00 03 e0 01 01 00")
        + hex("07 05 81 03 1000 01  07 05 02 02 4000 00  07 05 82 02 4000 00")
        + hex("09 04 01 00 01 03 00 00 00  07 05 84 03 0800 0a")
    let records =
        Record.descriptor(2, configuration, id: 7)
        + [
            Record.received(.interrupt, 0x84, hex("01 02 00 ff")),
            Record.received(.interrupt, 0x81, USBSession.resetComplete),
        ]
    #expect(try ReadCapture(USBVariant.all[2].pcap(records)).contents == [USBSession.resetComplete])
}

@Test(arguments: USBVariant.all)
func aUSBCaptureTruncatedAtEveryByteKeepsItsPackets(variant: USBVariant) throws {
    let records = Record.adapterDescriptors + USBSession.traffic
    let file = variant.pcap(records)
    var ends: [Int] = []
    var end = 24
    for record in records {
        end += 16 + record.bytes(variant.linkType, variant.order).count
        ends.append(end)
    }
    for count in 0...file.count {
        let frames = ends.count { $0 <= count }
        let expected = USBSession.packets.count { $0.number <= frames }
        do throws(CaptureError) {
            let capture = try ReadCapture(Array(file[..<count]), chunkSize: 64)
            expectSession(capture, first: expected)
        } catch {
            #expect(expected == 0)
        }
    }
}

/// Every record cut in its pseudo-header or data: nothing traps, and no packet is invented.
@Test(arguments: USBVariant.all)
func aUSBRecordTruncatedAtEveryByteIsCut(variant: USBVariant) throws {
    let descriptors = Record.adapterDescriptors.map { $0.bytes(variant.linkType, variant.order) }
    for record in USBSession.traffic {
        let bytes = record.bytes(variant.linkType, variant.order)
        for count in 0..<bytes.count {
            let cut = Build.pcapRecord(Array(bytes[..<count]), variant.order, original: UInt32(bytes.count))
            let file = Build.pcap(
                variant.linkType, descriptors.map { Build.pcapRecord($0, variant.order) } + [cut], variant.order)
            let capture = try ReadCapture(file)
            for (packet, payload) in zip(capture.packets, capture.payloads) {
                #expect(packet.isCut || USBSession.packets.contains { $0.bytes == payload })
            }
        }
    }
}

@Test func aTransferThatWasNotCapturedWholeCutsItsPacket() throws {
    var first = Record.received(.bulk, 0x82, Array(USBSession.longNotification.prefix(48)))
    first.length = 64
    let records =
        Record.adapterDescriptors + [
            first, USBSession.traffic[9], Record.received(.bulk, 0x82, USBSession.notification),
        ]
    for variant in USBVariant.all {
        let capture = try ReadCapture(variant.pcap(records))
        #expect(capture.packets.map(\.number) == [6, 7])
        #expect(capture.packets.map(\.isCut) == [true, false])
        #expect(capture.packets.map(\.originalLength) == [96, 15])
        #expect(capture.contents == [Array(USBSession.longNotification.prefix(48)), USBSession.notification])
    }
}

@Test func severalPacketsOfOneTransferShareItsNumber() throws {
    let both = Record.received(.bulk, 0x82, USBSession.notification + USBSession.notification)
    let records = Record.adapterDescriptors + [Record.received(.bulk, 0x82, USBSession.notification), both]
    let capture = try ReadCapture(USBVariant.all[2].pcap(records))
    #expect(capture.packets.map(\.number) == [5, 6, 6])
    #expect(capture.contents == [USBSession.notification, USBSession.notification, USBSession.notification])
}

@Test func aHeaderMayBeSplitOverTransfers() throws {
    var records = Record.adapterDescriptors
    records += [USBSession.traffic[6], Record.received(.bulk, 0x82, USBSession.notification)]
    records += USBSession.longNotification.map { Record.received(.bulk, 0x82, [$0]) }
    let capture = try ReadCapture(USBVariant.all[2].pcap(records))
    #expect(capture.packets.map(\.number) == [5, 6, 6 + USBSession.longNotification.count])
    #expect(capture.contents.last == USBSession.longNotification)
}

@Test func aFailedTransferAndADropEndAPacket() throws {
    let start = Record.received(.bulk, 0x82, Array(USBSession.longNotification.prefix(64)))
    var failed = Record.received(.bulk, 0x82, [])
    failed.status = 0xFFFF_FFE0
    let whole = Record.received(.bulk, 0x82, USBSession.notification)
    let records = Record.adapterDescriptors + [whole, start, failed, whole]
    for variant in USBVariant.all {
        let capture = try ReadCapture(variant.pcap(records))
        #expect(capture.packets.map(\.number) == [5, 8])
        #expect(capture.skippedRecords["incomplete HCI packet over USB"] == 1)
    }
    let drops = Build.option(4, [3, 0, 0, 0, 0, 0, 0, 0])
    let capture = try ReadCapture(
        USBVariant.all[2].pcapng(Record.adapterDescriptors + [whole, start])
            + Build.enhancedPacket(Record(.bulk, 0x02, isSubmission: false).bytes(220), options: drops)
            + Build.enhancedPacket(whole.bytes(220), options: Build.option(1, Array("after".utf8))))
    #expect(capture.packets.map(\.number) == [5, 8])
    #expect(capture.packets.map(\.drops) == [0, 3])
    #expect(capture.comments == [[], ["after"]])
}

/// USBPcap before 1.3 records setup, data and status of a request apart.
@Test func commandsOfEarlierUSBPcapAreRead() throws {
    let stages = [
        "1c00 8877665544332211 00000000 0800 00 0100 0500 00 02 08000000 00  20 00 0000 0000 0300",
        "1c00 8877665544332211 00000000 0800 00 0100 0500 00 02 03000000 01  030c00",
        "1c00 8877665544332211 00000000 0800 01 0100 0500 00 02 00000000 02",
    ]
    let capture = try ReadCapture(Build.pcap(249, stages.map { Build.pcapRecord(hex($0)) }))
    #expect(capture.packets.map(\.number) == [2])
    #expect(capture.contents == [USBSession.reset])
}

@Test func readingGoesOnWithinAJoinedPacket() throws {
    let file = USBVariant.all[2].pcap(Record.adapterDescriptors + USBSession.traffic)
    func reader() throws(CaptureError) -> CaptureReader {
        try CaptureReader(source: ByteSource(bytes: file, name: "test", chunkSize: 90))
    }
    let whole = try ReadCapture(reader())
    let first = try reader()
    var read = 0
    while let batch = try first.next() {
        read += batch.packets.count
        let other = try reader()
        try other.move(to: first.position)
        #expect(try ReadCapture(other).contents == Array(whole.contents.dropFirst(read)))
    }
    #expect(read == USBSession.packets.count)
}

@Test func usbCapturesAreConvertedToEveryFormat() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("usb.pcap", USBVariant.all[2].pcap(Record.adapterDescriptors + USBSession.traffic))
    for format in CaptureFormat.writable {
        let converted = folder.path("converted." + format.fileExtension)
        _ = try Converter.convert(CaptureReader(path: path), to: converted, format: format)
        let capture = try ReadCapture(path: converted)
        #expect(capture.contents == USBSession.contents)
    }
}

@Test(.enabled(if: Tshark.path != nil, "tshark is not there"), arguments: USBVariant.all)
func tsharkFindsTheSamePacketsInUSB(variant: USBVariant) throws {
    let folder = try TemporaryFolder()
    // Wireshark shows synchronous data as data of the transfer, and has no handles of isochronous streams.
    let records = Record.adapterDescriptors + Array(USBSession.traffic.prefix(10))
    let path = try folder.file("usb.pcap", variant.pcap(records))
    let rows = try Tshark.fields(
        ["frame.number", "bthci_cmd.opcode", "bthci_evt.code", "bthci_acl.chandle", "btatt.value"], of: path)
    let expected = [
        ["5", "0x0c03", "", "", ""], ["8", "", "0x0e", "", ""], ["10", "", "0x3e", "", ""],
        ["11", "", "", "0x0040", "01020304"],
        ["14", "", "", "0x0040", String(repeating: "5a", count: 85)],
    ]
    let packets = rows.filter { row in !row.dropFirst().joined().isEmpty }
    #expect(packets == expected)
    #expect(try ReadCapture(path: path).packets.map { "\($0.number)" } == expected.map { $0[0] })
}
