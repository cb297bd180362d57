import Bytes
import Captures
import Foundation
import PDUTestKit
import Testing

private typealias Build = CaptureBuilder

/// HCI packets of every type, with their directions.
private let hciPackets: [(bytes: [UInt8], direction: Direction)] = [
    (Build.reset, .sent), (Build.resetComplete, .received), (Build.notification, .received),
    (hex("02 4000 0700 0300 0400 0a 1b00"), .sent), (hex("03 0100 02 aabb"), .sent),
    (hex("03 0100 02 ccdd"), .received),
    (hex("05 6020 0600 0100 0200 1122"), .sent), (hex("05 6020 0600 0100 0200 3344"), .received),
]

private func target(_ format: CaptureFormat, _ linkType: UInt32) throws -> CaptureTarget {
    try #require(CaptureTarget(format, linkType: LinkType(rawValue: linkType)))
}

/// Writes a file with `body` and reads it back.
private func written(
    _ target: CaptureTarget, _ body: (CaptureWriter) throws -> Void
) throws -> (capture: ReadCapture, losses: [ConversionLoss]) {
    let folder = try TemporaryFolder()
    let path = folder.path("written")
    let writer = try CaptureWriter(path: path, target: target)
    try body(writer)
    try writer.flush()
    return (try ReadCapture(path: path), writer.losses)
}

/// Converts `bytes` and reads the result.
private func converted(
    _ bytes: [UInt8], to format: CaptureFormat, _ linkType: UInt32? = nil, chunkSize: Int = 256 * 1024
) throws -> (capture: ReadCapture, report: Converter.Report) {
    let folder = try TemporaryFolder()
    let path = folder.path("converted")
    let reader = try CaptureReader(source: ByteSource(bytes: bytes, name: "test", chunkSize: chunkSize))
    let report = try Converter.convert(
        reader, to: path, format: format, linkType: linkType.map(LinkType.init(rawValue:)))
    return (try ReadCapture(path: path), report)
}

private let hciTargets: [(CaptureFormat, UInt32)] = [
    (.btsnoop, 1002), (.btsnoop, 2001), (.packetLogger, 187), (.pcap, 201), (.pcap, 254), (.pcapng, 201),
    (.pcapng, 254),
    (.pcapng, 187),
]

@Test(arguments: hciTargets)
func whatAWriterWritesAReaderReads(format: CaptureFormat, linkType: UInt32) throws {
    let (capture, losses) = try written(target(format, linkType)) { writer in
        for (index, packet) in hciPackets.enumerated() {
            let time = Timestamp(microseconds: Build.time + Int64(index))
            try writer.write(h4: packet.bytes, direction: packet.direction, time: time)
        }
    }
    #expect(losses.isEmpty)
    #expect(capture.warnings.isEmpty)
    #expect(capture.format == format)
    #expect(capture.views.map { $0?.type?.rawValue } == hciPackets.map(\.bytes.first))
    #expect(capture.views.map { $0?.direction } == hciPackets.map(\.direction))
    #expect(capture.payloads == hciPackets.map { Array($0.bytes.dropFirst()) })
    #expect(capture.packets.map(\.time.nanoseconds) == hciPackets.indices.map { (Build.time + Int64($0)) * 1000 })
}

@Test func h4WithoutDirectionLosesThatOfData() throws {
    let (capture, losses) = try written(target(.pcap, 187)) { writer in
        for packet in hciPackets {
            try writer.write(h4: packet.bytes, direction: packet.direction, time: Timestamp(microseconds: Build.time))
        }
    }
    #expect(capture.bytes == hciPackets.map(\.bytes))
    #expect(losses == [ConversionLoss(kind: .direction, count: 6, firstFrame: 3)])
}

@Test(
    arguments: [(CaptureFormat.pcap, 251), (.pcap, 256), (.pcapng, 251), (.pcapng, 256)] as [(CaptureFormat, UInt32)])
func linkLayerPacketsAreWritten(format: CaptureFormat, linkType: UInt32) throws {
    let packet = (linkType == 256 ? hex("25d4 0000 00000000 030c") : []) + hex("d6be898e 4000 aabbcc")
    let (capture, report) = try converted(Build.pcap(linkType, [Build.pcapRecord(packet)]), to: format)
    #expect(capture.bytes == [packet])
    #expect(capture.packets.map(\.time.nanoseconds) == [Build.time * 1000])
    #expect(report.target.linkType.rawValue == linkType)
    #expect(report.losses.isEmpty)
}

