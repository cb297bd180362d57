import Bluetooth
import Bytes
import Captures
import Conformance
import Conversation
import Dissection
import Foundation
import Output
import PDUTestKit
import TestKit
import Testing

@testable import Workbench

/// `merge` puts the log of a phone and the capture of a sniffer together.
struct MergeJobTests {
    /// The links of a merged file, by frame, and its packets.
    private func read(_ path: String) throws -> (links: [Int: [ViewLink]], batches: [PacketBatch]) {
        let reader = try CaptureReader(path: path)
        var (links, batches): ([Int: [ViewLink]], [PacketBatch]) = ([:], [])
        while let batch = try reader.next() {
            for packet in batch.packets {
                let found = batch.comments(of: packet).compactMap { ViewLink(comment: $0) }
                if !found.isEmpty { links[packet.number] = found }
            }
            batches.append(batch)
        }
        return (links, batches)
    }

    private func json(_ report: MergeReport) throws -> JSONValue { try JSONValue(reading: Array(report.json.utf8)) }

    /// The member of the second input.
    private func member(_ name: String, _ report: MergeReport) throws -> JSONValue? {
        try json(report)["inputs"]?.elements.last?.members[name] ?? nil
    }

    private func number(_ name: String, _ report: MergeReport) throws -> Double {
        switch try member(name, report) {
        case .integer(let value)?: Double(value)
        case .number(let value)?: value
        default: .nan
        }
    }

    @Test(
        arguments: [TimeSpan.zero, TimeSpan(seconds: 7200), TimeSpan(seconds: -86_400), TimeSpan(milliseconds: 1234)],
        [0, 100e-6, -100e-6])
    func bothViewsAreLinked(offset: TimeSpan, drift: Double) throws {
        let session = MergedSession(offset: offset, drift: drift)
        session.traffic(400, every: 1000)
        let folder = try TemporaryFolder()
        let files = try session.write(to: folder)
        let report = try merge([files.host, files.air], in: folder)
        #expect(try number("common", report) == 500)
        #expect(try number("base_only", report) == 0)
        #expect(try number("only", report) == 0)
        #expect(try abs(number("offset", report) - offset.seconds) < 0.01)
        #expect(try abs(number("drift_ppm", report) - drift * 1e6) < 2)
        let (links, batches) = try read(folder.path("merged.pcapng"))
        #expect(links.count == 1000)
        for (frame, link) in links {
            let link = try #require(link.first)
            let other = try #require(link.frame)
            let back = try #require(links[other]?.first)
            #expect(back.frame == frame)
            #expect(link.isSecondView != back.isSecondView)
            #expect(back.delay == -link.delay)
        }
        let times = batches.flatMap(\.packets).map(\.time)
        #expect(times == times.sorted())
    }

    @Test func theOrderOfTheInputsMakesNoDifference() throws {
        let session = MergedSession(offset: TimeSpan(seconds: 60))
        session.traffic(40)
        let folder = try TemporaryFolder()
        let files = try session.write(to: folder)
        _ = try merge([files.host, files.air], in: folder)
        let one = try folder.bytes("merged.pcapng")
        _ = try merge([files.air, files.host], in: folder)
        #expect(try folder.bytes("merged.pcapng") == one)
    }

    @Test func anInterfaceStandsForEachInput() throws {
        let session = MergedSession(offset: TimeSpan(seconds: 60))
        session.traffic(40)
        let folder = try TemporaryFolder()
        let files = try session.write(to: folder)
        _ = try merge([files.air, files.host], in: folder)
        let reader = try CaptureReader(path: folder.path("merged.pcapng"))
        var packets = 0
        while let batch = try reader.next() { packets += batch.packets.count }
        #expect(packets == session.host.recording.packets.count + session.air.recording.packets.count)
        #expect(reader.interfaces.map(\.name) == ["phone.btsnoop", "sniffer.pcapng"])
        #expect(reader.interfaces.map(\.linkType) == [.h4WithDirection, .linkLayerWithHeader])
        #expect(reader.interfaces.first?.description == "reference clock")
        let clock = reader.interfaces.last?.description.flatMap { MergedClock(description: $0) }
        #expect(clock.map { abs($0.offset.seconds - 60) < 0.01 } == true)
        #expect(reader.warnings.isEmpty)
    }

