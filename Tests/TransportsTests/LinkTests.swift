import Bluetooth
import Bytes
import Captures
import Foundation
import PDUTestKit
import Radio
import Testing
import Transports

/// Transports of the operating system, with both ends in this process.
@Suite(.serialized) struct LinkTests {
    private static let reset: [UInt8] = [1, 3, 0x0C, 0]
    private static let complete: [UInt8] = [4, 0x0E, 4, 1, 3, 0x0C, 0]

    /// Waits until the events of a link satisfy a condition, for at most 5 seconds; returns all its events.
    private static func wait(
        _ loop: TransportLoop, _ link: Int, until condition: ([TransportEvent]) -> Bool
    ) -> [TransportEvent] {
        var events: [TransportEvent] = []
        let deadline = loop.now.nanoseconds + 5_000_000_000
        while !condition(events), loop.now.nanoseconds < deadline {
            for (index, event) in loop.wait(until: nil) where index == link { events.append(event) }
        }
        return events
    }

    /// A server and a connected client.
    private func pair(_ server: String, client: (String) -> String) throws -> TransportLoop {
        let opener = TransportOpener()
        var loop = TransportLoop()
        loop.add(try opener.open(TransportSpec(server)))
        loop.add(try opener.open(TransportSpec(client(loop.transports[0].name))))
        #expect(Self.wait(loop, 0) { !$0.isEmpty } == [.connected])
        return loop
    }

    private func checkBothWays(_ loop: TransportLoop) {
        #expect(loop.transports[1].send(Self.reset, at: loop.now).isEmpty)
        #expect(Self.wait(loop, 0) { !$0.isEmpty } == [.packet(Self.reset, comment: nil)])
        #expect(loop.transports[0].send(Self.complete, at: loop.now).isEmpty)
        let events = Self.wait(loop, 1) { $0.contains(.packet(Self.complete, comment: nil)) }
        #expect(events.last == .packet(Self.complete, comment: nil))
    }

    @Test func tcpCarriesPackets() throws {
        let loop = try pair("tcp-server:_:0") { $0.replacing("tcp-server", with: "tcp-client") }
        checkBothWays(loop)
        loop.transports[1].close()
        #expect(Self.wait(loop, 0) { !$0.isEmpty } == [.disconnected("the other end has closed")])
        loop.close()
    }

    @Test func theNextOneMayComeWhenOneHasGone() throws {
        var loop = try pair("tcp-server:_:0") { $0.replacing("tcp-server", with: "tcp-client") }
        loop.transports[1].close()
        _ = Self.wait(loop, 0) { !$0.isEmpty }
        let spec = loop.transports[0].name.replacing("tcp-server", with: "tcp-client")
        loop.add(try TransportOpener().open(TransportSpec(spec)))
        #expect(Self.wait(loop, 0) { !$0.isEmpty } == [.connected])
        loop.close()
    }

    @Test func whoClosesInTheMiddleOfAPacketIsToldOf() throws {
        let loop = try pair("tcp-server:_:0") { $0.replacing("tcp-server", with: "tcp-client") }
        _ = loop.transports[1].send([4, 0x0E, 4, 1], at: loop.now)
        loop.transports[1].close()
        let events = Self.wait(loop, 0) { !$0.isEmpty }
        #expect(events == [.disconnected("the other end has closed, in the middle of a packet")])
        loop.close()
    }

    @Test(arguments: [true, false])
    func socketsOfTheFileSystemCarryPackets(isAbstract: Bool) throws {
        let folder = try TemporaryFolder()
        let path = isAbstract ? "@gattbench-test-\(getpid())" : folder.path("socket")
        let loop = try pair("unix-server:\(path)") { _ in "unix:\(path)" }
        checkBothWays(loop)
        loop.close()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func aTerminalCarriesPacketsAsTheyAre() throws {
        let opener = TransportOpener()
        var loop = TransportLoop()
        let folder = try TemporaryFolder()
        let path = folder.path("pty")
        loop.add(try opener.open(TransportSpec("pty:\(path)")))
        loop.add(try opener.open(TransportSpec("serial:\(path),115200")))
        // Every byte value: the terminal must not interpret any of them.
        let packet = [4, 0xFF, 255] + (0...254).map { UInt8($0) }
        _ = loop.transports[1].send(packet, at: loop.now)
        #expect(Self.wait(loop, 0) { $0.count >= 2 } == [.connected, .packet(packet, comment: nil)])
        _ = loop.transports[0].send(packet, at: loop.now)
        #expect(Self.wait(loop, 1) { $0.count >= 2 }.last == .packet(packet, comment: nil))
        loop.close()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(arguments: [
        ("tcp-client:127.0.0.1:1", "Connection refused; start what listens there first"),
        ("tcp-client:nowhere.invalid:1", "; check the name of the host"),
        ("unix:/nowhere/at/all", "No such file or directory; check the path"),
        ("serial:/dev/nowhere", "No such file or directory; check the path"),
        ("tap(x.txt,pty:)", "has an unknown file extension; use .btsnoop, .pklg, .pcap or .pcapng"),
        ("radio:", "no virtual radio is available here; name another transport"),
    ])
    func whatCannotBeOpenedSaysWhatToDo(spec: String, text: String) throws {
        let spec = try TransportSpec(spec)
        let error = try #require(throws: TransportError.self) { try TransportOpener().open(spec) }
        #expect("\(error)".hasSuffix(text), "\(error)")
    }

    @Test func aPortThatIsTakenIsRefused() throws {
        let server = try TransportOpener().open(TransportSpec("tcp-server:_:0"))
        let error = try #require(throws: TransportError.self) {
            try TransportOpener().open(TransportSpec(server.name))
        }
        #expect("\(error)".contains("Address already in use"))
        server.close()
    }

    @Test func theRadioOfThisProcessIsALink() throws {
        var loop = TransportLoop()
        let hub = RadioHub(Radio(seed: 1, start: loop.now), start: loop.now)
        let opener = TransportOpener {
            hub.open(ControllerConfiguration(address: Address(value: 0x02_42_00_00_00_01)))
        }
        loop.add(try opener.open(.radio))
        #expect(Self.wait(loop, 0) { !$0.isEmpty } == [.connected])
        _ = loop.transports[0].send(Self.reset, at: loop.now)
        #expect(Self.wait(loop, 0) { !$0.isEmpty } == [.packet(Self.complete, comment: nil)])
        loop.close()
        #expect(loop.wait(until: loop.now).isEmpty)
    }
}
