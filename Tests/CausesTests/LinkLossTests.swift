import Bluetooth
import Bytes
import Captures
import Causes
import TestKit
import Testing

/// Connections on the air that end without LL_TERMINATE_IND.
struct LinkLossTests {
    /// Repeats the last packet, as a sender without an acknowledgement does, once in each connection event of 30 ms.
    private static func repeatLast(_ air: AirSession, _ count: Int) {
        guard let last = air.recording.packets.last else { return }
        let pace = air.recording.pace
        air.recording.pace = 30_000_000
        air.recording.wait(milliseconds: 30)
        for _ in 0..<count { air.recording.record(last.bytes, last.direction) }
        air.recording.pace = pace
    }

    /// Other devices are heard for some seconds.
    private static func goOn(_ air: AirSession, seconds: Int) {
        for _ in 0..<(2 * seconds) {
            air.recording.wait(milliseconds: 500)
            air.advertise(LinkCapture.other, [.completeLocalName("Other")])
        }
    }

    /// The central goes on alone for 450 ms; the supervision timeout is 420 ms.
    private static func vanish(_ air: AirSession, damaged: Bool = false) {
        let link = air.connect(LinkCapture.phone, to: LinkCapture.puck)
        link.read(Handle(0x000C), [1])
        if damaged { link.fate = .damaged }
        link.read(Handle(0x000C), [1])
        link.acknowledge(.sent)
        repeatLast(air, 14)
        goOn(air, seconds: 3)
    }

    @Test func thePeripheralFallsSilent() {
        let capture = LinkCapture.air { Self.vanish($0) }
        capture.expect("supervision_timeout", .certain, .disconnected)
        let considered = capture.incidents.first?.considered.map(\.cause) ?? []
        #expect(considered.contains("remote_power_off"))
        #expect(considered.contains("mic_failure"))
    }

    /// The capture ends with the timeout: the central's repetitions show that it heard nothing.
    @Test func theCaptureEndsWithTheTimeout() {
        LinkCapture.air { air in
            let link = air.connect(LinkCapture.phone, to: LinkCapture.puck)
            link.read(Handle(0x000C), [1])
            link.acknowledge(.sent)
            Self.repeatLast(air, 14)
        }.expect("supervision_timeout", .certain, .disconnected)
    }

    @Test func theCaptureEndsBeforeTheTimeout() {
        let capture = LinkCapture.air { air in
            let link = air.connect(LinkCapture.phone, to: LinkCapture.puck)
            link.read(Handle(0x000C), [1])
            link.acknowledge(.sent)
            Self.repeatLast(air, 8)
        }
        #expect(capture.incidents.isEmpty)
    }

    @Test func packetsAreMissingBefore() {
        LinkCapture.air { Self.vanish($0, damaged: true) }.expect("supervision_timeout", .likely, .disconnected)
    }

    @Test func bothSidesFallSilent() {
        LinkCapture.air { air in
            let link = air.connect(LinkCapture.phone, to: LinkCapture.puck)
            link.read(Handle(0x000C), [1])
            Self.goOn(air, seconds: 3)
        }.expect("supervision_timeout", .likely, .disconnected)
    }

    @Test func thePeripheralAdvertisesAfterTheTimeout() {
        let capture = LinkCapture.air { air in
            let link = air.connect(LinkCapture.phone, to: LinkCapture.puck)
            link.read(Handle(0x000C), [1])
            air.recording.wait(milliseconds: 500)
            air.advertise(LinkCapture.puck, [.completeLocalName("Puck")])
            Self.goOn(air, seconds: 2)
        }
        capture.expect("supervision_timeout", .likely, .disconnected)
        let against = capture.incidents.first?.considered.first { $0.cause == "remote_power_off" }?.against
        #expect(against?.contains("advertised again") == true)
    }

    /// It advertises before its timeout is over: it has received an LL_TERMINATE_IND, which the sniffer missed.
    @Test func thePeripheralAdvertisesAtOnce() {
        let capture = LinkCapture.air { air in
            let link = air.connect(LinkCapture.phone, to: LinkCapture.puck)
            link.read(Handle(0x000C), [1])
            air.recording.wait(milliseconds: 100)
            air.advertise(LinkCapture.puck, [.completeLocalName("Puck")])
            Self.goOn(air, seconds: 2)
        }
        #expect(capture.incidents.isEmpty)
    }

    /// The sniffer hears the central only, for longer than the central would wait.
    @Test func thePeripheralIsNotHeard() {
        let capture = LinkCapture.air { air in
            let link = air.connect(LinkCapture.phone, to: LinkCapture.puck)
            link.read(Handle(0x000C), [1])
            link.acknowledge(.sent)
            Self.repeatLast(air, 100)
            Self.goOn(air, seconds: 2)
        }
        #expect(capture.incidents.isEmpty)
    }

    // MARK: - Connections that were not established

    private static func connectUnanswered(_ air: AirSession, events: Int) {
        air.advertise(LinkCapture.puck, [.completeLocalName("Puck")])
        air.recording.wait(milliseconds: 1)
        let link = air.connect(LinkCapture.phone, to: LinkCapture.puck)
        air.recording.wait(milliseconds: 8)
        link.acknowledge(.sent)
        repeatLast(air, events - 1)
        goOn(air, seconds: 1)
    }

    @Test func thePeripheralDoesNotAnswer() {
        LinkCapture.air { Self.connectUnanswered($0, events: 6) }.expect(
            "connection_not_established", .certain, .notConnected)
    }