@Test func cutPacketsStayCut() throws {
    let source = Build.btsnoop(1002, [Build.btsnoopRecord(Build.reset, original: 100)])
    for (format, linkType) in hciTargets where format != .packetLogger {
        let (capture, report) = try converted(source, to: format, linkType)
        #expect(capture.packets.map { $0.originalLength - $0.count } == [96])
        #expect(report.losses.isEmpty)
    }
    let whole = Build.btsnoopRecord(Build.reset)
    let both = Build.btsnoop(1002, [Build.btsnoopRecord(Build.reset, original: 100), whole])
    let (capture, report) = try converted(both, to: .packetLogger)
    #expect(capture.packets.count == 1)
    #expect(report.losses == [ConversionLoss(kind: .cutPacket, count: 1, firstFrame: 1)])
}

@Test(arguments: [
    (Build.btsnoop(1002, []), "no packet to write, and a PacketLogger file without packets cannot be read"),
    (
        Build.btsnoop(1002, [Build.btsnoopRecord(Build.reset, original: 100)]),
        "no packet to write (1 × truncated packets left out: the target cannot mark them), "
            + "and a PacketLogger file without packets cannot be read"
    ),
])
func aPacketLoggerFileWithoutPacketsIsRefused(source: [UInt8], text: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("empty.pklg")
    let reader = try CaptureReader(source: ByteSource(bytes: source, name: "test"))
    let error = try #require(throws: CaptureError.self) {
        try Converter.convert(reader, to: path, format: .packetLogger)
    }
    #expect(error.kind == .wrongTarget)
    #expect(error.finding.text == text)
    #expect(error.finding.advice == "write btsnoop, pcap or pcapng")
    #expect(!FileManager.default.fileExists(atPath: path))
    // An empty capture converted to another format has a header and is readable.
    #expect(try converted(source, to: .pcap).capture.packets.count == (source.count > 16 ? 1 : 0))
}

/// btsnoop counts dropped packets from the start of the file, pcapng since the previous packet.
@Test func droppedPacketsAreCountedWhereTheTargetCountsThem() throws {
    let counts: [UInt32] = [0, 2, 2, 70_005]
    let btsnoop = Build.btsnoop(1002, counts.map { Build.btsnoopRecord(Build.reset, flags: 2, drops: $0) })
    let (pcapng, _) = try converted(btsnoop, to: .pcapng)
    #expect(pcapng.packets.map(\.drops) == [0, 2, 0, .max])
    let option = { (count: UInt8) in Build.option(4, [count, 0, 0, 0, 0, 0, 0, 0]) }
    let source =
        Build.sectionHeader() + Build.interface(187)
        + [0, 3, 1].flatMap { Build.enhancedPacket(Build.reset, options: option($0)) }
    for (format, linkType) in hciTargets {
        let (capture, report) = try converted(source, to: format, linkType)
        let isCounted = format == .btsnoop || format == .pcapng
        #expect(capture.packets.map(\.drops) == (isCounted ? [0, 3, 1] : [0, 0, 0]), "\(format) \(linkType)")
        #expect(
            report.losses.filter { $0.kind == .drops }
                == (isCounted ? [] : [ConversionLoss(kind: .drops, count: 2, firstFrame: 2)]), "\(format) \(linkType)")
    }
}

/// The packet after the drop is not an HCI packet, so the next one carries the drop count.
@Test func dropsBeforeAPacketThatIsLeftOutAreCountedAtTheNextOne() throws {
    let records: [(opcode: UInt32, drops: UInt32)] = [(2, 0), (0, 1), (2, 3)]
    let source = Build.btsnoop(
        2001, records.map { Build.btsnoopRecord(hex("030c00"), flags: $0.opcode, drops: $0.drops) })
    let (capture, report) = try converted(source, to: .btsnoop, 1002)
    #expect(report.losses.map(\.kind) == [.monitorRecord(.newIndex)])
    #expect(capture.packets.map(\.drops) == [0, 3])
}

@Test func pcapngKeepsCommentsNamesNanosecondsAndInterfaces() throws {
    let options = Build.option(2, Array("hci1".utf8)) + Build.option(9, [9])
    let source =
        Build.sectionHeader() + Build.interface(201, options: Build.option(9, [9]))
        + Build.interface(201, options: options)
        + Build.enhancedPacket(
            [0, 0, 0, 1] + Build.reset, interface: 1, time: 1_500_000_001,
            options: ["né", "et encore"].flatMap { Build.option(1, Array($0.utf8)) })
    let (capture, report) = try converted(source, to: .pcapng)
    #expect(capture.comments == [["né", "et encore"]])
    #expect(capture.packets.map(\.time.nanoseconds) == [1_500_000_001])
    #expect(capture.packets.map(\.adapter) == [1])
    #expect(capture.interfaces.map(\.name) == [nil, "hci1"])
    #expect(report.losses.isEmpty)
}

