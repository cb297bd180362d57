import Bluetooth
import Bytes
import Captures
import Conformance
import Foundation
import PDUTestKit
import TestKit
import Testing
import Transports

@testable import Workbench

/// `shrink` finds a small part that still shows a fault.
struct ShrinkJobTests {
    /// A fault that is planted into a session.
    enum Fault: String, CaseIterable, CustomTestStringConvertible {
        case overlappingRequests, truncatedRequest, unknownChannel, noSubscription

        var testDescription: String { rawValue }

        func record(on link: HCILink, in session: HCISession) {
            switch self {
            case .overlappingRequests:
                link.request(ATT.ReadRequest(handle: 0x0003))
                link.request(ATT.ReadRequest(handle: 0x0006))
                link.respond(ATT.ReadResponse(value: [1]))
                link.respond(ATT.ReadResponse(value: [2]))
            case .truncatedRequest: link.carry([0x0A, 0x03], on: .att, .sent)
            case .unknownChannel: link.carry([1, 2, 3], on: L2CAP.ChannelID(rawValue: 0x0050), .sent)
            case .noSubscription:
                let other = session.connect(to: DeviceAddress(Address("c0:00:00:00:00:09")!, .random))
                other.discover(Cast.heartRate)
                for _ in 0..<20 { other.notify(Cast.heartRate[0x2A37], [0, 60]) }
                other.disconnect()
            }
        }
    }

    /// A session of some thousand packets with two connections at a time.
    private func session(_ fault: Fault?, packets: Int = 3000) -> HCISession {
        let session = HCISession()
        session.readAddress(Cast.phone.address)
        for peer in [Cast.counter, Cast.puck] { session.report(peer, [.completeLocalName("Device")]) }
        let links = [session.connect(to: Cast.counter), session.connect(to: Cast.puck)]
        for link in links {
            link.exchangeMTU(client: 247, server: 185)
            link.discover(Cast.battery)
            link.subscribe(Cast.battery[0x2A19, 0x2902])
        }
        var isPlanted = fault == nil
        while session.recording.packets.count < packets {
            for link in links {
                link.notify(Cast.battery[0x2A19], [UInt8(session.recording.packets.count % 100)])
                link.read(Cast.battery[0x2A19], [50])
            }
            if !isPlanted, session.recording.packets.count > packets / 2 {
                fault?.record(on: links[1], in: session)
                isPlanted = true
            }
        }
        for link in links { link.disconnect() }
        return session
    }

    private func checkJob() throws -> CheckJob {
        var job = CheckJob()
        job.plugins = try PluginLibrary.builtIn().plugins
        job.shardCount = 1
        return job
    }

    private func broken(_ path: String) async throws -> Set<String> {
        let report = try await checkJob().run(CaptureReader(path: path)) { _ in true }.report
        return Set(report.results.filter { $0.tally.failures > 0 }.map { report.rules[$0.rule].id })
    }

    private func packets(_ path: String) throws -> StoredPackets {
        try StoredPackets(reading: CaptureReader(path: path))
    }

    @Test(arguments: Fault.allCases)
    func aRuleIsBrokenByFewPackets(_ fault: Fault) async throws {
        let folder = try TemporaryFolder()
        let clean = try await broken(folder.file("clean.btsnoop", session(nil).recording.btsnoop()))
        let path = try folder.file("faulty.btsnoop", session(fault).recording.btsnoop())
        let rules = try await broken(path).subtracting(clean)
        try #require(!rules.isEmpty)
        for rule in rules.sorted() {
            let stored = try packets(path)
            let broken = try await ShownBreach(rule, of: stored, checkedBy: checkJob())
            #expect(!broken.frames.isEmpty)
            var job = ShrinkJob()
            job.decoding.plugins = try PluginLibrary.builtIn().plugins
            let outcome = try await job.run(stored, broken)
            #expect(outcome.frames.count <= 30, "\(rule): \(outcome.frames.count) packets")
            #expect(outcome.frames.count > 0 && !outcome.isInterrupted && outcome.candidates > 1)
            // None can be left out.
            for number in outcome.frames.numbers where outcome.frames.count > 1 {
                let others = FrameSet(outcome.frames.numbers.filter { $0 != number })
                #expect(try await !broken.isShown(by: stored.selecting(others)), "\(rule): \(number) is not needed")
            }
            let small = folder.path("\(rule).btsnoop")
            let report = try CaptureSubset(outcome.frames, isMerged: false).write(
                CaptureReader(path: path), to: small, format: .btsnoop)
            #expect(report.packetsWritten == outcome.frames.count)
            #expect(try await self.broken(small).contains(rule))
        }
    }

