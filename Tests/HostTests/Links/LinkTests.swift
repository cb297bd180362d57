import Bluetooth
import Bytes
import Host
import PDUTestKit
import Testing

@Test func framesAreCutToTheBuffersAndWaitForThem() {
    var queue = DataQueue(packetLength: 5, packetCount: 2)
    queue.add(hex("0700 0400 01020304050607"), to: 0x40)
    #expect(
        queue.takeSendable() == [hex("02 4000 0500 0700040001"), hex("02 4010 0500 0203040506")])
    #expect(queue.takeSendable() == [])
    #expect(queue.count(of: 0x40) == 1)
    queue.complete(1, of: 0x40)
    #expect(queue.takeSendable() == [hex("02 4010 0100 07")])
    #expect(queue.freeBuffers == 0)
    // Completions beyond the packets sent do not count.
    queue.complete(9, of: 0x40)
    queue.complete(9, of: 0x41)
    #expect(queue.freeBuffers == 2)
}

@Test func connectionsTakeTurnsAndGiveBuffersBack() {
    var queue = DataQueue(packetLength: 1, packetCount: 3)
    queue.add([1, 2, 3], to: 1)
    queue.add([4], to: 2)
    queue.add([], to: 3)
    #expect(queue.takeSendable().map { $0.last } == [1, 4, 2])
    queue.remove(1)
    #expect(queue.freeBuffers == 2)
    #expect(queue.takeSendable() == [])
    queue.add([5], to: 1)
    #expect(queue.takeSendable() == [hex("02 0100 0100 05")])
}

/// First fragments shorter than the header, one-byte fragments, too many bytes, too few bytes.
@Test(arguments: [
    (["a:0300", "c:0400 01", "c:02", "c:03"], "0004 010203"), (["a:03000400010203"], "0004 010203"),
    (["c:01", "a:0000 0600"], "0006 "), (["a:03000400010203ff"], ""),
    (["a:0300 0400 01", "a:0100 0500 07"], "0005 07"),
    (["a:03", "c:000400", "c:010203"], "0004 010203"), (["c:0300040001", "c:0203"], ""),
])
func fragmentsBecomeFrames(fragments: [String], frame: String) {
    var assembler = FrameAssembler()
    var frames: [String] = []
    for fragment in fragments {
        let boundary: HCI.PacketBoundary = fragment.hasPrefix("a") ? .firstFlushable : .continuing
        if let frame = assembler.add(hex(String(fragment.dropFirst(2))), boundary) {
            frames.append(
                hexText([UInt8(frame.channel.rawValue >> 8), UInt8(frame.channel.rawValue & 0xFF)]) + " "
                    + hexText(frame.payload))
        }
    }
    #expect(frames == (frame.isEmpty ? [] : [frame]))
}

/// The signaling channel of a central or a peripheral (L2CAP.TS).
private let scripts: [(HCI.Role, PDUScript)] = [
    (
        .central,
        PDUScript(
            "L2CAP/LE/CPU/BV-02-C", "a central grants a timing, and has the controller change it",
            """
            > 12 01 0800 1800 2800 0000 f401
            < 13 01 0200 0000
            = update 24 40 0 500
            """)
    ),
    (
        .central,
        PDUScript(
            "L2CAP/LE/CPU/BI-01-C", "a central refuses timings out of range",
            """
            > 12 01 0800 0500 2800 0000 f401
            < 13 01 0200 0100
            > 12 02 0800 1800 1700 0000 f401
            < 13 02 0200 0100
            > 12 03 0800 1800 810c 0000 800c
            < 13 03 0200 0100
            > 12 04 0800 1800 2800 f401 800c
            < 13 04 0200 0100
            > 12 05 0800 1800 2800 0000 0900
            < 13 05 0200 0100
            > 12 06 0800 9001 9001 0900 9001
            < 13 06 0200 0100
            """)
    ),
    (
        .peripheral,
        PDUScript(
            "L2CAP/LE/CPU/BI-02-C", "a peripheral does not understand a request for another timing",
            """
            > 12 01 0800 1800 2800 0000 f401
            < 01 01 0200 0000
            """)
    ),
    (
        .peripheral,
        PDUScript(
            "L2CAP/LE/CPU/BV-01-C", "a peripheral asks for another timing",
            """
            ! request
            < 12 01 0800 1800 2800 0000 f401
            ! request
            > 13 02 0200 0000
            > 13 01 0200 0000
            = granted
            ! request
            < 12 02 0800 1800 2800 0000 f401
            > 13 02 0200 0100
            = refused
            ! request
            < 12 03 0800 1800 2800 0000 f401
            > 01 03 0200 0000
            = no answer
            ! request
            < 12 04 0800 1800 2800 0000 f401
            ! wait 30
            = no answer
            """)
    ),
    (
        .central,
        PDUScript(
            "L2CAP/LE/REJ/BI-01-C", "what is not understood is rejected, responses are not",
            """
            > 77 05 0000
            < 01 05 0200 0000
            > 0a 06 0200 0200
            < 01 06 0200 0000
            > 12 07 0200 1800
            < 01 07 0200 0000
            > 0b 08 0400 02000000
            > 01 09 0200 0000
            > 16 0a 0400 40000100
            > 77 00 0000
            > 77
            """)
    ),
    (
        .central,
        PDUScript(
            "L2CAP/LE/REJ/BI-02-C", "a command that is too long is rejected with the MTU",
            """
            > 08 05 1400 000102030405060708090a0b0c0d0e0f10111213
            < 01 05 0400 0100 1700
            """)
    ),
    (
        .peripheral,
        PDUScript(
            "L2CAP/LE/CFC/BV-16-C", "a credit-based channel is refused: no protocol here uses one",
            """
            > 14 05 0a00 8000 4000 1700 1700 0100
            < 15 05 0a00 0000 0000 0000 0000 0200
            """)
    ),
]

@Test(arguments: scripts)
func signalingFollowsItsScripts(role: HCI.Role, script: PDUScript) {
    var channel = SignalingChannel(role: role)
    var now = Timestamp(nanoseconds: 0)
    script.run { line in
        let actions: [SignalingChannel.Action]
        if line.hasPrefix(">") {
            actions = channel.handle(hex(String(line.dropFirst())))
        } else if line == "! request" {
            actions = channel.requestUpdate(
                HCI.ConnectionTiming(intervalMin: 24, intervalMax: 40, supervisionTimeout: 500), at: now)
        } else {
            now = now + .seconds(30)
            actions = channel.tick(at: now)
        }
        return actions.map { action in
            switch action {
            case .send(let command): "< " + hexText(command)
            case .update(let timing):
                "= update \(timing.intervalMin) \(timing.intervalMax) \(timing.maxLatency) \(timing.supervisionTimeout)"
            case .answered(let isGranted):
                isGranted.map { $0 ? "= granted" : "= refused" } ?? "= no answer"
            }
        }
    }
}