    @Test(arguments: [(0.1, 0.0), (0.0, 0.3), (0.3, 0.3)])
    func lossesOfEitherSideAreMarked(ofHost: Double, ofAir: Double) throws {
        let session = MergedSession(offset: TimeSpan(seconds: 7200), drift: 40e-6)
        session.traffic(600)
        MergedSession.lose(ofHost, of: session.host.recording, seed: 3)
        MergedSession.lose(ofAir, of: session.air.recording, seed: 4)
        let folder = try TemporaryFolder()
        let files = try session.write(to: folder)
        let report = try merge([files.host, files.air], in: folder)
        #expect(try abs(number("offset", report) - 7200) < 0.02)
        let common = try number("common", report)
        let (baseOnly, only) = (try number("base_only", report), try number("only", report))
        #expect(common + baseOnly <= 750 && common + only <= 750)
        #expect(common > 750 * (1 - ofHost) * (1 - ofAir) * 0.8)
        #expect((baseOnly > 0) == (ofAir > 0))
        #expect((only > 0) == (ofHost > 0))
    }

    @Test func aMissedPDUOfEqualOnesIsTheRightOne() throws {
        let session = MergedSession()
        session.traffic(20)
        for number in 0..<6 {
            session.pass(.sent, isHeard: number != 2) { $0.request(ATT.HandleValueConfirmation()) }
        }
        session.traffic(20)
        let folder = try TemporaryFolder()
        let files = try session.write(to: folder)
        let report = try merge([files.host, files.air], in: folder)
        #expect(try number("base_only", report) == 1)
        let (links, batches) = try read(folder.path("merged.pcapng"))
        let only = try #require(links.first { $0.value.contains { $0.frame == nil } })
        #expect(only.value.map(\.comment) == ["gattbench: sent only"])
        let sent = batches.flatMap(\.packets).filter { $0.encapsulation == .h4WithDirection }.map(\.number)
        // The start of the connection and the PDUs before it come first.
        #expect(sent.firstIndex(of: only.key) == 1 + 25 + 2)
    }

    @Test func retransmissionsAcknowledgementsAndCompletionAreStated() throws {
        let session = MergedSession()
        session.traffic(20)
        session.pass(.sent) { link in
            (link as? AirLink)?.fate = .missed
            link.writeCommand(Handle(0x0014), [1, 2, 3, 4])
        }
        session.host.recording.wait(milliseconds: 30)
        session.host.event(
            HCI.NumberOfCompletedPackets(entries: [.init(handle: session.hostLink.handle, count: 6)]))
        let folder = try TemporaryFolder()
        let files = try session.write(to: folder)
        _ = try merge([files.host, files.air], in: folder)
        let (links, _) = try read(folder.path("merged.pcapng"))
        let link = try #require(links.values.joined().first { $0.transmissions > 1 })
        #expect(link.transmissions == 2)
        #expect(link.isAcknowledged)
        #expect(link.delay > TimeSpan(milliseconds: 5) && link.delay < TimeSpan(milliseconds: 20))
        #expect(link.completion.map { $0 > TimeSpan(milliseconds: 30) } == true)
    }

    /// A packet is completed before it was sent, by the clock of a host that sets it back.
    @Test func aClockThatIsSetBackGivesNoTimeOfCompletion() throws {
        let session = MergedSession()
        session.traffic(20)
        session.host.recording.time = session.host.recording.time - TimeSpan(seconds: 1)
        session.host.event(
            HCI.NumberOfCompletedPackets(entries: [.init(handle: session.hostLink.handle, count: 5)]))
        let folder = try TemporaryFolder()
        let files = try session.write(to: folder)
        _ = try merge([files.host, files.air], in: folder)
        let (_, batches) = try read(folder.path("merged.pcapng"))
        let comments = batches.flatMap { batch in batch.packets.flatMap { batch.comments(of: $0) } }
        let links = comments.compactMap { ViewLink(comment: $0) }
        #expect(links.count == comments.count)
        #expect(links.compactMap(\.completion).count == 3)
    }

    @Test func twoLogsOfBothEndsAreLinked() throws {
        let session = MergedSession()
        session.traffic(40)
        // The peer's log has the same PDUs in the other direction, an hour later.
        let peer = HCISession()
        peer.recording.time = session.host.recording.packets[0].time + TimeSpan(seconds: 3600)
        _ = peer.connect(to: MergedSession.phone, role: .peripheral)
        for packet in session.host.recording.packets.dropFirst() {
            peer.recording.time = packet.time + TimeSpan(seconds: 3600)
            peer.record(packet.bytes, packet.direction.opposite)
        }
        let folder = try TemporaryFolder()
        let one = try folder.file("phone.btsnoop", session.host.recording.btsnoop())
        let other = try folder.file("puck.btsnoop", peer.recording.btsnoop())
        let report = try merge([one, other], in: folder)
        #expect(try number("common", report) == 50)
        #expect(try abs(number("offset", report) + 3600) < 0.001)
        let (links, _) = try read(folder.path("merged.pcapng"))
        #expect(Set(links.values.joined().map(\.sight)) == [.sent, .received])
    }

