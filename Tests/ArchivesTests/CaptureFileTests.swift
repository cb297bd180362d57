import Bytes
import Captures
import Foundation
import PDUTestKit
import Testing

@testable import Archives

@Suite("captures in archives", .libarchive) struct CaptureFileTests {
    /// The way from a folder `log/` to an archive, by the programs that people use.
    static let archivers: [(program: String, name: String, command: [String])] = [
        ("zip", "a.zip", ["zip", "-qr", "a.zip", "log"]),
        ("zip", "stored.zip", ["zip", "-0qr", "stored.zip", "log"]),
        ("tar", "a.tar", ["tar", "-cf", "a.tar", "log"]),
        ("tar", "a.tar.gz", ["tar", "-czf", "a.tar.gz", "log"]),
        ("xz", "a.tar.xz", ["tar", "-cJf", "a.tar.xz", "log"]),
        ("7z", "a.7z", ["7z", "a", "-bd", "a.7z", "log"]),
    ]

    @Test(.archivers, arguments: archivers) func theCaptureIsRead(program: String, name: String, command: [String])
        throws
    {
        let builder = try ArchiveBuilder()
        try builder.write("log/readme.txt", Array("a text\n".utf8))
        try builder.write("log/data/btsnoop_hci.log", makeLog(packets: 5))
        try builder.run(command)
        let file = try builder.open(name)
        #expect(file.source.name == builder.path(name) + "/log/data/btsnoop_hci.log")
        let search = try #require(file.search)
        #expect(search.found.map(\.name) == ["log/data/btsnoop_hci.log"])
        #expect(search.found[0].packets == 5)
        #expect(search.found[0].size == makeLog(packets: 5).count)
        #expect(search.warnings.isEmpty)
        #expect(try file.source.readAll(upTo: 1 << 20) == makeLog(packets: 5))
    }

    @Test func aFileThatIsACaptureIsOpenedAsItIs() throws {
        let builder = try ArchiveBuilder()
        try builder.write("a.log", makeLog(packets: 1))
        let file = try builder.open("a.log")
        #expect(file.search == nil)
        #expect(file.source.name == builder.path("a.log"))
        #expect(throws: CaptureError.self) { try builder.open("a.log", member: "b.log") }
    }

    @Test func theNewestLogIsTheBest() throws {
        let builder = try ArchiveBuilder()
        try builder.write("btsnoop_hci.log.last", makeLog(packets: 50))
        try builder.write("btsnoop_hci.log", makeLog(packets: 5, from: 3600))
        try builder.write("empty.log", makeLog(packets: 0))
        try builder.run("tar", "-cf", "a.tar", "btsnoop_hci.log.last", "btsnoop_hci.log", "empty.log")
        let file = try builder.open("a.tar")
        #expect(file.source.name.hasSuffix("a.tar/btsnoop_hci.log"))
        #expect(file.search?.found.map(\.packets) == [50, 5, 0])
        let last = try builder.open("a.tar", member: "btsnoop_hci.log.last")
        #expect(try CaptureReader(source: last.source).next()?.packets.count == 50)
        #expect(throws: CaptureError.self) { try builder.open("a.tar", member: "log") }
    }

    /// Paths of logs as phones pack them; the content decides, not the name.
    @Test(
        arguments: [
            ("sysdiagnose_2026.03.01/logs/Bluetooth/bluetoothd-hci-latest.pklg", true),
            ("sysdiagnose_2026.03.01/logs/Bluetooth/bluetoothd-hcilite-1.pklg", true),
            ("FS/data/log/bt/btsnoop_hci.log.last", false),
            ("FS/data/misc/bluetooth/logs/btsnoop_hci.log.filtered", false),
            ("log/bluetooth/btsnoop_hci_20260301.cfa", false), ("BT_HCI_2026_0301.cfa", false),
        ])
    func logsOfPhonesAreFound(path: String, isPacketLogger: Bool) throws {
        let builder = try ArchiveBuilder()
        let packets = [CaptureBuilder.reset, CaptureBuilder.resetComplete].map { Array($0.dropFirst()) }
        let log = zip([0, 1] as [UInt8], packets).flatMap { CaptureBuilder.packetLoggerRecord($0, $1) }
        try builder.write(path, isPacketLogger ? log : makeLog(packets: 2))
        try builder.write("readme.txt", Array("a text\n".utf8))
        let top = String(path.prefix { $0 != "/" })
        try builder.run("tar", "-czf", "phone.tar.gz", "readme.txt", top)
        let file = try builder.open("phone.tar.gz")
        #expect(file.search?.found.map(\.name) == [path])
        #expect(file.search?.found.map(\.format) == [isPacketLogger ? .packetLogger : .btsnoop])
        #expect(try file.reader().next()?.packets.count == 2)
    }

