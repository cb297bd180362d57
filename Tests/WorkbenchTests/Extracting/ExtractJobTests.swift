import Bluetooth
import BluetoothCrypto
import Bytes
import Captures
import Conversation
import Foundation
import Keys
import PDUTestKit
import TestKit
import Testing

@testable import Workbench

/// `extract` keeps what the decoding of the selected packets needs.
struct ExtractJobTests {
    private static let battery = Cast.battery

    /// The frames of a recording that end with a notification.
    private func notifications(_ recording: Recording, keys: [KnownKey] = []) -> [Int] {
        Story(recording, keys: keys).metadata.filter { $0.attribute?.opcode == .handleValueNotification }
            .map(\.packet.number)
    }

    /// A connection with discovery and many values.
    private func record(_ session: HCISession, _ peer: DeviceAddress, values: Int) {
        let link = session.connect(to: peer)
        link.exchangeMTU(client: 247, server: 185)
        link.discover(Self.battery)
        link.subscribe(Self.battery[0x2A19, 0x2902])
        for value in 0..<values { link.notify(Self.battery[0x2A19], [UInt8(truncatingIfNeeded: value)]) }
        link.disconnect()
    }

    @Test(arguments: Extraction.folders)
    func selectedFramesAreDecodedAsInTheWholeCapture(_ name: String) async throws {
        let extraction = try Extraction(folder: name)
        let whole = try await extraction.decoded(extraction.path)
        let valued = whole.filter { frame in ["gatt", "device", "values"].contains { frame[$0] != nil } }
        let chosen = [valued.first, valued.dropFirst(valued.count / 2).first, valued.last].compactMap { $0 }
        for frame in chosen {
            guard case .integer(let number)? = frame["frame"] else { continue }
            let report = try await extraction.extract { $0.procedures = [number] }
            #expect(report.selected.contains(number))
            try await extraction.check(report)
        }
        guard !valued.isEmpty else { return }
        try await extraction.check(
            extraction.extract { try $0.setFilter("btatt || device.message", plugins: extraction.decoding.plugins) })
    }

    @Test func aNotificationKeepsItsConnectionAndItsDiscovery() async throws {
        let session = HCISession()
        session.readAddress(Cast.phone.address)
        session.report(Cast.counter, [.completeLocalName("Counter")])
        session.report(Cast.puck, [.completeLocalName("Puck")])
        for _ in 0..<50 { session.report(Cast.puck, [.completeLocalName("Puck")]) }
        record(session, Cast.counter, values: 40)
        record(session, Cast.puck, values: 200)
        let last = try #require(notifications(session.recording).last)
        let extraction = try Extraction(session.recording)
        let report = try await extraction.extract { $0.procedures = [last] }
        #expect(report.selected.numbers == [last])
        let kept = try await extraction.check(report)
        // The adapter's address, a report, set-up, the MTU exchange, discovery, the subscription, the value, the end.
        #expect(kept.count < 30)
        let story = Story(session.recording)
        let frames = kept.map { story.metadata[$0 - 1] }
        #expect(Set(frames.map(\.connection)).subtracting([-1]) == [1])
        #expect(frames.count { $0.attribute?.opcode == .handleValueNotification } == 1)
        #expect(frames.contains { $0.attribute?.opcode == .exchangeMTUResponse })
        #expect(frames.contains { $0.attribute?.opcode == .writeResponse })
        #expect(kept.contains(session.recording.packets.count))
    }

    @Test func aRememberedTableKeepsTheEarlierDiscovery() async throws {
        let session = HCISession()
        record(session, Cast.counter, values: 3)
        record(session, Cast.puck, values: 20)
        let link = session.connect(to: Cast.puck)
        link.notify(Self.battery[0x2A19], [7])
        link.disconnect()
        let last = try #require(notifications(session.recording).last)
        let extraction = try Extraction(session.recording)
        let report = try await extraction.extract { $0.procedures = [last] }
        let kept = try await extraction.check(report)
        let story = Story(session.recording)
        #expect(Set(kept.map { story.metadata[$0 - 1].connection }).subtracting([-1]) == [1, 2])
        #expect(kept.count { story.metadata[$0 - 1].attribute?.opcode == .handleValueNotification } == 1)
    }

    @Test func aDiscoveryAfterTheTrafficIsKept() async throws {
        let session = HCISession()
        let link = session.connect(to: Cast.puck)
        for value in 0..<30 { link.notify(Self.battery[0x2A19], [UInt8(value)]) }
        link.discover(Self.battery)
        link.disconnect()
        let extraction = try Extraction(session.recording)
        let first = try #require(notifications(session.recording).first)
        let report = try await extraction.extract { $0.procedures = [first] }
        let kept = try await extraction.check(report)
        #expect(kept.count < 20)
    }

    @Test func aResponseKeepsItsRequestAndAllFragments() async throws {
        let session = HCISession()
        let link = session.connect(to: Cast.puck)
        link.discover(Self.battery)
        link.exchangeMTU(client: 247, server: 247)
        link.read(Self.battery[0x2A00], Array("Puck".utf8))
        link.fragmentation = .every(27)
        link.read(Self.battery[0x2A19], Array(repeating: 9, count: 100))
        link.fragmentation = .whole
        link.notify(Self.battery[0x2A19], [1])
        let story = Story(session.recording)
        let response = try #require(story.metadata.last { $0.attribute?.opcode == .readResponse }?.packet.number)
        let extraction = try Extraction(session.recording)
        let report = try await extraction.extract { try $0.setFilter("frame.number == \(response)", plugins: .none) }
        #expect(report.selected.numbers == [response])
        let kept = try await extraction.check(report)
        #expect(kept.contains(response - 4))
        #expect(story.metadata[response - 5].attribute?.opcode == .readRequest)
        #expect(kept.contains(response - 3) && kept.contains(response - 1))
        #expect(!kept.contains(response + 1))
    }

