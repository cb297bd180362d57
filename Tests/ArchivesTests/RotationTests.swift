import Bytes
import Captures
import Foundation
import PDUTestKit
import Testing

@testable import Archives

@Suite("rotated logs in archives") struct RotationTests {
    /// Names of logs of one rotation.
    @Test(
        arguments: [
            ["btsnoop_hci.log", "btsnoop_hci.log.last"],
            ["a/btsnoop_hci.log", "a/btsnoop_hci.log.1", "a/btsnoop_hci.log.10", "a/btsnoop_hci.log.2.gz"],
            ["bluetoothd-hci-latest.pklg", "bluetoothd-hci-2026-03-01_12:00:00.pklg"],
            ["s_00001_20260301115958.pcapng", "s_00002_20260301120102.pcapng"],
            ["log/BT_HCI_2026_0301_115958.cfa", "log/BT_HCI_2026_0302_080000.cfa"],
        ])
    func namesOfOneRotation(names: [String]) {
        for name in names { #expect(RotatedName(name) == RotatedName(names[0]), "\(name)") }
    }

    @Test(
        arguments: [
            ("btsnoop_hci.log", "btsnoop_hci.log.filtered"), ("a/btsnoop_hci.log", "b/btsnoop_hci.log.last"),
            ("hci0.log", "hci1.log"), ("bluetoothd-hci-latest.pklg", "bluetoothd-hcilite-1.pklg"), ("", "a"),
        ])
    func namesOfDifferentLogs(one: String, other: String) {
        #expect(RotatedName(one) != RotatedName(other))
    }

    /// Programs that pack the folder `log/`.
    static let archivers: [(name: String, command: [String])] = [
        ("a.tar.gz", ["tar", "-czf", "a.tar.gz", "log"]), ("a.zip", ["zip", "-qr", "a.zip", "log"]),
        ("a.7z", ["7z", "a", "-bd", "a.7z", "log"]),
    ]

    private func makeBuilder() throws -> ArchiveBuilder {
        let builder = try ArchiveBuilder()
        try builder.write("log/btsnoop_hci.log", makeLog(packets: 4, from: 200))
        try builder.write("log/btsnoop_hci.log.1", makeLog(packets: 3, from: 100))
        try builder.write("log/btsnoop_hci.log.10", makeLog(packets: 2, from: 0))
        try builder.write("log/other.log", makeLog(packets: 9, from: 50))
        try builder.write("log/old/btsnoop_hci.log", makeLog(packets: 9, from: 20))
        // A copy of the newest log under a name of the rotation.
        try builder.write("log/btsnoop_hci_20260301.log", makeLog(packets: 4, from: 200))
        return builder
    }

    private func open(_ builder: ArchiveBuilder, _ name: String, member: String? = nil) throws -> CaptureFile {
        var options = CaptureFile.Options(member: member)
        options.opensRotation = true
        options.temporaryFolder = builder.folder
        return try CaptureFile(builder.path(name), options)
    }

    /// The names of joined captures in order, and the seconds of their packets.
    private func join(_ file: CaptureFile) throws -> (names: [String], seconds: [Int64]) {
        let joined = try JoinedCaptures(file.readers())
        var seconds: [Int64] = []
        while let batch = try joined.next() {
            seconds += batch.packets.map { ($0.time.nanoseconds / 1000 - CaptureBuilder.time) / 1_000_000 }
        }
        return (joined.readers.map(\.file), seconds)
    }

    @Test(.libarchive, .archivers, arguments: archivers) func theyAreReadInOrderOfTime(name: String, command: [String])
        throws
    {
        let builder = try makeBuilder()
        try builder.run(command)
        // The best capture is one of the two newest, which are equal.
        let file = try open(builder, name, member: "log/btsnoop_hci.log")
        let (names, seconds) = try join(file)
        let path = builder.path(name) + "/log/"
        #expect(
            names == [path + "btsnoop_hci.log.10", path + "btsnoop_hci.log.1", path + "btsnoop_hci.log"])
        #expect(seconds == [0, 1, 100, 101, 102, 200, 201, 202, 203])
        let search = try #require(file.search)
        #expect(search.warnings.isEmpty)
        let opened = search.found.indices.filter { search.isOpened($0) }.map { search.found[$0].name }
        #expect(opened.count == 3)
        #expect(Set(opened) == ["log/btsnoop_hci.log", "log/btsnoop_hci.log.1", "log/btsnoop_hci.log.10"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: builder.folder).sorted() == [name, "log"])
    }

    @Test(.libarchive) func theRotationOfANamedOrOfTheBestLogIsRead() throws {
        let builder = try ArchiveBuilder()
        try builder.write("in/btsnoop_hci.log", makeLog(packets: 2, from: 500))
        try builder.write("in/btsnoop_hci.log.last", makeLog(packets: 3))
        try builder.write("lone.log", makeLog(packets: 1, from: 100))
        try builder.run("tar", "-cf", "inner.tar", "in")
        try builder.run("tar", "-czf", "a.tar.gz", "inner.tar", "lone.log")
        #expect(try join(open(builder, "a.tar.gz")).seconds == [0, 1, 2, 500, 501])
        #expect(try join(open(builder, "a.tar.gz", member: "btsnoop_hci.log.last")).seconds == [0, 1, 2, 500, 501])
        #expect(try join(open(builder, "a.tar.gz", member: "lone.log")).seconds == [100])
        // Without the option, one capture is opened.
        #expect(try builder.open("a.tar.gz").readers().count == 1)
        try builder.write("alone.log", makeLog(packets: 1))
        #expect(try join(open(builder, "alone.log")).seconds == [0])
    }

    @Test(.libarchive) func aDamagedLogIsNamed() throws {
        let builder = try ArchiveBuilder()
        try builder.write("x.log", makeLog(packets: 2, from: 500))
        // The third record claims a length of 4 GB.
        var damaged = makeLog(packets: 3)
        for index in 76..<80 { damaged[index] = 0xFF }
        try builder.write("x.log.1", damaged)
        try builder.run("tar", "-cf", "a.tar", "x.log", "x.log.1")
        let joined = try JoinedCaptures(open(builder, "a.tar").readers())
        var count = 0
        while let batch = try joined.next() { count += batch.packets.count }
        #expect(count == 4)
        #expect(joined.incompleteness?.file == builder.path("a.tar") + "/x.log.1")
    }

    @Test(.libarchive) func aLogThatDoesNotFitMakesTheRestIncomplete() throws {
        let builder = try ArchiveBuilder()
        try builder.write("x.log", makeLog(packets: 2, from: 100_000))
        try builder.write("x.log.1", makeLog(packets: 50_000))
        try builder.run("tar", "-cf", "a.tar", "x.log", "x.log.1")
        var options = CaptureFile.Options()
        options.opensRotation = true
        options.temporaryFolder = builder.folder
        options.limits.disk = 1 << 20
        let file = try CaptureFile(builder.path("a.tar"), options)
        let joined = try JoinedCaptures(file.readers())
        while try joined.next() != nil {}
        #expect(joined.incompleteness?.text == "x.log.1 of the same rotation cannot be read")
        #expect(file.search?.warnings.map(\.text) == ["x.log.1: it takes more than 1 MB of temporary disk"])
    }
}
