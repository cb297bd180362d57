import Bluetooth
import Captures
import Conversation
import PDUTestKit
import TestKit
import Testing

@testable import Workbench

/// Frames that belong together have the number of the frame that begins their procedure.
struct ProcedureTrackerTests {
    /// The numbers of the procedures of a recording's frames.
    private func procedures(_ recording: Recording) -> [Int] {
        var tracker = Tracker()
        var procedures = ProcedureTracker()
        procedures.add(tracker.track(recording.batch))
        tracker.finish()
        let outline = procedures.finish(tracker)
        return outline.frames.indices.map { outline.procedure(of: $0) }
    }

    private func roles(_ recording: Recording) -> [FrameOutline.Role] {
        var tracker = Tracker()
        var procedures = ProcedureTracker()
        procedures.add(tracker.track(recording.batch))
        tracker.finish()
        return procedures.finish(tracker).frames.map(\.role)
    }

    @Test func aRequestAndItsResponse() {
        let session = HCISession()
        let link = session.connect(to: Cast.puck)
        link.read(0x0003, [1])
        link.notify(0x0006, [98])
        link.write(0x0006, [2])
        link.indicate(0x0006, [3])
        #expect(procedures(session.recording) == [1, 2, 2, 4, 5, 5, 7, 7])
    }

    @Test func aDiscoveryIsOneProcedure() {
        let session = HCISession()
        let link = session.connect(to: Cast.puck)
        link.discover(Cast.battery)
        let count = session.recording.packets.count
        link.read(0x0003, [1])
        link.discoverServices(Cast.battery)
        let found = procedures(session.recording)
        #expect(found[1..<count].allSatisfy { $0 == 2 })
        #expect(found[count] == count + 1)
        #expect(found[(count + 2)...].allSatisfy { $0 == count + 3 })
    }

    @Test func longReadsAndWrites() {
        let session = HCISession()
        let link = session.connect(to: Cast.puck)
        link.readLong(0x0003, Array(repeating: 5, count: 40))
        let reads = session.recording.packets.count
        link.writeLong(0x0003, Array(repeating: 6, count: 40))
        let found = procedures(session.recording)
        #expect(found[1..<reads].allSatisfy { $0 == 2 })
        #expect(found[reads...].allSatisfy { $0 == reads + 1 })
    }

    @Test func fragmentsHaveTheProcedureOfTheirPDU() {
        let session = HCISession()
        let link = session.connect(to: Cast.puck)
        link.exchangeMTU(client: 247, server: 247)
        link.read(0x0003, [1])
        link.request(ATT.ReadRequest(handle: 0x0003))
        link.fragmentation = .every(10)
        link.respond(ATT.ReadResponse(value: Array(repeating: 1, count: 30)))
        let found = procedures(session.recording)
        #expect(found.prefix(5) == [1, 2, 2, 4, 4])
        #expect(found.dropFirst(5).allSatisfy { $0 == 6 })
    }

    @Test func aPairingHasTheStartOfEncryption() {
        let session = HCISession()
        let link = session.connect(to: Cast.puck)
        link.carry([0x0B, 0x01], on: .smp, .received)
        link.carry([0x01, 3, 0, 1, 16, 0, 1], on: .smp, .sent)
        link.carry([0x02, 3, 0, 1, 16, 0, 1], on: .smp, .received)
        link.startEncryption()
        link.encrypt()
        link.carry([0x08] + Array(repeating: 7, count: 16), on: .smp, .received)
        link.startEncryption()
        link.encrypt()
        #expect(procedures(session.recording) == [1, 2, 2, 2, 2, 2, 2, 8, 8])
        #expect(roles(session.recording).dropFirst().allSatisfy { $0 == .security })
    }

    @Test func commandsHaveTheirEvents() {
        let session = HCISession()
        session.readAddress(Cast.phone.address)
        session.command(
            HCI.LEEnableEncryption(
                handle: 0x0040, randomNumber: [UInt8](repeating: 0, count: 8), encryptedDiversifier: 0,
                longTermKey: [UInt8](repeating: 0x5A, count: 16)))
        session.reset()
        #expect(procedures(session.recording) == [1, 1, 3, 4, 4])
    }

    @Test func rolesFollowFromTypesThatAreDiscoveredLater() {
        let session = HCISession()
        let link = session.connect(to: Cast.puck)
        link.subscribe(Cast.battery[0x2A19, 0x2902])
        link.write(Cast.battery[0x2A19], [1, 0])
        link.read(Cast.battery[0x2A00], Array("Puck".utf8))
        link.discover(Cast.battery)
        let found = roles(session.recording)
        #expect(found[1...2].allSatisfy { $0 == .subscription })
        #expect(found[3...4].allSatisfy { $0 == .write })
        #expect(found[5...6].allSatisfy { $0 == .identity })
    }
}
