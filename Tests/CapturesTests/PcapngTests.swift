import Bytes
import Captures
import PDUTestKit
import Testing

private typealias Build = CaptureBuilder

@Test(arguments: [ByteOrder.bigEndian, .littleEndian])
func everyPacketBlockIsRead(order: ByteOrder) throws {
    let capture = try ReadCapture(
        Build.sectionHeader(order) + Build.interface(187, order) + Build.enhancedPacket(Build.reset, order)
            + Build.simplePacket(Build.resetComplete, order) + Build.obsoletePacket(Build.notification, order))
    #expect(capture.format == .pcapng)
    #expect(capture.bytes == [Build.reset, Build.resetComplete, Build.notification])
    #expect(capture.packets.map(\.time.nanoseconds) == [Build.time * 1000, 0, Build.time * 1000])
    #expect(capture.warnings.isEmpty)
}

@Test func sectionsHaveTheirOwnOrderAndInterfaces() throws {
    let capture = try ReadCapture(
        Build.sectionHeader(.littleEndian) + Build.interface(187) + Build.interface(201)
            + Build.enhancedPacket([0, 0, 0, 0] + Build.reset, interface: 1)
            + Build.sectionHeader(.bigEndian)
            + Build.interface(251, .bigEndian, options: Build.option(2, Array("sniffer0".utf8), .bigEndian))
            + Build.enhancedPacket([1, 2, 3], .bigEndian)
            + Build.enhancedPacket([1, 2, 3], .bigEndian, interface: 1))
    #expect(capture.packets.map(\.encapsulation) == [.h4WithDirection, .linkLayer])
    // Interface 0 of the second section is the file's third interface.
    #expect(capture.packets.map(\.adapter) == [1, 2])
    #expect(capture.interfaces.map(\.linkType.rawValue) == [187, 201, 251])
    #expect(capture.interfaces.map(\.name) == [nil, nil, "sniffer0"])
    // Interface 1 exists in the first section only.
    #expect(capture.warnings.map(\.text) == ["a packet of interface 1, the section has 1"])
    #expect(capture.frameCount == 3)
}

/// The option value of if_tsresol, the timestamp, and the resulting nanoseconds.
@Test(
    arguments: [
        (6, 1_674_874_116_395_644, 1_674_874_116_395_644_000),
        (9, 1_674_874_116_395_644_123, 1_674_874_116_395_644_123),
        (3, 1_674_874_116_395, 1_674_874_116_395_000_000),
        (0, 77, 77_000_000_000),
        (12, 1_234_567_890_123_456, 1_234_567_890_123),
        (19, 12_345_678_901_234_567_890, 1_234_567_890),
        (0x80, 5, 5_000_000_000),
        (0x8A, 1024 * 5 + 512, 5_500_000_000),
        (0xA8, 5 << 40 | 1 << 39, 5_500_000_000),
        (0xBF, 3 << 62, 1_500_000_000),
    ] as [(UInt8, UInt64, Int64)])
func timeResolutions(option: UInt8, units: UInt64, nanoseconds: Int64) throws {
    let capture = try ReadCapture(
        Build.sectionHeader() + Build.interface(187, options: Build.option(9, [option]))
            + Build.enhancedPacket(Build.reset, time: units))
    #expect(capture.packets.map(\.time.nanoseconds) == [nanoseconds])
}

@Test(
    arguments: [(0, 100, 100_000_000_000 + 1_000_000_000), (6, -1, 0), (9, -2, -1_000_000_000)]
        as [(UInt8, Int64, Int64)])
func timeOffsets(resolution: UInt8, offset: Int64, nanoseconds: Int64) throws {
    let second: UInt64 = resolution == 0 ? 1 : resolution == 6 ? 1_000_000 : 1_000_000_000
    let options = Build.option(9, [resolution]) + Build.option(14, Build.integer(offset, .littleEndian))
    let capture = try ReadCapture(
        Build.sectionHeader() + Build.interface(187, options: options) + Build.enhancedPacket(Build.reset, time: second)
    )
    #expect(capture.packets.map(\.time.nanoseconds) == [nanoseconds])
}

@Test(arguments: [0x14, 0xC0, 0x7F] as [UInt8])
func aResolutionThatNothingHoldsIsWarnedOf(option: UInt8) throws {
    let capture = try ReadCapture(
        Build.sectionHeader() + Build.interface(187, options: Build.option(9, [option]))
            + Build.enhancedPacket(Build.reset))
    #expect(capture.packets.map(\.time.nanoseconds) == [Build.time * 1000])
    #expect(capture.warnings.count == 1)
}