    @Test(arguments: [27, 251])
    func fragmentsOnTheAirAreReassembled(size: Int) async throws {
        let air = AirSession()
        let link = air.connect(Cast.phone, to: Cast.puck)
        link.fragmentation = .every(size)
        link.exchangeMTU(client: 247, server: 247)
        link.discover(Self.battery)
        for value in 0..<60 { link.notify(Self.battery[0x2A19], Array(repeating: UInt8(value), count: 80)) }
        link.disconnect()
        let all = notifications(air.recording)
        let extraction = try Extraction(air.recording)
        let report = try await extraction.extract { $0.procedures = [all[all.count / 2]] }
        let kept = try await extraction.check(report)
        #expect(kept.count < air.recording.packets.count)
    }

    @Test func whatAKeyOpensIsOpenedInThePart() async throws {
        let longTermKey = SecretKey(0x4C68_3841_39F5_74D8_36BC_F34E_9DFB_01BF)
        let air = AirSession()
        let link = air.connect(Cast.phone, to: Cast.puck)
        link.discover(Self.battery)
        link.encrypt(with: longTermKey)
        for value in 0..<100 { link.notify(Self.battery[0x2A19], [UInt8(value)]) }
        link.disconnect()
        let key = KnownKey(.longTerm(longTermKey), origin: .given)
        let last = try #require(notifications(air.recording, keys: [key]).last)
        var extraction = try Extraction(air.recording)
        extraction.decoding.keys = KeyRing([key])
        let report = try await extraction.extract { $0.procedures = [last] }
        #expect(report.selected.contains(last))
        try await extraction.check(report)
    }

    @Test func linksOfAMergedCaptureHaveTheNewNumbers() async throws {
        let session = MergedSession()
        session.traffic(40)
        let folder = try TemporaryFolder()
        let files = try session.write(to: folder)
        _ = try MergeJob().run(
            [CaptureReader(path: files.host), CaptureReader(path: files.air)], to: folder.path("m.pcapng"))
        let extraction = try Extraction(folder.path("m.pcapng"))
        let report = try await extraction.extract { try $0.setFilter("btatt.value[0:1] == 05", plugins: .none) }
        try await extraction.check(report)
        let reader = try CaptureReader(path: extraction.part)
        var encapsulations: [Int: Encapsulation] = [:]
        var links: [(from: Int, to: Int)] = []
        while let batch = try reader.next() {
            for packet in batch.packets {
                encapsulations[packet.number] = packet.encapsulation
                for link in batch.comments(of: packet).compactMap({ ViewLink(comment: $0) }) {
                    if let frame = link.frame { links.append((packet.number, frame)) }
                }
            }
        }
        #expect(!links.isEmpty)
        for link in links {
            let ends = try (#require(encapsulations[link.from]), #require(encapsulations[link.to]))
            #expect(ends.0.isLinkLayer != ends.1.isLinkLayer)
        }
    }

    // MARK: - Selections

    @Test func optionsSelectTogether() async throws {
        let session = HCISession()
        session.report(Cast.puck, [.completeLocalName("Puck")])
        record(session, Cast.counter, values: 5)
        record(session, Cast.puck, values: 5)
        let extraction = try Extraction(session.recording)
        let story = Story(session.recording)
        func frames(_ condition: (FrameMetadata) -> Bool) -> [Int] {
            story.metadata.filter(condition).map(\.packet.number)
        }
        #expect(
            try await extraction.extract { $0.connections = [2] }.selected.numbers == frames { $0.connection == 1 })
        for name in ["c0:ff:ee:00:00:01", "Puck"] {
            let report = try await extraction.extract {
                $0.devices = [name]
                try $0.setFilter("btatt.opcode == 0x1b", plugins: .none)
            }
            let expected = frames { $0.connection == 1 && $0.attribute?.opcode == .handleValueNotification }
            #expect(report.selected.numbers == expected)
        }
        await #expect(throws: NothingSelected.self) {
            _ = try await extraction.extract {
                $0.connections = [1]
                $0.devices = ["Puck"]
            }
        }
    }

    @Test func whatIsNotThereIsNamed() async throws {
        let session = HCISession()
        record(session, Cast.puck, values: 1)
        let extraction = try Extraction(session.recording)
        func fault(_ select: (inout FrameSelection) -> Void) async -> String? {
            do {
                _ = try await extraction.extract(select)
                return nil
            } catch {
                return "\(error)"
            }
        }
        #expect(await fault { $0.connections = [2] } == "there is no connection 2; the capture has 1")
        #expect(await fault { $0.connections = [0] } == "there is no connection 0; the capture has 1")
        #expect(await fault { $0.procedures = [4000] }?.hasPrefix("there is no frame 4000; the capture has ") == true)
        #expect(await fault { $0.devices = ["Mug"] }?.hasPrefix("there is no device Mug; ") == true)
        #expect(!FileManager.default.fileExists(atPath: extraction.part))
    }
}