    @Test func fewPacketsAreHeard() {
        LinkCapture.air { Self.connectUnanswered($0, events: 2) }.expect(
            "connection_not_established", .likely, .notConnected)
    }

    /// The sniffer does not follow the connection.
    @Test func aConnectionIsNotFollowed() {
        let capture = LinkCapture.air { air in
            _ = air.connect(LinkCapture.phone, to: LinkCapture.puck)
            Self.goOn(air, seconds: 3)
            air.advertise(LinkCapture.puck, [.completeLocalName("Puck")])
        }
        #expect(capture.incidents.isEmpty)
    }

    private static func advertise(_ air: AirSession, to target: Address) {
        let payload = LL.DirectedAdvertising(advertiser: LinkCapture.puck.address, target: target).encoded
        air.advertising(
            LL.AdvertisingHeader(type: .advDirectInd, txAdd: .random, rxAdd: .random, length: payload.count), payload)
        air.recording.wait(milliseconds: 1)
    }

    /// The peripheral advertised to another central, and so ignores CONNECT_IND. A private address of that central is
    /// certain not to be the initiator's if the peripheral goes on afterwards.
    @Test(arguments: [
        (target: "c0:00:00:00:00:03", goesOn: false, confidence: Confidence.certain),
        (target: "c0:00:00:00:00:03", goesOn: true, confidence: .certain),
        (target: "40:00:00:00:00:03", goesOn: false, confidence: .likely),
        (target: "40:00:00:00:00:03", goesOn: true, confidence: .certain),
    ])
    func thePeripheralAdvertisedToAnother(_ row: (target: String, goesOn: Bool, confidence: Confidence)) throws {
        let target = try #require(Address(row.target))
        let capture = LinkCapture.air { air in
            Self.advertise(air, to: target)
            let link = air.connect(LinkCapture.phone, to: LinkCapture.puck)
            air.recording.wait(milliseconds: 8)
            link.acknowledge(.sent)
            Self.repeatLast(air, 5)
            Self.goOn(air, seconds: 1)
            if row.goesOn { Self.advertise(air, to: target) }
        }
        capture.expect("directed_elsewhere", row.confidence, .notConnected)
        #expect(capture.incidents.first?.considered.contains { $0.cause == "connection_not_established" } == true)
    }

    // MARK: - Instants

    @Test(arguments: [(instant: 2, cause: "instant_passed"), (instant: 60, cause: "supervision_timeout")])
    func aChangeOfChannelsPrecedesTheSilence(_ row: (instant: UInt16, cause: String)) {
        let capture = LinkCapture.air { air in
            let link = air.connect(LinkCapture.phone, to: LinkCapture.puck)
            for _ in 0..<10 { link.read(Handle(0x000C), [1]) }
            link.control(
                LL.ChannelMapInd(channelMap: ChannelMap(bits: 0x1F_FFFF_FFFF), instant: row.instant), .sent)
            Self.goOn(air, seconds: 2)
        }
        #expect(capture.incidents.map(\.cause) == [row.cause])
        #expect(capture.incidents.first?.confidence == .likely)
    }

    /// The peripheral does not acknowledge the change before its instant, in connection event 8 or so.
    @Test(arguments: [(instant: 8, cause: "instant_passed"), (instant: 60, cause: "supervision_timeout")])
    func aChangeIsRepeatedBeyondItsInstant(_ row: (instant: UInt16, cause: String)) {
        let capture = LinkCapture.air { air in
            let link = air.connect(LinkCapture.phone, to: LinkCapture.puck)
            link.read(Handle(0x000C), [1])
            link.control(
                LL.ChannelMapInd(channelMap: ChannelMap(bits: 0x1F_FFFF_FFFF), instant: row.instant), .sent)
            Self.repeatLast(air, 14)
        }
        #expect(capture.incidents.map(\.cause) == [row.cause])
    }

    // MARK: - Integrity checks

    /// Turns the last packet into one that fails its integrity check, as the sniffer's pseudo-header states.
    private static func failLast(_ air: AirSession) {
        guard let last = air.recording.packets.popLast() else { return }
        var bytes = last.bytes
        // Bit 13 of the flags, which are the last two bytes of the pseudo-header: MIC Valid.
        bytes[9] &= 0xDF
        air.recording.record(bytes, last.direction)
    }

    @Test func aPacketFailsItsCheck() {
        LinkCapture.air { air in
            let link = air.connect(LinkCapture.phone, to: LinkCapture.puck)
            link.decryption = .flagged
            link.encrypt()
            link.read(Handle(0x000C), [1])
            link.request(ATT.ReadRequest(handle: Handle(0x000E)))
            Self.failLast(air)
            Self.repeatLast(air, 14)
        }.expect("mic_failure", .certain, .disconnected)
    }

    /// Its sender goes on: the receiver has accepted what the sniffer has not.
    @Test func theReceiverAcceptsAPacketThatFailsItsCheck() {
        let capture = LinkCapture.air { air in
            let link = air.connect(LinkCapture.phone, to: LinkCapture.puck)
            link.decryption = .flagged
            link.encrypt()
            link.request(ATT.ReadRequest(handle: Handle(0x000E)))
            Self.failLast(air)
            link.respond(ATT.ReadResponse(value: [1]))
            link.read(Handle(0x000C), [1])
            link.acknowledge(.sent)
            Self.repeatLast(air, 14)
        }
        #expect(capture.incidents.map(\.cause) == ["supervision_timeout"])
    }
}