    @Test func aMemberMayBeADumpOfAUART() throws {
        let builder = try ArchiveBuilder()
        try builder.write("tx.bin", CaptureBuilder.reset + CaptureBuilder.reset + CaptureBuilder.reset)
        try builder.write("other.bin", [1, 2, 3])
        try builder.run("tar", "-cf", "a.tar", "tx.bin", "other.bin")
        var options = CaptureFile.Options(member: "tx.bin", as: .h4)
        options.temporaryFolder = builder.folder
        let file = try CaptureFile(builder.path("a.tar"), options)
        #expect(file.search?.found.map(\.name) == ["tx.bin"])
        let reader = try file.reader()
        var count = 0
        while let batch = try reader.next() { count += batch.packets.count }
        #expect(count == 3)
        #expect(throws: CaptureError.self) { try builder.open("a.tar", member: "tx.bin") }
    }

    @Test func archivesWithinArchivesAreOpenedToADepth() throws {
        let builder = try ArchiveBuilder()
        try builder.write("x.log", makeLog(packets: 3))
        try builder.run("tar", "-czf", "1.tar.gz", "x.log")
        for depth in 2...5 {
            try builder.run("tar", "-cf", "\(depth).tar", depth == 2 ? "1.tar.gz" : "\(depth - 1).tar")
        }
        #expect(try builder.open("4.tar").source.name.hasSuffix("4.tar/3.tar/2.tar/1.tar.gz/x.log"))
        let error = #expect(throws: CaptureError.self) { try builder.open("5.tar") }
        #expect(error?.finding.text == "4.tar/3.tar/2.tar/1.tar.gz: archives are read to a depth of 4")
    }

    @Test func aMemberMayBeCompressedItself() throws {
        let builder = try ArchiveBuilder()
        try builder.write("x.log", makeLog(packets: 3))
        try builder.run("gzip", "x.log")
        try builder.run("tar", "-cf", "a.tar", "x.log.gz")
        #expect(try CaptureReader(source: builder.open("a.tar").source).next()?.packets.count == 3)
    }

    @Test func linksAndNamesOutsideAreNoFiles() throws {
        let builder = try ArchiveBuilder()
        try builder.write("secret.log", makeLog(packets: 9))
        try builder.write("in/x.log", makeLog(packets: 3))
        try builder.run("ln", "-s", builder.path("secret.log"), "in/link.log")
        try builder.run(
            "tar", "-cPf", "a.tar", "--transform", "s,in/x.log,../../\u{1b}[31mx.log,", "in/link.log", "in/x.log")
        let before = try FileManager.default.contentsOfDirectory(atPath: builder.folder).sorted()
        let file = try builder.open("a.tar")
        #expect(file.search?.found.map(\.packets) == [3])
        #expect(!file.source.name.unicodeScalars.contains("\u{1b}"))
        #expect(file.search?.found[0].summary.unicodeScalars.contains("\u{1b}") == false)
        #expect(try FileManager.default.contentsOfDirectory(atPath: builder.folder).sorted() == before)
    }

    @Test(.archivers) func anEncryptedMemberIsNamed() throws {
        let builder = try ArchiveBuilder()
        try builder.write("x.log", makeLog(packets: 3))
        try builder.run("zip", "-q", "-P", "password", "a.zip", "x.log")
        let error = #expect(throws: CaptureError.self) { try builder.open("a.zip") }
        #expect(error?.finding.text == "x.log: the member is encrypted")
    }

    @Test func anArchiveWithoutCapturesSaysSo() throws {
        let builder = try ArchiveBuilder()
        try builder.write("a.txt", Array("text".utf8))
        try builder.run("tar", "-cf", "a.tar", "a.txt")
        let error = #expect(throws: CaptureError.self) { try builder.open("a.tar") }
        #expect(error?.kind == .notACapture)
        #expect(error?.finding.text == "an archive of 1 files, none of them a capture")
    }