/// Interface numbers restart at 0 in each section; interfaces with the same name are the same. With chunks of one byte,
/// each interface becomes known only after the packets of the previous one.
@Test(arguments: [1, 256 * 1024])
func interfacesOfAllSectionsKeepTheirNames(chunkSize: Int) throws {
    let source = ["hci0", "usb", "hci0"].flatMap { name in
        Build.sectionHeader() + Build.interface(201, options: Build.option(2, Array(name.utf8)))
            + Build.enhancedPacket([0, 0, 0, 0] + Build.reset)
    }
    let (capture, report) = try converted(source, to: .pcapng, chunkSize: chunkSize)
    #expect(capture.packets.map(\.adapter) == [0, 1, 0])
    #expect(capture.interfaces.map(\.name) == ["hci0", "usb"])
    #expect(report.losses.isEmpty)
}

@Test func pcapTakesNanosecondsWhereTheSourceHasThem() throws {
    let source =
        Build.sectionHeader() + Build.interface(201, options: Build.option(9, [9]))
        + Build.enhancedPacket([0, 0, 0, 1] + Build.reset, time: 1_500_000_001)
    let (capture, report) = try converted(source, to: .pcap)
    #expect(capture.packets.map(\.time.nanoseconds) == [1_500_000_001])
    #expect(report.losses.isEmpty)
}

@Test func whatATargetCannotHoldIsCounted() throws {
    let options = Build.option(2, Array("hci1".utf8)) + Build.option(9, [9])
    let source =
        Build.sectionHeader() + Build.interface(201) + Build.interface(201, options: options) + Build.interface(1)
        + Build.enhancedPacket(
            [0, 0, 0, 1] + Build.reset, interface: 1, time: 1_500_000_001,
            options: ["né", "et encore"].flatMap { Build.option(1, Array($0.utf8)) })
        + Build.enhancedPacket([1], interface: 2) + Build.enhancedPacket([0, 0]) + Build.block(4, [0, 0, 0, 0])
    let (capture, report) = try converted(source, to: .btsnoop)
    #expect(capture.packets.map(\.time.nanoseconds) == [1_500_000_000])
    #expect(report.packetsRead == 2)
    #expect(report.packetsWritten == 1)
    #expect(
        report.losses == [
            ConversionLoss(kind: .packetTooShort, count: 1, firstFrame: 3),
            ConversionLoss(kind: .block("Name Resolution Block"), count: 1, firstFrame: nil),
            ConversionLoss(kind: .foreignPacket(LinkType(rawValue: 1)), count: 1, firstFrame: nil),
            ConversionLoss(kind: .adapter, count: 1, firstFrame: 1),
            ConversionLoss(kind: .comment, count: 1, firstFrame: 1),
            ConversionLoss(kind: .nanoseconds, count: 1, firstFrame: 1),
            ConversionLoss(kind: .interfaceName, count: 1, firstFrame: nil),
        ])
    #expect(report.losses.allSatisfy { $0.kind.text.contains(":") })
}

@Test func recordsThatAreNoHCIPacketsAreCountedByKind() throws {
    let monitor = Build.btsnoop(
        2001,
        [
            Build.btsnoopRecord(hex("00 01 665544332211 6863693000000000"), flags: 0x0001_0000),
            Build.btsnoopRecord(hex("030c00"), flags: 0x0001_0002),
            Build.btsnoopRecord([72, 105, 0], flags: 0xFFFF_000C),
        ])
    let (h4, h4Report) = try converted(monitor, to: .btsnoop, 1002)
    #expect(h4.bytes == [Build.reset])
    #expect(h4Report.losses.map(\.kind) == [.monitorRecord(.newIndex), .monitorRecord(.systemNote), .adapter])

    let (pcap, pcapReport) = try converted(monitor, to: .pcap)
    #expect(pcapReport.target.linkType == .linuxMonitor)
    #expect(pcapReport.losses.isEmpty)
    #expect(pcap.views.map { $0?.recordType } == [0, 2, 12])
    #expect(pcap.views.map { $0?.adapter } == [1, 1, 0xFFFF])
}

