import Captures
import Foundation
import PDUTestKit
import Testing

private typealias Build = CaptureBuilder

private let plain = Build.btsnoop(
    1002, (0..<5000).map { Build.btsnoopRecord(Build.notification, time: Build.time + $0) })

@Test func gzipIsUnpacked() throws {
    for chunkSize in [10, 1000, 256 * 1024] {
        let reader = try CaptureReader(source: ByteSource(bytes: Build.gzip(plain), name: "test", chunkSize: chunkSize))
        let capture = try ReadCapture(reader)
        #expect(capture.packets.count == 5000)
        #expect(capture.warnings.isEmpty)
    }
}

/// The output of gzip -9 for a btsnoop file with three HCI Resets.
@Test func compressedBlocksAreUnpacked() throws {
    let packed = hex(
        """
        1f8b08000000000002034b2a29cecbcf2f600002460606e657409a058a9940820c8f2efc157e7fa98691998701875c2d1eb9
        3a901c0059402ef164000000
        """)
    let capture = try ReadCapture(packed)
    #expect(capture.bytes == [Build.reset, Build.reset, Build.reset])
    #expect(capture.warnings.isEmpty)
}

@Test func gzipMembersFollowOneAnother() throws {
    let half = 16 + 2500 * 40
    let packed = Build.gzip(Array(plain[..<half])) + Build.gzip(Array(plain[half...]))
    let capture = try ReadCapture(packed)
    #expect(capture.packets.count == 5000)
    #expect(capture.warnings.isEmpty)
    #expect(try ReadCapture(packed + [0, 0, 0, 0]).warnings.isEmpty)
}

@Test func bytesAfterGzipAreWarnedOf() throws {
    let packed = Build.gzip(plain)
    let capture = try ReadCapture(packed + [1, 2, 3])
    #expect(capture.packets.count == 5000)
    #expect(capture.warnings.map(\.offset) == [packed.count])
}

@Test func cutGzipGivesWhatUnpacked() throws {
    let small = Build.btsnoop(1002, [Build.btsnoopRecord(Build.reset), Build.btsnoopRecord(Build.notification)])
    let packed = Build.gzip(small)
    for count in 0..<packed.count {
        // The member's header has 10 bytes, its block's header 5, and the trailing checksum 8.
        let unpacked = min(max(0, count - 15), small.count)
        let whole = unpacked < 44 ? 0 : unpacked < 84 ? 1 : 2
        do throws(CaptureError) {
            let capture = try ReadCapture(Array(packed[..<count]))
            #expect(capture.packets.count == whole)
            #expect(capture.warnings.first?.text == "the gzip data is truncated")
        } catch {
            #expect(whole == 0)
        }
    }
}

@Test func aReaderSaysWhetherItReachedTheEnd() throws {
    let records = [Build.btsnoopRecord(Build.reset), Build.btsnoopRecord(Build.notification)]
    let small = Build.btsnoop(1002, records)
    let packed = Build.gzip(small)
    var damaged = packed
    damaged[damaged.count - 8] ^= 1
    let cases: [(bytes: [UInt8], text: String?)] = [
        (small, nil), (packed, nil), (packed + [1, 2, 3], nil), (packed.dropLast(4), "the gzip data is truncated"),
        (damaged, "corrupt gzip data (offset in the compressed file)"),
        (small.dropLast(3), nil),
    ]
    for (bytes, text) in cases {
        let reader = try CaptureReader(source: ByteSource(bytes: bytes, name: "test"))
        while let batch = try reader.next() { #expect(reader.incompleteness == nil || batch.packets.isEmpty) }
        #expect(reader.incompleteness?.text == text)
        try reader.rewind()
        #expect(reader.incompleteness == nil)
    }
}

@Test func damagedGzipGivesWhatUnpacked() throws {
    var packed = Build.gzip(plain)
    // The second stored block's length and its complement no longer agree.
    packed[10 + 5 + 60_000 + 1] ^= 0xFF
    let capture = try ReadCapture(packed)
    #expect(capture.packets.count == (60_000 - 16) / 40)
    #expect(capture.warnings.count == 2)
    #expect(capture.warnings.first?.text.hasPrefix("corrupt gzip data") == true)
}

@Test func aPipeIsReadAsItComes() throws {
    let pipe = Pipe()
    let writer = pipe.fileHandleForWriting
    let records = [Build.btsnoopRecord(Build.reset), Build.btsnoopRecord(Build.notification)]
    try writer.write(contentsOf: Build.btsnoop(1002, [records[0]]) + records[1].prefix(30))
    let reader = try CaptureReader(path: "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)")
    #expect(!reader.isSeekable)
    #expect(try reader.next()?.packets.count == 1)
    try writer.write(contentsOf: records[1].dropFirst(30))
    let batch = try #require(try reader.next())
    #expect(batch.packets.map(\.number) == [2])
    #expect(batch.packets.map { Array(batch.bytes(of: $0)) } == [Build.notification])
    try writer.close()
    #expect(try reader.next() == nil)
    #expect(reader.warnings.isEmpty)
}

@Test func aFileMayGrowWhileItIsRead() throws {
    let folder = try TemporaryFolder()
    let record = Build.btsnoopRecord(Build.reset)
    let path = try folder.file("growing", Build.btsnoop(1002, [record]) + record.prefix(10))
    let reader = try CaptureReader(path: path)
    #expect(try reader.next()?.packets.count == 1)
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.seekToEnd()
    try file.write(contentsOf: record.dropFirst(10) + record)
    #expect(try reader.next()?.packets.count == 2)
    #expect(try reader.next() == nil)
    #expect(reader.warnings.isEmpty)
    #expect(reader.frameCount == 3)
}

@Test func aFileMayShrinkWhileItIsRead() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("shrinking", plain + plain.dropFirst(16))
    let reader = try CaptureReader(path: path)
    #expect(try reader.next() != nil)
    try #require(FileHandle(forWritingAtPath: path)).truncate(atOffset: 300_000)
    while try reader.next() != nil {}
    #expect((6000..<8000).contains(reader.frameCount))
}

@Test func aFileIsReadAgainAfterRewinding() throws {
    let folder = try TemporaryFolder()
    for bytes in [plain, Build.gzip(plain)] {
        let reader = try CaptureReader(path: folder.file("capture", bytes))
        #expect(reader.isSeekable)
        let first = try ReadCapture(reader)
        try reader.rewind()
        let second = try ReadCapture(reader)
        let areEqual = first.bytes == second.bytes && first.packets.map(\.time) == second.packets.map(\.time)
        #expect(areEqual)
        #expect(first.packets.count == 5000)
    }
}