@Test(arguments: [(6, UInt64.max, Int64.max), (0, .max, .max)] as [(UInt8, UInt64, Int64)])
func timesBeyondTheRangeStopAtItsEnd(option: UInt8, units: UInt64, nanoseconds: Int64) throws {
    let options = Build.option(9, [option]) + Build.option(14, Build.integer(Int64.max, .littleEndian))
    for options in [options, Build.option(9, [option])] {
        let capture = try ReadCapture(
            Build.sectionHeader() + Build.interface(187, options: options)
                + Build.enhancedPacket(Build.reset, time: units))
        #expect(capture.packets.map(\.time.nanoseconds) == [nanoseconds])
    }
}

@Test func commentsAndDirectionsAreKept() throws {
    let flags = { (value: UInt8) in Build.option(2, [value, 0, 0, 0]) }
    let comments = Build.option(1, Array("first".utf8)) + Build.option(1, Array("second".utf8))
    let capture = try ReadCapture(
        Build.sectionHeader() + Build.interface(187)
            + Build.enhancedPacket(Build.notification, options: flags(1) + comments + Build.option(0, []))
            + Build.enhancedPacket(Build.notification, options: flags(2))
            + Build.obsoletePacket(Build.notification, options: flags(1))
            + Build.enhancedPacket(Build.notification))
    #expect(capture.packets.map(\.direction) == [.received, .sent, .received, .unknown])
    #expect(capture.comments == [["first", "second"], [], [], []])
}

@Test func aForeignInterfaceIsWarnedOfAndItsPacketsCount() throws {
    let ethernet = Build.interface(1, options: Build.option(2, Array("eth0".utf8)))
    let capture = try ReadCapture(
        Build.sectionHeader() + Build.interface(187) + ethernet
            + Build.enhancedPacket(Build.reset) + Build.enhancedPacket([1, 2, 3, 4], interface: 1)
            + Build.enhancedPacket(Build.reset))
    #expect(capture.packets.map(\.number) == [1, 3])
    #expect(capture.interfaces.map(\.skippedPackets) == [0, 1])
    #expect(capture.warnings.map(\.text) == ["interface 1 (eth0): Ethernet (1): not a Bluetooth link type"])
}

@Test func aCaptureOfForeignInterfacesOnlyIsAnError() {
    let error = #expect(throws: CaptureError.self) {
        try ReadCapture(Build.sectionHeader() + Build.interface(1) + Build.enhancedPacket([1, 2, 3, 4]))
    }
    #expect(error?.kind == .unsupported)
    #expect(error?.finding.text == "Ethernet (1): not a Bluetooth link type")
}

@Test func otherBlocksAreCountedAndPassedOver() throws {
    let large = Build.block(0x77, [UInt8](repeating: 7, count: 3_000_000))
    let capture = try ReadCapture(
        Build.sectionHeader(options: Build.option(1, Array("a comment".utf8))) + Build.interface(187)
            + Build.block(4, [0, 0, 0, 0]) + large + Build.block(0x0BAD, [1, 2, 3, 4]) + Build.block(10, [1, 2, 3, 4])
            + Build.enhancedPacket(Build.reset))
    // Wireshark gives the custom block a frame number.
    #expect(capture.packets.map(\.number) == [2])
    #expect(
        capture.skippedRecords == [
            "Name Resolution Block": 1, "block of an unknown type": 1, "Custom Block": 1, "Decryption Secrets Block": 1,
            "comment of a section": 1,
        ])
    #expect(capture.warnings.isEmpty)
}

@Test(arguments: [10, 256 * 1024])
func theEndOfABlockThatIsPassedOverIsNotLookedAt(chunkSize: Int) throws {
    var other = Build.block(0x77, [UInt8](repeating: 7, count: 100))
    other[other.count - 4] += 4
    let capture = try ReadCapture(
        Build.sectionHeader() + Build.interface(187) + other + Build.enhancedPacket(Build.reset), chunkSize: chunkSize)
    #expect(capture.packets.map(\.number) == [1])
    #expect(capture.warnings.isEmpty)
}