    @Test(.archivers, arguments: ["a.tar.gz", "a.zip", "a.tar"]) func aCutArchiveGivesWhatIsWhole(name: String) throws {
        let builder = try ArchiveBuilder()
        try builder.write("x.log", makeNoise(packets: 2000))
        switch name {
        case "a.zip": try builder.run("zip", "-q", name, "x.log")
        case "a.tar": try builder.run("tar", "-cf", name, "x.log")
        default: try builder.run("tar", "-czf", name, "x.log")
        }
        let whole = try builder.read(name)
        var reached = Set<Int>()
        for length in stride(from: 0, to: whole.count, by: max(1, whole.count / 40)) {
            try builder.write("cut", Array(whole[..<length]))
            do {
                let file = try builder.open("cut")
                let reader = try CaptureReader(source: file.source)
                while try reader.next() != nil {}
                // What follows the last member may be missing.
                if reader.frameCount < 2000 {
                    #expect(reader.incompleteness != nil, "\(length) of \(whole.count) bytes")
                    #expect(file.search?.warnings.isEmpty == false)
                }
                reached.insert(reader.frameCount)
            } catch let error as CaptureError {
                #expect(!error.description.isEmpty)
            }
        }
        #expect(reached.count > 5)
        #expect(reached.allSatisfy { $0 <= 2000 })
    }

    @Test func bytesOfAnyKindEndWell() throws {
        let builder = try ArchiveBuilder()
        try builder.write("x.log", makeLog(packets: 50))
        try builder.run("tar", "-czf", "a.tar.gz", "x.log")
        let whole = try builder.read("a.tar.gz")
        var random = SplitMix64(seed: 7)
        for _ in 0..<60 {
            var damaged = whole
            for _ in 0..<3 {
                damaged[Int.random(in: 0..<whole.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            try builder.write("damaged", damaged)
            guard let file = try? builder.open("damaged") else { continue }
            #expect((file.search?.found.count ?? 1) <= 1)
        }
    }
}

@Suite("limits of unpacking", .libarchive) struct ArchiveLimitTests {
    @Test func theNumberOfMembersIsLimited() throws {
        let builder = try ArchiveBuilder()
        for number in 0..<20 { try builder.write("m/\(number).txt", []) }
        try builder.write("z.log", makeLog(packets: 1))
        try builder.run("tar", "-cf", "a.tar", "m", "z.log")
        var limits = ArchiveLimits()
        limits.members = 20
        let error = #expect(throws: CaptureError.self) { try builder.open("a.tar", limits: limits) }
        #expect(error?.finding.text == "it has more than 20 members")
        limits.members = 21
        #expect(try builder.open("a.tar", limits: limits).search?.members == 21)
    }

    @Test func aBombEndsAtTheLimitOfUnpackedBytes() throws {
        let builder = try ArchiveBuilder()
        try builder.write("zeros", [UInt8](repeating: 0, count: 40 << 20))
        try builder.run("tar", "-czf", "a.tar.gz", "zeros")
        var limits = ArchiveLimits()
        limits.unpacked = 16 << 20
        let error = #expect(throws: CaptureError.self) { try builder.open("a.tar.gz", limits: limits) }
        #expect(error?.finding.text == "more than 16 MB would be unpacked")
    }

    @Test func temporaryDiskIsLimited() throws {
        let builder = try ArchiveBuilder()
        try builder.write("x.log", makeLog(packets: 50_000))
        try builder.run("tar", "-cf", "a.tar", "x.log")
        var limits = ArchiveLimits()
        limits.disk = 1 << 20
        let error = #expect(throws: CaptureError.self) { try builder.open("a.tar", limits: limits) }
        #expect(error?.finding.text == "x.log: it takes more than 1 MB of temporary disk")
    }

    @Test(.archivers) func aDictionaryAboveTheLimitIsRefused() throws {
        let builder = try ArchiveBuilder()
        try builder.write("x.log", makeLog(packets: 1))
        try builder.run("tar", "-cf", "a.tar", "x.log")
        try builder.run("xz", "--lzma2=preset=0,dict=256MiB", "a.tar")
        #expect(throws: CaptureError.self) { try builder.open("a.tar.xz") }
        var limits = ArchiveLimits()
        limits.memory = 1 << 30
        #expect(try builder.open("a.tar.xz", limits: limits).search?.found.count == 1)
    }
}