    @Test func twoSniffersCompleteEachOther() async throws {
        let session = MergedSession()
        session.traffic(100)
        let whole = session.air.recording.packets
        let folder = try TemporaryFolder()
        let alone = try folder.file("whole.pcap", session.air.recording.airPcap())
        MergedSession.lose(0.2, of: session.air.recording, seed: 5)
        let one = try folder.file("one.pcap", session.air.recording.airPcap())
        session.air.recording.packets = whole
        MergedSession.lose(0.2, of: session.air.recording, seed: 6)
        let other = try folder.file("other.pcap", session.air.recording.airPcap())
        let report = try merge([one, other], in: folder)
        #expect(try abs(number("offset", report)) < 0.0001)
        let merged = try await channels(of: folder.path("merged.pcapng"))
        #expect(try await merged > channels(of: one))
        #expect(try await merged <= channels(of: alone))
    }

    /// Number of L2CAP PDUs of ATT.
    private func channels(of path: String) async throws -> Int {
        try await StatisticsJob().run(try CaptureReader(path: path)) { _ in true }.statistics.channels.att
    }

    @Test func aCaptureMayBeMergedWithItself() throws {
        let session = MergedSession()
        session.traffic(40)
        let folder = try TemporaryFolder()
        let files = try session.write(to: folder)
        let report = try merge([files.host, files.host], in: folder)
        #expect(try number("common", report) == 50)
        #expect(try number("offset", report) == 0)
    }

    @Test func changesOfAdvertisingDataAlignClocks() throws {
        let (host, air) = (HCISession(), AirSession())
        let start = host.recording.time
        for number in 0..<40 {
            let data = GAP.AdvertisingStructure.manufacturerData(company: 0xFFFF, [UInt8(number), 1, 2])
            // Each is sent three times; the host reports the last one, 5 ms later.
            for sending in 0..<3 {
                let time = TimeSpan(milliseconds: Int64(number) * 1000 + Int64(sending) * 100)
                air.recording.time = start + time - TimeSpan(seconds: 500)
                air.advertise(MergedSession.puck, [data])
            }
            host.recording.time = start + TimeSpan(milliseconds: Int64(number) * 1000 + 5)
            host.report(MergedSession.puck, [data])
        }
        let folder = try TemporaryFolder()
        let one = try folder.file("phone.btsnoop", host.recording.btsnoop())
        let other = try folder.file("sniffer.pcap", air.recording.airPcap())
        let report = try merge([one, other], in: folder)
        #expect(try abs(number("offset", report) - 500) < 0.01)
        #expect(try number("aligned_by", report) == 40)
        #expect(try number("common", report) == 0)
        #expect(report.warnings.contains { $0.contains("no PDU of a connection in common") })
    }

    // MARK: - Errors

    @Test func nothingInCommonIsAnError() throws {
        let (one, other) = (MergedSession(), MergedSession())
        one.traffic(40)
        for number in 0..<40 { other.pass(.received) { $0.notify(Handle(0x0030), [UInt8(number), 0xEE, 0xEE]) } }
        let folder = try TemporaryFolder()
        let host = try one.write(to: folder).host
        let air = try folder.file("other.pcap", other.air.recording.airPcap())
        let failure = #expect(throws: MergeError.self) { try merge([host, air], in: folder) }
        let text = failure?.description ?? ""
        #expect(text.contains("common PDUs of connections and advertisers were found, 5 are needed"))
        #expect(text.contains("--offset SECONDS"))
        #expect(try !folder.names.contains("merged.pcapng"))
    }

    @Test func anOffsetMayBeGiven() throws {
        let session = MergedSession(offset: TimeSpan(seconds: 10))
        for number in 0..<2 { session.pass(.received) { $0.notify(Handle(0x0010), [UInt8(number), 7, 7, 7]) } }
        let folder = try TemporaryFolder()
        let files = try session.write(to: folder)
        #expect(throws: MergeError.self) { try merge([files.host, files.air], in: folder) }
        let report = try merge([files.host, files.air], in: folder) { $0.offset = TimeSpan(seconds: 10) }
        #expect(try number("common", report) == 2)
        #expect(report.lines.last?.contains("clock +10.000000 s, as given") == true)
    }

    @Test func oneCaptureIsNotMerged() throws {
        let session = MergedSession()
        session.traffic(40)
        let folder = try TemporaryFolder()
        let host = try session.write(to: folder).host
        #expect(throws: CaptureError.self) { try merge([host], in: folder) { $0.offset = .zero } }
        #expect(try !folder.names.contains("merged.pcapng"))
    }

