import Bluetooth
import Bytes
import Captures
import Causes
import TestKit
import Testing

/// Data that waits: for a controller's buffers, or for the credits of a channel.
struct LinkStallTests {
    // MARK: - Buffers

    private static func buffers(_ session: HCISession, _ count: UInt8) {
        session.run(HCI.LEReadBufferSize(), returning: [0, 27, 0, count])
    }

    private static func complete(_ link: HCILink, _ count: UInt16) {
        link.session.event(HCI.NumberOfCompletedPackets(entries: [.init(handle: link.handle, count: count)]))
    }

    @Test func theControllerKeepsItsBuffers() {
        LinkCapture.host { session in
            Self.buffers(session, 2)
            let link = session.connect(to: LinkCapture.puck)
            link.writeCommand(Handle(0x000C), [1])
            Self.complete(link, 1)
            link.writeCommand(Handle(0x000C), [2])
            link.writeCommand(Handle(0x000C), [3])
            session.recording.wait(milliseconds: 8000)
            link.notify(Handle(0x000E), [1])
        }.expect("acl_buffers_stuck", .certain, .dataStalled)
    }

    /// The capture ends soon: the first packet has waited for longer than those before, or not.
    @Test(arguments: [(delay: 5, isStuck: true), (delay: 400, isStuck: false)])
    func theCaptureEndsWithFullBuffers(_ row: (delay: Int64, isStuck: Bool)) {
        let capture = LinkCapture.host { session in
            Self.buffers(session, 2)
            let link = session.connect(to: LinkCapture.puck)
            link.writeCommand(Handle(0x000C), [1])
            session.recording.wait(milliseconds: row.delay)
            Self.complete(link, 1)
            link.writeCommand(Handle(0x000C), [2])
            session.recording.wait(milliseconds: 200)
            link.writeCommand(Handle(0x000C), [3])
        }
        #expect(capture.incidents.map(\.cause) == (row.isStuck ? ["acl_buffers_stuck"] : []))
        #expect(capture.incidents.allSatisfy { $0.confidence == .possible })
    }

    /// The number of buffers is not known.
    @Test func theNumberOfBuffersIsUnknown() {
        LinkCapture.host { session in
            let link = session.connect(to: LinkCapture.puck)
            link.writeCommand(Handle(0x000C), [1])
            Self.complete(link, 1)
            for value in 2...5 as ClosedRange<UInt8> { link.writeCommand(Handle(0x000C), [value]) }
            session.recording.wait(milliseconds: 12_000)
            link.notify(Handle(0x000E), [1])
        }.expect("acl_buffers_stuck", .likely, .dataStalled)
    }

    /// Free buffers, completed packets, a log without completions, and a connection that was lost in between.
    @Test func buffersThatAreFreed() {
        let free = LinkCapture.host { session in
            Self.buffers(session, 4)
            let link = session.connect(to: LinkCapture.puck)
            link.writeCommand(Handle(0x000C), [1])
            Self.complete(link, 1)
            link.writeCommand(Handle(0x000C), [2])
            session.recording.wait(milliseconds: 8000)
            link.notify(Handle(0x000E), [1])
        }
        let late = LinkCapture.host { session in
            Self.buffers(session, 1)
            let link = session.connect(to: LinkCapture.puck)
            link.writeCommand(Handle(0x000C), [1])
            session.recording.wait(milliseconds: 8000)
            Self.complete(link, 1)
        }
        let silent = LinkCapture.host { session in
            Self.buffers(session, 2)
            let link = session.connect(to: LinkCapture.puck)
            for _ in 0..<4 { link.read(Handle(0x000C), [1]) }
            session.recording.wait(milliseconds: 8000)
            link.notify(Handle(0x000E), [1])
        }
        #expect([free, late, silent].allSatisfy { $0.incidents.isEmpty })
    }

    @Test func aLostConnectionFreesBuffers() {
        LinkCapture.host { session in
            Self.buffers(session, 1)
            let link = session.connect(to: LinkCapture.puck)
            link.writeCommand(Handle(0x000C), [1])
            Self.complete(link, 1)
            link.writeCommand(Handle(0x000C), [2])
            session.recording.wait(milliseconds: 420)
            link.disconnect(reason: .connectionTimeout)
        }.expect("supervision_timeout", .certain, .disconnected)
    }

    // MARK: - Credits

    /// Opens a channel: the peer receives on 0x0041 with an MTU of 100 bytes, an MPS of 23 and these credits.
    private static func open(_ link: some ScriptedLink, credits: UInt16) {
        link.signal(
            L2CAP.LECreditBasedConnectionRequest(
                spsm: L2CAP.SPSM(rawValue: 0x0080), source: L2CAP.ChannelID(rawValue: 0x0040), mtu: 100, mps: 23,
                initialCredits: 10), identifier: 1, .sent)
        link.signal(
            L2CAP.LECreditBasedConnectionResponse(
                destination: L2CAP.ChannelID(rawValue: 0x0041), mtu: 100, mps: 23, initialCredits: credits,
                result: .successful), identifier: 1, .received)
    }

    /// Sends an SDU of one K-frame, or the first one of an SDU that needs two.
    private static func send(_ link: some ScriptedLink, of count: UInt8 = 4) {
        let part = [UInt8](repeating: 0xAA, count: Int(min(count, 21)))
        link.carry([count, 0] + part, on: L2CAP.ChannelID(rawValue: 0x0041), .sent)
    }

    private static func giveCredits(_ link: some ScriptedLink) {
        link.signal(
            L2CAP.FlowControlCredit(cid: L2CAP.ChannelID(rawValue: 0x0041), credits: 2), identifier: 2, .received)
    }

    @Test func anSDULacksACredit() {
        LinkCapture.host { session in
            let link = session.connect(to: LinkCapture.puck)
            Self.open(link, credits: 2)
            Self.send(link)
            Self.send(link, of: 40)
            session.recording.wait(milliseconds: 8000)
            link.notify(Handle(0x000E), [1])
        }.expect("credits_exhausted", .certain, .dataStalled)
    }

    @Test func theCaptureEndsWithinAnSDU() {
        LinkCapture.host { session in
            let link = session.connect(to: LinkCapture.puck)
            Self.open(link, credits: 1)
            Self.send(link, of: 40)
        }.expect("credits_exhausted", .possible, .dataStalled)
    }

    @Test func anSDUOnTheAirLacksACredit() {
        LinkCapture.air { air in
            let link = air.connect(LinkCapture.phone, to: LinkCapture.puck)
            Self.open(link, credits: 1)
            Self.send(link, of: 40)
            link.idle(seconds: 4)
        }.expect("credits_exhausted", .certain, .dataStalled)
    }

    @Test func aWholeSDUUsesTheLastCredit() {
        LinkCapture.host { session in
            let link = session.connect(to: LinkCapture.puck)
            Self.open(link, credits: 1)
            Self.send(link)
            session.recording.wait(milliseconds: 8000)
            link.notify(Handle(0x000E), [1])
        }.expect("credits_exhausted", .likely, .dataStalled)
    }

    @Test func creditsFollow() {
        let capture = LinkCapture.host { session in
            let link = session.connect(to: LinkCapture.puck)
            Self.open(link, credits: 1)
            Self.send(link)
            Self.giveCredits(link)
            session.recording.wait(milliseconds: 8000)
            Self.send(link)
            link.notify(Handle(0x000E), [1])
        }
        #expect(capture.incidents.isEmpty)
    }
}
