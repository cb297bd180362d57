import Bluetooth
import Bytes
import Captures
import Causes
import Conversation
import TestKit
import Testing

/// The incidents of a scripted capture.
struct LinkCapture {
    let incidents: [Incident]

    static let puck = DeviceAddress(Address("c0:00:00:00:00:01")!, .random)
    static let other = DeviceAddress(Address("c0:00:00:00:00:03")!, .random)
    static let phone = DeviceAddress(Address("00:1b:dc:00:00:02")!, .public)

    init(_ recording: Recording) {
        let tracker = ConversationTracker(.none)
        let analysis = CauseAnalysis(.none)
        var batch = TrackedBatch()
        batch.fill(recording.batch)
        tracker.follow(&batch)
        analysis.add(batch)
        analysis.finish()
        incidents = analysis.takeIncidents()
    }

    /// A capture of a host's log.
    static func host(_ script: (HCISession) -> Void) -> LinkCapture {
        let session = HCISession()
        script(session)
        return LinkCapture(session.recording)
    }

    /// A capture of a sniffer on the air.
    static func air(_ script: (AirSession) -> Void) -> LinkCapture {
        let session = AirSession()
        session.hasExactTimes = true
        script(session)
        return LinkCapture(session.recording)
    }

    /// Expects one incident.
    func expect(
        _ cause: String?, _ confidence: Confidence?, _ what: Failure.Kind,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(incidents.map(\.cause) == [cause], sourceLocation: sourceLocation)
        #expect(incidents.first?.confidence == confidence, sourceLocation: sourceLocation)
        #expect(incidents.first?.what == what, sourceLocation: sourceLocation)
    }
}

/// Causes that the reason of a disconnection names, in a host's log and on the air.
struct LinkCauseTests {
    struct Reason: Sendable, CustomTestStringConvertible {
        var reason: UInt8
        var cause: String
        var what = Failure.Kind.disconnected
        var testDescription: String { cause }
    }

    static let reasons = [
        Reason(reason: 0x08, cause: "supervision_timeout"),
        Reason(reason: 0x14, cause: "remote_low_resources"),
        Reason(reason: 0x15, cause: "remote_power_off"),
        Reason(reason: 0x28, cause: "instant_passed"),
        Reason(reason: 0x3B, cause: "unacceptable_parameters"),
        Reason(reason: 0x3D, cause: "mic_failure"),
        Reason(reason: 0x3E, cause: "connection_not_established", what: .notConnected),
        Reason(reason: 0x09, cause: "controller_limit"),
    ]

    @Test(arguments: reasons)
    func aReasonNamesItsCause(_ reason: Reason) {
        LinkCapture.host { session in
            let link = session.connect(to: LinkCapture.puck)
            link.read(Handle(0x000C), [1])
            link.disconnect(reason: HCI.ErrorCode(rawValue: reason.reason))
        }.expect(reason.cause, .certain, reason.what)
    }

    /// The reason stays certain where the recorder lost packets.
    @Test(arguments: reasons)
    func aGapDoesNotChangeAReason(_ reason: Reason) {
        LinkCapture.host { session in
            let link = session.connect(to: LinkCapture.puck)
            link.read(Handle(0x000C), [1])
            link.notify(Handle(0x000C), [1, 2, 3])
            session.recording.cutLast(to: 8)
            link.disconnect(reason: HCI.ErrorCode(rawValue: reason.reason))
        }.expect(reason.cause, .certain, reason.what)
    }