@Test func keysAndLogTextsStayInPacketLogger() throws {
    let secret = hex("00112233445566778899aabbccddeeff")
    let source =
        Build.packetLoggerRecord(0, hex("030c00")) + Build.packetLoggerRecord(0x77, secret)
        + Build.packetLoggerRecord(0xFC, Array("note".utf8))
    let (same, sameReport) = try converted(source, to: .packetLogger)
    #expect(same.packets.map(\.recordType) == [0, 0x77, 0xFC])
    #expect(same.bytes[1] == secret)
    #expect(sameReport.losses.isEmpty)
    for (format, linkType) in hciTargets where format != .packetLogger {
        let (capture, report) = try converted(source, to: format, linkType)
        #expect(capture.packets.count == 1)
        #expect(
            report.losses.map(\.kind) == [
                .packetLoggerRecord(PacketLoggerRecordType(rawValue: 0x77)), .packetLoggerRecord(.note),
            ])
    }
}

@Test func hciAndLinkLayerDoNotMix() throws {
    let linkLayer = Build.pcap(251, [Build.pcapRecord(hex("d6be898e 4000 aabbcc"))])
    let hci = Build.btsnoop(1002, [Build.btsnoopRecord(Build.reset)])
    let refused = try #require(throws: CaptureError.self) { try converted(linkLayer, to: .btsnoop) }
    #expect(refused.kind == .wrongTarget)
    #expect(refused.finding.advice == "btsnoop holds no link layer packets; write pcap or pcapng")
    for linkType in [251, 256] as [UInt32] {
        let back = try #require(throws: CaptureError.self) { try converted(hci, to: .pcap, linkType) }
        #expect(back.kind == .wrongTarget)
        #expect(["(201)", "(187)", "(254)"].allSatisfy(back.finding.advice.contains))
        #expect(!back.finding.advice.contains("(251)"))
    }
}

@Test func vendorTypesFitH4Only() throws {
    let source = Build.btsnoop(1002, [Build.btsnoopRecord([0xFF, 1, 2])])
    #expect(try converted(source, to: .pcap).capture.bytes == [[0, 0, 0, 0, 0xFF, 1, 2]])
    let (capture, report) = try converted(source, to: .pcapng, 254)
    #expect(capture.packets.isEmpty)
    #expect(report.losses.map(\.kind) == [.otherPacketType(H4PacketType(rawValue: 0xFF))])
    #expect(throws: CaptureError.self) { try converted(source, to: .packetLogger) }
}

@Test func unknownDirectionsAreWrittenAsSentAndCounted() throws {
    let source = Build.pcap(187, [Build.pcapRecord(Build.reset), Build.pcapRecord(Build.notification)])
    let (capture, report) = try converted(source, to: .pcap)
    #expect(capture.packets.map(\.direction) == [.sent, .sent])
    #expect(report.losses == [ConversionLoss(kind: .unknownDirection, count: 1, firstFrame: 2)])
    #expect(try converted(source, to: .pcapng, 187).report.losses.isEmpty)
}

@Test func theHeaderOfNordicBecomesAPseudoHeader() throws {
    let nordic = hex("00 1500 03 0100 06 0a 03 05 32 0100 500d0000 f5a6dd92 0309 080f ff7d00")
    let packet = hex("f5a6dd92 0309 080f ff7d00")
    let source = Build.pcap(272, [Build.pcapRecord(nordic)])
    let (capture, report) = try converted(source, to: .pcap)
    // RF channel 6, -50 dBm, dewhitened, signal valid, central to peripheral, CRC checked and valid.
    #expect(capture.bytes == [hex("06 ce 00 00 00000000 030d") + packet])
    #expect(report.losses.map(\.kind) == [.snifferHeader])
    let (plain, plainReport) = try converted(source, to: .pcap, 251)
    #expect(plain.bytes == [packet])
    #expect(plainReport.losses.map(\.kind) == [.reception, .snifferHeader])
}

/// In advertising, bits 1 and 2 of the flags are the type of the auxiliary PDU, for any access address; in data, bit 1
/// is the direction. The pseudo-header has the auxiliary type in bits 12 and 13, and PDU type 1 in bits 7 to 9.
@Test(arguments: [
    ("AUX_CHAIN_IND", "02 0a 03 0b", "d6be898e", "0d ce", "831c"),
    ("AUX_SYNC_IND", "02 0a 05 05", "78563412", "06 ce", "832c"),
    ("ADV_EXT_IND", "02 0a 01 25", "d6be898e", "00 ce", "030c"),
    ("data of the central", "06 0a 03 05", "78563412", "06 ce", "030d"),
])
func theHeaderOfNordicSaysWhichAuxiliaryPDUItIs(
    pdu: String, start: String, address: String, channel: String, flags: String
) throws {
    let packet = hex(address + "0700 000000")
    let nordic = hex("00 1300 03 0100" + start + "32 0000 00000000") + packet
    let (capture, _) = try converted(Build.pcap(272, [Build.pcapRecord(nordic)]), to: .pcap)
    #expect(capture.bytes == [hex(channel + "0000 00000000" + flags) + packet], "\(pdu)")
}

