import Bytes
import Captures
import PDUTestKit
import Testing

private typealias Build = CaptureBuilder

/// A small file of each format: the bytes before the first record, and the records.
private struct Sample: CustomTestStringConvertible {
    var name: String
    var header: [UInt8]
    var records: [[UInt8]]
    var testDescription: String { name }
    var bytes: [UInt8] { header + records.flatMap { $0 } }

    /// Number of packets that lie completely in the first `count` bytes.
    func wholePackets(in count: Int) -> Int {
        var end = header.count
        return records.prefix { record in
            end += record.count
            return end <= count
        }.count
    }

    /// Whether the first `count` bytes end between two records.
    func isWhole(_ count: Int) -> Bool {
        count == header.count + records.prefix(wholePackets(in: count)).reduce(0) { $0 + $1.count }
    }
}

private let packets = [Build.reset, Build.notification, Build.resetComplete]

private let samples: [Sample] = [
    Sample(name: "btsnoop", header: Build.btsnoop(1002, []), records: packets.map { Build.btsnoopRecord($0) }),
    Sample(name: "PacketLogger", header: [], records: packets.map { Build.packetLoggerRecord(1, $0) }),
    Sample(
        name: "PacketLogger, little-endian", header: [],
        records: packets.map { Build.packetLoggerRecord(1, $0, .littleEndian) }),
    Sample(name: "pcap", header: Build.pcap(187, []), records: packets.map { Build.pcapRecord($0) }),
    Sample(
        name: "pcap, big-endian", header: Build.pcap(187, [], .bigEndian),
        records: packets.map { Build.pcapRecord($0, .bigEndian) }),
    Sample(
        name: "pcapng",
        header: Build.sectionHeader() + Build.interface(187, options: Build.option(2, Array("hci0".utf8))),
        records: packets.map { Build.enhancedPacket($0, options: Build.option(1, Array("comment".utf8))) }),
    Sample(
        name: "pcapng, big-endian", header: Build.sectionHeader(.bigEndian) + Build.interface(187, .bigEndian),
        records: packets.map { Build.simplePacket($0, .bigEndian) }),
]

@Test(arguments: samples, [1, 7, 64, 256 * 1024])
private func truncationAtEveryByteKeepsTheWholeRecords(sample: Sample, chunkSize: Int) throws {
    let bytes = sample.bytes
    for count in 0...bytes.count {
        let whole = sample.wholePackets(in: count)
        do throws(CaptureError) {
            let capture = try ReadCapture(Array(bytes[..<count]), chunkSize: chunkSize)
            #expect(capture.packets.count == whole)
            #expect(capture.bytes == Array(packets.prefix(whole)))
            // A pcapng file cut between the blocks of its header is a capture without packets.
            if whole > 0 { #expect(capture.warnings.isEmpty == sample.isWhole(count)) }
            for warning in capture.warnings {
                #expect(
                    warning.offset == sample.header.count + sample.records.prefix(whole).reduce(0) { $0 + $1.count })
            }
        } catch {
            #expect(whole == 0)
            #expect(count < sample.header.count || !sample.isWhole(count) || count == 0)
        }
    }
}

@Test(arguments: samples)
private func chunkSizeDoesNotMatter(sample: Sample) throws {
    let expected = try ReadCapture(sample.bytes)
    for chunkSize in [1, 2, 3, 5, 13, 31, 100] {
        let capture = try ReadCapture(sample.bytes, chunkSize: chunkSize)
        #expect(capture.bytes == expected.bytes)
        #expect(capture.packets.map(\.time) == expected.packets.map(\.time))
        #expect(capture.packets.map(\.number) == expected.packets.map(\.number))
        #expect(capture.comments == expected.comments)
    }
}

@Test func truncationSaysWhatIsMissing() throws {
    let file = Build.btsnoop(1002, [Build.btsnoopRecord(Build.reset), Build.btsnoopRecord(Build.notification)])
    let capture = try ReadCapture(Array(file.dropLast(3)))
    #expect(
        capture.warnings.map(\.description) == [
            "test: offset 44: the record needs 40 bytes, 37 are left; "
                + "the file is truncated or still being written; the part before was read"
        ])
}

/// A record of each format with an absurd length after a good one, and the offset of that length in the record.
@Test(arguments: [0x0004_0001, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF] as [UInt32])
func aRecordOfGibibytesEndsTheCapture(length: UInt32) throws {
    let good = packets[0]
    let files: [(bytes: [UInt8], offset: Int)] = [
        (Build.btsnoop(1002, [Build.btsnoopRecord(good), Build.btsnoopRecord(good, captured: length)]), 44 + 4),
        (Build.packetLoggerRecord(0, good) + Build.packetLoggerRecord(0, good, length: max(length, 0x0004_000A)), 17),
        (
            Build.packetLoggerRecord(0, good, .littleEndian)
                + Build.packetLoggerRecord(0, good, .littleEndian, length: max(length, 0x0004_000A)), 17
        ),
        (Build.pcap(187, [Build.pcapRecord(good), Build.pcapRecord(good, captured: length)]), 44 + 8),
        (
            Build.pcap(
                187, [Build.pcapRecord(good, .bigEndian), Build.pcapRecord(good, .bigEndian, captured: length)],
                .bigEndian),
            44 + 8
        ),
    ]
    for file in files {
        let capture = try ReadCapture(file.bytes)
        #expect(capture.packets.count == 1)
        #expect(capture.warnings.map(\.offset) == [file.offset])
    }
}