    @Test func anotherBreachIsAnotherFault() async throws {
        // The second request has no response: without its response, the first one would have none either.
        let session = HCISession()
        let link = session.connect(to: Cast.puck)
        for _ in 0..<20 { link.read(0x0003, [1]) }
        link.request(ATT.ReadRequest(handle: 0x0006))
        link.request(ATT.ReadRequest(handle: 0x0007))
        link.respond(ATT.ReadResponse(value: [1]))
        let folder = try TemporaryFolder()
        let path = try folder.file("session.btsnoop", session.recording.btsnoop())
        let stored = try packets(path)
        for rule in try await broken(path).sorted() {
            let broken = try await ShownBreach(rule, of: stored, checkedBy: checkJob())
            let outcome = try await ShrinkJob().run(stored, broken)
            #expect(!outcome.frames.isEmpty)
            #expect(try await broken.isShown(by: stored.selecting(outcome.frames)))
        }
    }

    @Test func rulesThatAreNotBrokenAreNamed() async throws {
        let folder = try TemporaryFolder()
        let stored = try packets(folder.file("clean.btsnoop", session(nil, packets: 60).recording.btsnoop()))
        await #expect(throws: RuleNotBroken.self) {
            _ = try await ShownBreach("CORE-L2CAP-12", of: stored, checkedBy: checkJob())
        }
        await #expect(throws: UnknownRule.self) {
            _ = try await ShownBreach("CORE-ATT-999", of: stored, checkedBy: checkJob())
        }
    }

    // MARK: - Commands

    /// A session in which two notifications have a text.
    private func textSession() throws -> (packets: StoredPackets, frames: [Int]) {
        let session = HCISession()
        let link = session.connect(to: Cast.puck)
        var frames: [Int] = []
        for number in 0..<120 {
            let isText = number == 40 || number == 90
            link.notify(0x0006, isText ? Array("needle-\(number)".utf8) : [UInt8(number)])
            if isText { frames.append(session.recording.packets.count) }
        }
        link.disconnect()
        let folder = try TemporaryFolder()
        return (try packets(folder.file("text.btsnoop", session.recording.btsnoop())), frames)
    }

    @Test(arguments: ["grep -qa needle-90", "grep -qa needle-90 {}", "sh -c 'grep -qa needle-90 \"$0\"' {}"])
    func aCommandDecides(_ command: String) async throws {
        let (stored, frames) = try textSession()
        let fault = try #require(try CommandFault(command, format: .btsnoop))
        let outcome = try await ShrinkJob().run(stored, fault)
        #expect(outcome.frames.numbers == [frames[1]])
    }

    @Test func aCommandThatNeedsTwoPackets() async throws {
        let (stored, frames) = try textSession()
        let command = "sh -c 'grep -qa needle-40 \"$0\" && grep -qa needle-90 \"$0\"'"
        let fault = try #require(try CommandFault(command, format: .pcapng))
        let outcome = try await ShrinkJob().run(stored, fault)
        #expect(outcome.frames.numbers == frames)
    }

    @Test func commandsThatDoNotShowTheFault() async throws {
        let stored = try textSession().packets
        let absent = try #require(try CommandFault("grep -qa thimble", format: .btsnoop))
        await #expect(throws: FaultNotShown.self) { _ = try await ShrinkJob().run(stored, absent) }
        let missing = try #require(try CommandFault("no-such-program-of-ours", format: .btsnoop))
        await #expect(throws: TransportError.self) { _ = try await ShrinkJob().run(stored, missing) }
        #expect(try CommandFault("", format: .btsnoop) == nil)
        #expect(try CommandFault("grep 'x", format: .btsnoop) == nil)
    }

    // MARK: - Packets in memory

    @Test func packetsInMemoryAreThoseOfTheFile() async throws {
        let recording = session(nil, packets: 2500).recording
        recording.comment("the end")
        let folder = try TemporaryFolder()
        let path = try folder.file("session.pcapng", recording.file(.pcapng, .h4WithDirection))
        let stored = try packets(path)
        #expect(stored.count == recording.packets.count)
        let part = stored.selecting(FrameSet([2, 2000, recording.packets.count]))
        #expect(part.numbers == [2, 2000, recording.packets.count])
        let source = part.makeSource()
        for _ in 0..<2 {
            var bytes: [[UInt8]] = []
            var comments: [String] = []
            while let batch = try await source.next() {
                for packet in batch.packets {
                    bytes.append(Array(batch.bytes(of: packet).dropFirst(4)))
                    comments += batch.comments(of: packet)
                }
            }
            #expect(bytes == part.numbers.map { recording.packets[$0 - 1].bytes })
            #expect(comments == ["the end"])
            try source.rewind()
        }
    }
}