@Test func ppiIsUnwrapped() throws {
    let packet = hex("d6be898e 4000 aabbcc")
    let good = hex("00 00 0c00 fb000000 01020304") + packet
    let foreign = hex("00 00 0800 69000000") + packet
    let (capture, report) = try converted(
        Build.pcap(192, [Build.pcapRecord(good), Build.pcapRecord(foreign)]), to: .pcap)
    #expect(capture.bytes == [packet])
    #expect(report.losses.map(\.kind) == [.packetTooShort, .snifferHeader])
}

@Test func timesOutOfRangeAreMovedAndCounted() throws {
    for time in [Int64.min, -1, Int64.max] {
        let (capture, losses) = try written(target(.pcap, 201)) {
            try $0.write(h4: Build.reset, direction: .sent, time: Timestamp(nanoseconds: time))
        }
        #expect(
            capture.packets.map(\.time.nanoseconds) == [time < 0 ? 0 : Int64(UInt32.max) * 1_000_000_000 + 999_999_000])
        #expect(losses.map(\.kind).contains(.timeOutOfRange))
    }
}

/// One constant shifts all times of a format that cannot represent some of them, wherever the earliest packet is.
@Test(arguments: [CaptureFormat.pcap, .packetLogger])
func timesBefore1970AreMovedTogether(_ format: CaptureFormat) throws {
    let times: [Int64] = [5_000_000, -2_500_000, 7_000_000]
    let (capture, report) = try converted(
        Build.btsnoop(1002, times.map { Build.btsnoopRecord(Build.reset, time: $0) }), to: format)
    #expect(capture.packets.map(\.time.nanoseconds) == times.map { ($0 + 3_000_000) * 1000 })
    #expect(report.losses.map(\.kind) == [.timesShifted(seconds: 3)])
}

/// pcapng represents them with the time offset of its interfaces, even in a section that began without one.
@Test func timesBefore1970AreKeptInPcapng() throws {
    let times: [Int64] = [5_000_000, -2_500_001, 7_000_000, -400_000_000_000_000]
    let (capture, report) = try converted(
        Build.btsnoop(1002, times.map { Build.btsnoopRecord(Build.reset, time: $0) }), to: .pcapng)
    #expect(capture.packets.map(\.time.nanoseconds) == times.map { $0 * 1000 })
    #expect(Set(capture.packets.map(\.adapter)) == [0])
    #expect(report.losses.isEmpty)
}

@Test func impossibleTargetsAreRefused() throws {
    #expect(CaptureTarget(.btsnoop, linkType: .linkLayer) == nil)
    #expect(CaptureTarget(.pcap, linkType: .nordic) == nil)
    #expect(CaptureFormat(forPath: "a/b.c/capture.pklg") == .packetLogger)
    #expect(CaptureFormat(forPath: "a/b.pcap/capture") == nil)
    let error = #expect(throws: CaptureError.self) {
        try converted(Build.btsnoop(1002, []), to: .packetLogger, 251)
    }
    #expect(error?.kind == .wrongTarget)
}

@Test func aCaptureIsNotConvertedIntoItself() throws {
    let folder = try TemporaryFolder()
    let bytes = Build.btsnoop(1002, [Build.btsnoopRecord(Build.reset)])
    let path = try folder.file("capture", bytes)
    let error = #expect(throws: CaptureError.self) {
        try Converter.convert(CaptureReader(path: path), to: folder.path("./capture"), format: .pcap)
    }
    #expect(error?.kind == .cannotWrite)
    #expect(FileManager.default.contents(atPath: path).map(Array.init) == bytes)
}

@Test func anUnwritablePathIsAnError() throws {
    let error = #expect(throws: CaptureError.self) {
        try CaptureWriter(path: "/none/capture", target: target(.pcap, 201))
    }
    #expect(error?.kind == .cannotWrite)
}

@Test(arguments: [CaptureFormat.pcap, .pcapng, .btsnoop])
func anOriginalLengthNeverOverflows(format: CaptureFormat) throws {
    let packet = Build.btsnoopRecord(Array(Build.reset.dropFirst()), flags: 2, original: .max)
    let (capture, report) = try converted(Build.btsnoop(1001, [packet]), to: format)
    #expect(report.packetsWritten == 1)
    #expect(capture.warnings.isEmpty)
    #expect(capture.packets.map(\.isCut) == [true])
}