@Test(arguments: [0x7FFF_FFFC, 0x8000_0000, 0xFFFF_FFFC] as [UInt32])
func anUnknownBlockOfGibibytesIsPassedOverToTheEnd(length: UInt32) throws {
    let good = Build.sectionHeader() + Build.interface(187) + Build.enhancedPacket(Build.reset)
    let capture = try ReadCapture(good + Build.block(0x77, [1, 2, 3, 4], length: length), chunkSize: 10)
    #expect(capture.packets.count == 1)
    #expect(capture.warnings.map(\.offset) == [good.count + 16])
    #expect(capture.warnings.first?.text == "the rest of a block needs \(length - 16) bytes, 0 are left")
}

@Test func aSimplePacketIsCutAtTheSnapLength() throws {
    let capture = try ReadCapture(
        Build.sectionHeader() + Build.interface(187, snapLength: 8)
            + Build.simplePacket(Array(Build.notification.prefix(8)), original: 16))
    #expect(capture.packets.map(\.count) == [8])
    #expect(capture.packets.map(\.isCut) == [true])
}

@Test(arguments: [0, 8, 11, 13, 0x8000_0000, 0xFFFF_FFFC] as [UInt32])
func aBlockOfASenselessLengthEndsTheCapture(length: UInt32) throws {
    let good = Build.sectionHeader() + Build.interface(187) + Build.enhancedPacket(Build.reset)
    let bad = Build.block(6, [UInt8](repeating: 0, count: 24), length: length)
    let capture = try ReadCapture(good + bad + Build.enhancedPacket(Build.reset))
    #expect(capture.packets.count == 1)
    #expect(capture.warnings.map(\.offset) == [good.count + 4])
}

@Test func aBlockWithTwoLengthsEndsTheCapture() throws {
    let good = Build.sectionHeader() + Build.interface(187) + Build.enhancedPacket(Build.reset)
    var bad = Build.enhancedPacket(Build.reset)
    bad[bad.count - 4] += 4
    let capture = try ReadCapture(good + bad)
    #expect(capture.packets.count == 1)
    #expect(capture.warnings.map(\.text) == ["a block of 36 bytes ends with a length of 40"])
}

@Test func aPacketThatOverflowsItsBlockEndsTheCapture() throws {
    let good = Build.sectionHeader() + Build.interface(187) + Build.enhancedPacket(Build.reset)
    for captured in [5, 200_000, 0xFFFF_FFFF] as [UInt32] {
        let capture = try ReadCapture(good + Build.enhancedPacket(Build.reset, captured: captured))
        #expect(capture.packets.count == 1)
        #expect(capture.warnings.map(\.offset) == [good.count])
    }
}

@Test func anOptionThatOverflowsItsBlockIsPassedOver() throws {
    var option = Build.option(1, Array("text".utf8))
    option[2] = 200
    let capture = try ReadCapture(
        Build.sectionHeader() + Build.interface(187) + Build.enhancedPacket(Build.reset, options: option)
            + Build.enhancedPacket(Build.reset))
    #expect(capture.packets.count == 2)
    #expect(capture.comments == [[], []])
    #expect(capture.warnings.count == 1)
}

@Test func aWrongByteOrderMarkIsDamage() {
    var file = Build.sectionHeader()
    file[8] = 0
    let error = #expect(throws: CaptureError.self) { try ReadCapture(file) }
    #expect(error?.kind == .damaged)
    #expect(error?.finding.offset == 8)
}

@Test func aDropCountMarksThePacketAfterADrop() throws {
    let drops = { (count: UInt8) in Build.option(4, [count, 0, 0, 0, 0, 0, 0, 0]) }
    let capture = try ReadCapture(
        Build.sectionHeader() + Build.interface(187)
            + [0, 3].flatMap { Build.enhancedPacket(Build.notification, options: drops($0) + Build.option(0, [])) }
            + Build.enhancedPacket(Build.notification))
    #expect(capture.packets.map(\.followsDrop) == [false, true, false])
}

/// A block may have at most 1 MiB.
@Test(arguments: [(65_504, 1), (65_508, 0)])
func blocksHaveALimit(_ last: Int, _ packets: Int) throws {
    // 28 bytes of section header, 16 option headers of 4 bytes and their values.
    let comments = [Int](repeating: 65_532, count: 15) + [last]
    let header = Build.sectionHeader(
        options: comments.flatMap { Build.option(1, [UInt8](repeating: 0x61, count: $0)) })
    let file = header + Build.interface(187) + Build.enhancedPacket(Build.reset)
    guard packets == 0 else {
        #expect(header.count == 1 << 20)
        #expect(try ReadCapture(file).packets.count == packets)
        return
    }
    let error = #expect(throws: CaptureError.self) { try ReadCapture(file) }
    #expect(error?.kind == .damaged)
}
