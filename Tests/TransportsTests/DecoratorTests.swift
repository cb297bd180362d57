import Bluetooth
import Bytes
import Captures
import Foundation
import PDUTestKit
import Testing
import Transports

/// A transport with scripted input that stores its output.
private final class ScriptedTransport: Transport {
    let name = "script"
    var incoming: [TransportEvent] = []
    var sent: [[UInt8]] = []
    var isClosed = false
    var interests: [Interest] { [] }
    var nextEvent: Timestamp? { nil }

    func advance(_ ready: [Readiness], to now: Timestamp) -> [TransportEvent] {
        defer { incoming = [] }
        return incoming
    }

    func send(_ packet: [UInt8], at now: Timestamp) -> [TransportEvent] {
        sent.append(packet)
        return []
    }

    func close() {
        isClosed = true
    }
}

private func time(_ milliseconds: Int64) -> Timestamp {
    Timestamp(nanoseconds: 1_772_366_400_000_000_000 + milliseconds * 1_000_000)
}

private func event(_ number: Int) -> [UInt8] { [4, 0xFF, 4, UInt8(number), 1, 2, 3] }

/// Faults injected into packets.
@Suite struct FaultTests {
    /// The result of 200 incoming packets, with their comments.
    private func received(_ text: String) throws -> (packets: [[UInt8]], comments: [String], notes: [String]) {
        guard case .fault(let plan, _) = try TransportSpec("fault(\(text),radio:)") else { return ([], [], []) }
        let inner = ScriptedTransport()
        let link = FaultTransport(inner, plan)
        var packets: [[UInt8]] = []
        var comments: [String] = []
        var notes: [String] = []
        for number in 0..<200 {
            inner.incoming = [.packet(event(number), comment: nil)]
            for event in link.advance([], to: time(Int64(number))) {
                switch event {
                case .packet(let packet, let comment):
                    packets.append(packet)
                    if let comment { comments.append(comment) }
                case .note(let text): notes.append(text)
                default: break
                }
            }
        }
        return (packets, comments, notes)
    }

    @Test func somePacketsAreDroppedAndToldOf() throws {
        let (packets, comments, notes) = try received("drop=25%")
        #expect((130...170).contains(packets.count))
        #expect(notes.count == 200 - packets.count)
        #expect(comments.isEmpty)
        #expect(notes.allSatisfy { $0.hasPrefix("fault: dropped, received: 04 ff 04") })
    }

    @Test func theSeedSaysWhich() throws {
        #expect(try received("drop=25%,seed=3").packets == received("drop=25%,seed=3").packets)
        #expect(try received("drop=25%,seed=3").packets != received("drop=25%,seed=4").packets)
    }

    @Test func somePacketsComeTwice() throws {
        let (packets, comments, _) = try received("duplicate=10%")
        #expect((210...235).contains(packets.count))
        #expect(comments.count == 2 * (packets.count - 200))
    }

    @Test func somePacketsAreOvertaken() throws {
        let (packets, comments, _) = try received("reorder=10%")
        #expect(packets != packets.sorted { $0[3] < $1[3] })
        #expect(Set(packets).count == packets.count)
        #expect(comments.allSatisfy { $0 == "fault: overtaken by the next packet" })
        #expect((10...35).contains(comments.count))
    }

    @Test func oneBitIsTurnedOverBehindTheHeader() throws {
        let (packets, comments, _) = try received("corrupt=100%")
        #expect(comments.count == 200)
        for (number, packet) in packets.enumerated() {
            #expect(packet[..<3] == event(number)[..<3])
            #expect(zip(packet, event(number)).reduce(0) { $0 + ($1.0 ^ $1.1).nonzeroBitCount } == 1)
        }
    }

    @Test func endsAreCutOffAndTheHeaderSaysSo() throws {
        let (packets, comments, _) = try received("truncate=100%")
        #expect(comments.count == 200)
        #expect(packets.allSatisfy { $0.count < 7 && Int($0[2]) == $0.count - 3 })
    }

    @Test func onlyOneDirectionIsHarmed() throws {
        #expect(try received("drop=100%,only=sent").packets.count == 200)
        #expect(try received("drop=100%,only=received").packets.isEmpty)
    }

