import Bytes
import Captures
import Testing
import Transports

/// A transport with scripted input, which then closes.
private final class ScriptedLink: Transport {
    let name: String
    private var events: [TransportEvent]
    private let last: TransportEvent?
    private(set) var sent: [[UInt8]] = []

    init(_ name: String, _ packets: [[UInt8]], closes: Bool) {
        self.name = name
        events = packets.map { .packet($0, comment: nil) }
        last = closes ? .closed("the other end has closed") : nil
    }

    var interests: [Interest] { [] }
    var nextEvent: Timestamp? { Timestamp(nanoseconds: .min) }

    /// Returns one event at a time, so that two links alternate.
    func advance(_ ready: [Readiness], to now: Timestamp) -> [TransportEvent] {
        if !events.isEmpty { return [events.removeFirst()] }
        return last.map { [$0] } ?? []
    }

    func send(_ packet: [UInt8], at now: Timestamp) -> [TransportEvent] {
        sent.append(packet)
        return []
    }

    func close() {}
}

/// All output of a capture until it ends.
private func capture(
    _ capture: any LiveCapture
) throws -> (packets: [CapturedPacket], bytes: [[UInt8]], reported: [String]) {
    var packets: [CapturedPacket] = []
    var bytes: [[UInt8]] = []
    var reported: [String] = []
    try capture.run(
        CaptureSink(
            take: { batch in
                packets += batch.packets
                bytes += batch.packets.map { Array(batch.bytes(of: $0)) }
                return true
            }, report: { reported.append($0) }))
    return (packets, bytes, reported)
}

private let commands: [[UInt8]] = [[1, 0x03, 0x0C, 0], [2, 0x40, 0, 4, 0, 0, 0, 4, 0], [1, 0x01, 0x10, 0]]
private let events: [[UInt8]] = [[4, 0x0E, 4, 1, 3, 12, 0], [2, 0x40, 0x20, 4, 0, 0, 0, 4, 0]]

/// Links that are only captured.
@Suite struct LinkCaptureTests {
    @Test func whatComesInIsCapturedAndNothingIsSent() throws {
        let link = ScriptedLink("wire", commands, closes: true)
        let outcome = try capture(LinkCapture(link))
        #expect(outcome.bytes == commands)
        #expect(outcome.packets.map(\.number) == [1, 2, 3])
        #expect(outcome.reported == ["wire: the other end has closed"])
        #expect(link.sent.isEmpty)
    }
}

/// A proxy between a host and a controller.
@Suite struct ProxyCaptureTests {
    @Test func bytesPassUnchangedBothWays() throws {
        let host = ScriptedLink("host", commands, closes: true)
        let controller = ScriptedLink("controller", events, closes: false)
        let outcome = try capture(ProxyCapture(host: host, controller: controller))
        #expect(controller.sent == commands)
        #expect(host.sent == events)
        #expect(outcome.bytes == [commands[0], events[0], commands[1], events[1], commands[2]])
        #expect(outcome.packets.map(\.direction) == [.sent, .received, .sent, .received, .sent])
    }

    @Test func harmIsDoneWhereItIsAskedForAndTold() throws {
        let host = ScriptedLink("host", commands, closes: true)
        let controller = ScriptedLink("controller", events, closes: false)
        guard case .fault(let plan, _) = try TransportSpec("fault(drop=100%,only=sent,radio:)") else { return }
        let outcome = try capture(ProxyCapture(host: host, controller: FaultTransport(controller, plan)))
        #expect(controller.sent.isEmpty)
        #expect(host.sent == events)
        #expect(outcome.bytes.filter { $0[0] == 1 }.count == 2)
        #expect(outcome.reported.first == "controller: fault: dropped, sent: 01 03 0c 00")
        #expect(outcome.packets[0].comment >= 0)
    }

    @Test func itEndsWhenTheControllerIsGone() throws {
        let host = ScriptedLink("host", [], closes: false)
        let controller = ScriptedLink("controller", [], closes: true)
        let outcome = try capture(ProxyCapture(host: host, controller: controller))
        #expect(outcome.reported == ["controller: the other end has closed"])
    }
}