    @Test(arguments: [
        Reason(reason: 0x14, cause: "remote_low_resources"), Reason(reason: 0x15, cause: "remote_power_off"),
        Reason(reason: 0x3B, cause: "unacceptable_parameters"),
    ])
    func aReasonOnTheAirNamesItsCause(_ reason: Reason) {
        let capture = LinkCapture.air { air in
            let link = air.connect(LinkCapture.phone, to: LinkCapture.puck)
            link.read(Handle(0x000C), [1])
            link.disconnect(.received, reason: ControllerError(rawValue: reason.reason))
        }
        capture.expect(reason.cause, .certain, reason.what)
        if reason.reason != 0x3B { #expect(capture.incidents.first?.text.hasPrefix("the peripheral") == true) }
    }

    // MARK: - Orderly ends

    @Test(arguments: [0x13, 0x16] as [UInt8])
    func aCompleteSessionHasNoIncident(_ reason: UInt8) {
        let capture = LinkCapture.host { session in
            let link = session.connect(to: LinkCapture.puck)
            link.exchangeMTU(client: 517, server: 247)
            link.read(Handle(0x000C), [1])
            link.notify(Handle(0x000C), [1])
            if reason == 0x16 {
                session.command(
                    HCI.Disconnect(handle: link.handle, reason: HCI.ErrorCode.remoteUserTerminatedConnection))
            }
            link.disconnect(reason: HCI.ErrorCode(rawValue: reason))
        }
        #expect(capture.incidents.isEmpty)
    }

    @Test(arguments: [.sent, .received] as [Direction])
    func aCompleteSessionOnTheAirHasNoIncident(_ side: Direction) {
        let capture = LinkCapture.air { air in
            air.advertise(LinkCapture.puck, [.completeLocalName("Puck")])
            let link = air.connect(LinkCapture.phone, to: LinkCapture.puck)
            link.read(Handle(0x000C), [1])
            link.idle(seconds: 2)
            link.disconnect(side)
            air.advertise(LinkCapture.puck, [.completeLocalName("Puck")])
        }
        #expect(capture.incidents.isEmpty)
    }

    @Test func aCaptureThatEndsInTheMiddleHasNoIncident() {
        let host = LinkCapture.host { session in
            let link = session.connect(to: LinkCapture.puck)
            link.request(ATT.ReadRequest(handle: Handle(0x000C)))
        }
        let air = LinkCapture.air { air in
            let link = air.connect(LinkCapture.phone, to: LinkCapture.puck)
            link.request(ATT.ReadRequest(handle: Handle(0x000C)))
        }
        #expect(host.incidents.isEmpty)
        #expect(air.incidents.isEmpty)
    }

    // MARK: - Ends with something left to do

    @Test func theRemoteSideLeavesARequestUnanswered() {
        let capture = LinkCapture.host { session in
            let link = session.connect(to: LinkCapture.puck)
            link.read(Handle(0x000C), [1])
            link.request(ATT.ReadRequest(handle: Handle(0x000E)))
            link.disconnect()
        }
        capture.expect("remote_user_terminated", .certain, .disconnected)
        #expect(capture.incidents.first?.text.contains("frame 4") == true)
    }

    @Test func theHostEndsAPairing() {
        LinkCapture.host { session in
            let link = session.connect(to: LinkCapture.puck)
            link.carry([0x01, 0x03, 0x00, 0x01, 0x10, 0x03, 0x03], on: .smp, .sent)
            link.carry([0x02, 0x03, 0x00, 0x01, 0x10, 0x03, 0x03], on: .smp, .received)
            session.command(HCI.Disconnect(handle: link.handle, reason: .remoteUserTerminatedConnection))
            link.disconnect(reason: .connectionTerminatedByLocalHost)
        }.expectCause("local_host_terminated", of: .disconnected)
    }

    @Test func theHostEndsAConnectionAtOnce() {
        LinkCapture.host { session in
            let link = session.connect(to: LinkCapture.puck)
            session.command(HCI.Disconnect(handle: link.handle, reason: .remoteUserTerminatedConnection))
            link.disconnect(reason: .connectionTerminatedByLocalHost)
        }.expect("local_host_terminated", .likely, .disconnected)
    }

    /// Without the host's Disconnect, the controller may have ended it.
    @Test func theCommandIsMissing() {
        LinkCapture.host { session in
            let link = session.connect(to: LinkCapture.puck)
            link.request(ATT.ReadRequest(handle: Handle(0x000E)))
            link.disconnect(reason: .connectionTerminatedByLocalHost)
        }.expect("local_host_terminated", .likely, .disconnected)
    }

    @Test func thePeripheralEndsAConnectionOnTheAir() {
        LinkCapture.air { air in
            let link = air.connect(LinkCapture.phone, to: LinkCapture.puck)
            link.request(ATT.ReadRequest(handle: Handle(0x000E)))
            link.disconnect(.received)
        }.expect("remote_user_terminated", .certain, .disconnected)
    }

    /// What is missing before the request does not matter.
    @Test func aGapPrecedesTheRequest() {
        LinkCapture.host { session in
            let link = session.connect(to: LinkCapture.puck)
            link.read(Handle(0x000C), [1])
            link.notify(Handle(0x000C), [1, 2, 3])
            session.recording.cutLast(to: 8)
            link.request(ATT.ReadRequest(handle: Handle(0x000E)))
            link.disconnect()
        }.expect("remote_user_terminated", .certain, .disconnected)
    }

    /// The response may be the packet that is missing.
    @Test func aGapHidesWhatWasLeft() {
        let capture = LinkCapture.host { session in
            let link = session.connect(to: LinkCapture.puck)
            link.request(ATT.ReadRequest(handle: Handle(0x000E)))
            link.notify(Handle(0x000C), [1, 2, 3])
            session.recording.cutLast(to: 8)
            link.disconnect()
        }
        #expect(capture.incidents.isEmpty)
    }
}

extension LinkCapture {
    /// Expects an incident of a kind to have a cause, where the failure has other aspects too.
    func expectCause(
        _ cause: String, of what: Failure.Kind, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let causes = incidents.filter { $0.what == what }.map(\.cause)
        // Pairing that ends with the connection is a failure of its own, from which the end follows.
        if causes.isEmpty, incidents.contains(where: { $0.what == .pairingFailed }) { return }
        #expect(causes == [cause], sourceLocation: sourceLocation)
    }
}