@Test func aFirstRecordOfGibibytesIsAnError() {
    let error = #expect(throws: CaptureError.self) {
        try ReadCapture(Build.pcap(187, [Build.pcapRecord(Build.reset, captured: .max)]))
    }
    #expect(error?.kind == .damaged)
    #expect(error?.finding.offset == 32)
}

@Test func theLargestRecordIsRead() throws {
    let packet = [UInt8](repeating: 2, count: 256 * 1024)
    let record = Build.btsnoopRecord(packet)
    let capture = try ReadCapture(Build.btsnoop(1002, [record, record, record]), chunkSize: 64 * 1024)
    #expect(capture.bytes.map(\.count) == [262_144, 262_144, 262_144])
}

/// The beginning of an event trace log: a buffer of 64 KiB, whose first event's header is of version 2 and 64 bits.
private let eventTrace: [UInt8] = {
    let header: [UInt8] = [0, 0, 1, 0] + [UInt8](repeating: 0, count: 68)
    return header + [2, 0, 2, 0xC0, 0, 0, 0, 0]
}()

@Test(
    arguments: [
        ([], CaptureError.Kind.empty, "is empty"),
        (Array("PK\u{3}\u{4}rest of an archive".utf8), .notACapture, "a zip archive"),
        (Array("time,handle,value\n1,2,3\n".utf8), .notACapture, "text, not a capture"),
        ([UInt8](repeating: 0x61, count: 257) + Array("ustar\u{0}00".utf8), .notACapture, "tar -xf"),
        (
            Array("== dumpstate\n--- BEGIN:BTSNOOP_LOG_SUMMARY (9 bytes in) ---\nAAAA\n".utf8), .notACapture,
            "btsnooz.py"
        ),
        (Array("Bluetooth monitor ver 5.66\n= Note: Linux\n".utf8), .notACapture, "btmon -w"),
        ([0, 1, 2] + Array("Ellisys".utf8) + [0], .notACapture, "export it"),
        (eventTrace, .notACapture, "btetlparse"),
        ([0xFE, 0xCA, 1, 2, 0xEE], .notACapture, "Frontline .cfax"),
        ([0xFE, 0xCA, 1, 2, 0xEE], .notACapture, "--as h4 or h5"),
        (Build.pcap(288, []), .unsupported, "btmon -w"), (Build.pcap(186, []), .unsupported, "USB (FreeBSD)"),
        (Build.pcap(157, []), .unsupported, "--as nordic"),
        ([0], .notACapture, "not a capture"),
        ([0x0A, 0x0D], .notACapture, "not a capture"),
        ([UInt8](repeating: 0, count: 100), .notACapture, "not a capture"),
    ] as [([UInt8], CaptureError.Kind, String)])
func contentThatIsNoCaptureIsNamed(bytes: [UInt8], kind: CaptureError.Kind, text: String) {
    let error = #expect(throws: CaptureError.self) { try ReadCapture(bytes) }
    #expect(error?.kind == kind)
    #expect(error?.description.contains(text) == true)
}

@Test func directoriesAndMissingFilesAreErrors() throws {
    let folder = try TemporaryFolder()
    let first = #expect(throws: CaptureError.self) { try ReadCapture(path: folder.path) }
    #expect(first?.description == "\(folder.path): Is a directory; name a capture file in it")
    let second = #expect(throws: CaptureError.self) { try ReadCapture(path: folder.path("none")) }
    #expect(second?.kind == .cannotOpen)
    #expect(second?.description.hasSuffix("No such file or directory; check the path") == true)
    let third = #expect(throws: CaptureError.self) { try ReadCapture(path: "") }
    #expect(third?.description == "\"\": No such file or directory; check the path")
}

@Test func theNameOfAFileSaysNothing() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("capture.pcap", Build.btsnoop(1002, [Build.btsnoopRecord(Build.reset)]))
    #expect(try ReadCapture(path: path).format == .btsnoop)
}

/// A deterministic generator (SplitMix64).
private struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

@Test(arguments: samples)
private func damagedFilesNeverTrap(sample: Sample) {
    var random = Random(state: 1)
    for _ in 0..<2000 {
        var bytes = sample.bytes
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            bytes[Int.random(in: bytes.indices, using: &random)] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(
                using: &random)!
        }
        guard let capture = try? ReadCapture(bytes, chunkSize: Int.random(in: 1...100, using: &random)) else {
            continue
        }
        #expect(capture.packets.count <= bytes.count)
    }
}

@Test(arguments: 1...20)
func randomBytesNeverTrap(seed: UInt64) {
    var random = Random(state: seed)
    let noise = (0..<4096).map { _ in UInt8.random(in: 0...255, using: &random) }
    for header in [[]] + samples.map(\.header) + [hex("1f8b0800000000000000"), hex("1f8b")] {
        _ = try? ReadCapture(header + noise, chunkSize: 100)
    }
}