    @Test func delayAndStallKeepTheOrder() throws {
        guard case .fault(let plan, _) = try TransportSpec("fault(delay=20ms,stall=100ms+500ms,radio:)") else { return }
        let inner = ScriptedTransport()
        let link = FaultTransport(inner, plan)
        _ = link.advance([], to: time(0))
        _ = link.send(event(1), at: time(1))
        _ = link.advance([], to: time(20))
        #expect(inner.sent.isEmpty)
        #expect(link.nextEvent == time(21))
        _ = link.advance([], to: time(21))
        #expect(inner.sent == [event(1)])
        _ = link.send(event(2), at: time(150))
        _ = link.send(event(3), at: time(590))
        _ = link.advance([], to: time(599))
        #expect(inner.sent.count == 1)
        _ = link.advance([], to: time(610))
        #expect(inner.sent == [event(1), event(2), event(3)])
    }

    @Test func whatIsDelayedIsForItsOwnPeerOnly() throws {
        guard case .fault(let plan, _) = try TransportSpec("fault(delay=2s,radio:)") else { return }
        let inner = ScriptedTransport()
        let link = FaultTransport(inner, plan)
        inner.incoming = [.connected, .packet(event(1), comment: nil)]
        #expect(link.advance([], to: time(0)) == [.connected])
        _ = link.send(event(2), at: time(1))
        inner.incoming = [.disconnected("gone")]
        #expect(link.advance([], to: time(2)) == [.disconnected("gone")])
        inner.incoming = [.connected]
        #expect(link.advance([], to: time(3000)) == [.connected])
        #expect(inner.sent.isEmpty && link.nextEvent == nil)
    }

    @Test func theLinkBreaksAtItsTime() throws {
        guard case .fault(let plan, _) = try TransportSpec("fault(disconnect=3s,radio:)") else { return }
        let inner = ScriptedTransport()
        let link = FaultTransport(inner, plan)
        #expect(link.advance([], to: time(0)).isEmpty)
        #expect(link.nextEvent == time(3000))
        #expect(link.advance([], to: time(2999)).isEmpty)
        #expect(link.advance([], to: time(3000)).last == .closed("fault: the link was closed"))
        #expect(inner.isClosed)
        _ = link.send(event(1), at: time(3001))
        #expect(inner.sent.isEmpty)
    }
}

/// Recording of traffic.
@Suite struct TapTests {
    /// A host's packets are recorded as sent, whichever end of the link records.
    @Test(arguments: [(false, [Direction.received, .sent]), (true, [.sent, .received])])
    func directionsAreThoseOfTheHost(isController: Bool, expected: [Direction]) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("tap.btsnoop")
        let inner = ScriptedTransport()
        let tap = TapTransport(
            inner, try CaptureWriter(path: path, target: CaptureTarget(.btsnoop, holding: .h4)),
            isController: isController)
        let command: [UInt8] = [1, 3, 0x0C, 0]
        inner.incoming = [.packet(isController ? command : event(7), comment: nil)]
        _ = tap.advance([], to: time(0))
        _ = tap.send(isController ? event(7) : command, at: time(5))
        let batch = try #require(try CaptureReader(path: path).next())
        #expect(batch.packets.map(\.direction) == expected)
    }

    @Test func whatPassesIsInTheFileAtOnce() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("tap.pcapng")
        let target = CaptureTarget(.pcapng, holding: .h4)
        let inner = ScriptedTransport()
        guard case .fault(let plan, _) = try TransportSpec("fault(drop=100%,only=received,radio:)") else { return }
        let tap = TapTransport(FaultTransport(inner, plan), try CaptureWriter(path: path, target: target))
        inner.incoming = [.packet(event(7), comment: nil)]
        #expect(tap.advance([], to: time(0)).count == 1)
        _ = tap.send([1, 3, 0x0C, 0], at: time(5))
        let reader = try CaptureReader(path: path)
        let batch = try #require(try reader.next())
        #expect(batch.packets.count == 1)
        let packet = try #require(batch.packets.first)
        #expect(packet.time == time(5))
        #expect(batch.comments == [["fault: dropped, received: 04 ff 04 07 01 02 03"]])
        #expect(Array(batch.bytes(of: packet)).suffix(4) == [1, 3, 0x0C, 0])
    }
}