    @Test func noInputIsOverwritten() throws {
        let session = MergedSession()
        session.traffic(40)
        let folder = try TemporaryFolder()
        let files = try session.write(to: folder)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("merged.pcapng"), withDestinationPath: files.air)
        let before = try folder.bytes("sniffer.pcapng")
        let failure = #expect(throws: CaptureError.self) { try merge([files.host, files.air], in: folder) }
        #expect(failure?.kind == .cannotWrite)
        #expect(try folder.bytes("sniffer.pcapng") == before)
    }

    @Test func anInterruptedMergeWritesNoFile() throws {
        let session = MergedSession()
        session.traffic(20)
        let folder = try TemporaryFolder()
        let files = try session.write(to: folder)
        let readers = try [files.host, files.air].map { try CaptureReader(path: $0) }
        let path = folder.path("merged.pcapng")
        let count = session.host.recording.packets.count + session.air.recording.packets.count
        // After the first of three passes.
        #expect(throws: MergeInterruption.self) {
            _ = try MergeJob().run(readers, to: path) { packets in packets <= count }
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func aMergedCaptureIsNotMergedAgain() throws {
        let session = MergedSession()
        session.traffic(40)
        let folder = try TemporaryFolder()
        let files = try session.write(to: folder)
        _ = try merge([files.host, files.air], in: folder)
        let again = try folder.file("again.pcapng", folder.bytes("merged.pcapng"))
        #expect(throws: CaptureError.self) { try merge([again, files.air], in: folder) }
    }

    // MARK: - Readers of merged captures

    @Test func eachPDUIsCountedOnce() async throws {
        let session = MergedSession(offset: TimeSpan(seconds: 60))
        session.traffic(40)
        let folder = try TemporaryFolder()
        let files = try session.write(to: folder)
        _ = try merge([files.host, files.air], in: folder)
        let reader = try CaptureReader(path: folder.path("merged.pcapng"))
        let outcome = try await StatisticsJob().run(reader) { _ in true }
        #expect(outcome.statistics.channels.att == 50)
        #expect(outcome.statistics.merged.common == 50)
        var report = StatisticsReport(outcome, of: reader)
        #expect(report.text().contains("50 sent, 50 of them heard (100.0 %), 0 heard only, 0 sent only"))
        let merged = try JSONValue(reading: Array(report.json().utf8))["merged"]
        #expect(merged?["heard"] == .integer(50))
        #expect(merged?["inputs"]?.elements.count == 2)
    }

    @Test func eachPDUIsCheckedOnce() async throws {
        let session = MergedSession(offset: TimeSpan(seconds: 60))
        session.traffic(20)
        // The client sends a request before the response to the one before (Vol 3, Part F, 3.3.3).
        session.pass(.sent) { $0.request(ATT.ReadRequest(handle: Handle(0x0012))) }
        session.pass(.sent) { $0.request(ATT.ReadRequest(handle: Handle(0x0013))) }
        session.pass(.received) { $0.respond(ATT.ReadResponse(value: [1])) }
        session.traffic(20)
        let folder = try TemporaryFolder()
        let files = try session.write(to: folder)
        _ = try merge([files.host, files.air], in: folder)
        func failures(_ path: String) async throws -> [String] {
            let report = try await CheckJob().run(try CaptureReader(path: path)) { _ in true }.report
            return report.results.flatMap { result in
                [String](repeating: report.rules[result.rule].id, count: result.tally.failures)
            }.sorted()
        }
        let alone = try await failures(files.host)
        #expect(!alone.isEmpty)
        #expect(try await failures(folder.path("merged.pcapng")).filter(alone.contains) == alone)
    }

    @Test func linksAreShown() async throws {
        let session = MergedSession(offset: TimeSpan(seconds: 60))
        session.traffic(40)
        session.pass(.received, isHeard: false) { $0.notify(Handle(0x0010), [9, 9, 9]) }
        session.traffic(4)
        let folder = try TemporaryFolder()
        let files = try session.write(to: folder)
        _ = try merge([files.host, files.air], in: folder)
        let text = try await decode(folder.path("merged.pcapng"), DecodeOptions())
        #expect(text.contains("# gattbench: heard in frame "))
        #expect(text.contains("# gattbench: second view: sent in frame "))
        #expect(text.contains("# gattbench: received only"))
    }

    @Test(.enabled(if: Tshark.path != nil, "tshark is not installed"))
    func tsharkReadsBothInterfaces() throws {
        let session = MergedSession(offset: TimeSpan(seconds: 60))
        session.traffic(40)
        let folder = try TemporaryFolder()
        let files = try session.write(to: folder)
        _ = try merge([files.host, files.air], in: folder)
        let path = folder.path("merged.pcapng")
        let rows = try Tshark.fields(["frame.number", "frame.interface_name", "frame.comment"], of: path)
        #expect(Set(rows.map { $0[1] }) == ["phone.btsnoop", "sniffer.pcapng"])
        let (links, _) = try read(path)
        for row in rows where row[2].hasPrefix(ViewLink.prefix) {
            #expect(links[Int(row[0]) ?? 0]?.first == ViewLink(comment: row[2]))
        }
        #expect(rows.contains { $0[2].hasPrefix(ViewLink.prefix) })
    }
}
