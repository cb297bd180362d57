import Bluetooth
import Bytes
import Captures
import Causes
import PDUTestKit
import TestKit
import Testing

/// Attempts to connect that end without a connection, and commands that a controller refuses.
struct LinkAttemptTests {
    private static let puck = LinkCapture.puck
    private static let timing = HCI.ConnectionTiming(intervalMin: 24, intervalMax: 40, supervisionTimeout: 42)

    /// LE Create Connection to a device, or to those on the filter accept list.
    private static func create(
        _ session: HCISession, to device: DeviceAddress? = puck, status: HCI.ErrorCode = .success
    ) {
        session.command(
            HCI.LECreateConnection(
                scanInterval: 96, scanWindow: 48, filterPolicy: device == nil ? 1 : 0,
                peerType: HCI.AddressType(rawValue: device?.kind.rawValue ?? 0),
                peer: device?.address ?? Address(value: 0), ownType: .publicDevice, timing: timing))
        session.event(HCI.CommandStatus(status: status, opcode: .leCreateConnection))
    }

    /// The host cancels after a while.
    private static func cancel(_ session: HCISession, after seconds: Int64 = 10) {
        session.recording.wait(milliseconds: 1000 * seconds)
        session.run(HCI.LECreateConnectionCancel())
        complete(session, .unknownConnectionIdentifier)
    }

    private static func complete(_ session: HCISession, _ status: HCI.ErrorCode, role: HCI.Role = .central) {
        session.event(
            HCI.LEConnectionComplete(
                status: status, handle: ConnectionHandle(0), role: role, peerType: .randomDevice, peer: puck.address,
                interval: 0, latency: 0, supervisionTimeout: 0))
    }

    private static func scan(_ session: HCISession, _ isOn: Bool) {
        session.run(HCI.LESetScanEnable(enable: isOn, filterDuplicates: false))
    }

    // MARK: - Statuses

    @Test(arguments: [
        (0x3E, "connection_not_established"), (0x09, "controller_limit"), (0x3B, "unacceptable_parameters"),
    ])
    func aStatusNamesItsCause(_ status: UInt8, _ cause: String) {
        LinkCapture.host { session in
            Self.create(session)
            Self.complete(session, HCI.ErrorCode(rawValue: status))
        }.expect(cause, .certain, .notConnected)
    }

    @Test(arguments: [(0x0C, "command_refused"), (0x12, "command_refused"), (0x09, "controller_limit")])
    func theCommandIsRefused(_ status: UInt8, _ cause: String) {
        LinkCapture.host { session in
            Self.create(session, status: HCI.ErrorCode(rawValue: status))
        }.expect(cause, .certain, .notConnected)
    }

    @Test func directedAdvertisingTimesOut() {
        LinkCapture.host { session in
            session.run(HCI.LESetAdvertisingEnable(enable: true))
            Self.complete(session, .advertisingTimeout, role: .peripheral)
        }.expect("advertising_stopped", .certain, .notConnected)
    }

    /// LE Set Extended Advertising Parameters and Enable of set 1, and LE Advertising Set Terminated.
    private static func advertise(_ session: HCISession, properties: UInt8) {
        session.command([0x36, 0x20, 0x19, 0x01, properties] + [UInt8](repeating: 0, count: 23))
        session.event(
            HCI.CommandComplete(opcode: .leSetExtendedAdvertisingParameters, returnParameters: [0x00, 0x00]))
        session.command([0x39, 0x20, 0x06, 0x01, 0x01, 0x01, 0xF4, 0x01, 0x00])
        session.event(HCI.CommandComplete(opcode: .leSetExtendedAdvertisingEnable, returnParameters: [0x00]))
    }

    /// A beacon's end is none of a connection; a host may go on with other intervals.
    @Test(arguments: [
        (properties: 0x13, goesOn: false, isFailure: true), (properties: 0x13, goesOn: true, isFailure: false),
        (properties: 0x10, goesOn: false, isFailure: false),
    ])
    func anAdvertisingSetTimesOut(_ row: (properties: UInt8, goesOn: Bool, isFailure: Bool)) {
        let capture = LinkCapture.host { session in
            Self.advertise(session, properties: row.properties)
            session.recording.wait(milliseconds: 5000)
            session.event([0x3E, 0x06, 0x12, 0x3C, 0x01, 0x00, 0x00, 0x00])
            if row.goesOn { Self.advertise(session, properties: row.properties) }
        }
        if row.isFailure {
            capture.expect("advertising_stopped", .certain, .notConnected)
        } else {
            #expect(capture.incidents.isEmpty)
        }
    }

    // MARK: - Cancelled attempts

    @Test func theDeviceIsNotHeard() {
        let capture = LinkCapture.host { session in
            Self.scan(session, true)
            session.recording.wait(milliseconds: 5000)
            session.report(LinkCapture.other, [])
            Self.scan(session, false)
            Self.create(session)
            Self.cancel(session)
        }
        capture.expect("never_heard", .likely, .notConnected)
        #expect(capture.incidents.first?.connection == nil)
    }

    @Test func theDeviceStoppedAdvertising() {
        let capture = LinkCapture.host { session in
            Self.scan(session, true)
            session.report(Self.puck, [])
            Self.scan(session, false)
            Self.create(session)
            Self.cancel(session)
        }
        capture.expect("advertising_stopped", .likely, .notConnected)
        let against = capture.incidents.first?.considered.first { $0.cause == "never_heard" }?.against
        #expect(against?.contains("frame 3") == true)
    }

    /// The log of the device's own host is part of the capture.
    @Test(arguments: [true, false])
    func theDevicesOwnLogShowsIt(_ hasAdvertised: Bool) {
        let recording = Recording(.hci)
        let (phone, device) = (HCISession(recording), HCISession(recording, adapter: 1))
        device.run(HCI.LESetRandomAddress(address: Self.puck.address))
        if hasAdvertised {
            device.run(HCI.LESetAdvertisingEnable(enable: true))
            device.run(HCI.LESetAdvertisingEnable(enable: false))
        }
        Self.create(phone)
        Self.cancel(phone)
        LinkCapture(recording).expect(hasAdvertised ? "advertising_stopped" : "never_heard", .certain, .notConnected)
    }

    @Test func theDeviceAcceptsOthersOnly() {
        let recording = Recording(.hci)
        let (phone, device) = (HCISession(recording), HCISession(recording, adapter: 1))
        phone.readAddress(LinkCapture.phone.address)
        device.reset()
        device.run(HCI.LESetRandomAddress(address: Self.puck.address))
        device.run(
            HCI.LESetAdvertisingParameters(
                intervalMin: 160, intervalMax: 160, ownType: .randomDevice, filterPolicy: 2))
        device.run(HCI.LESetAdvertisingEnable(enable: true))
        Self.create(phone)
        Self.complete(phone, .connectionFailedToBeEstablished)
        LinkCapture(recording).expect("filter_excluded", .certain, .notConnected)
    }

    @Test func theAcceptListIsEmpty() {
        LinkCapture.host { session in
            session.reset()
            Self.create(session, to: nil)
            Self.cancel(session)
        }.expect("filter_excluded", .certain, .notConnected)
    }

    @Test func theDeviceIsNotOnTheAcceptList() {
        LinkCapture.host { session in
            session.reset()
            session.command([0x11, 0x20, 0x07, 0x01] + ByteWriter.bytes { $0.write(LinkCapture.other.address) })
            session.event(HCI.CommandComplete(opcode: HCI.Opcode(rawValue: 0x2011), returnParameters: [0]))
            session.report(Self.puck, [])
            Self.create(session, to: nil)
            Self.cancel(session)
        }.expect("filter_excluded", .likely, .notConnected)
    }

    /// LE Add Device To and LE Remove Device From Filter Accept List.
    private static func list(_ session: HCISession, _ opcode: UInt8, _ kind: UInt8, _ device: DeviceAddress) {
        session.command([opcode, 0x20, 0x07, kind] + ByteWriter.bytes { $0.write(device.address) })
        session.event(
            HCI.CommandComplete(opcode: HCI.Opcode(rawValue: 0x2000 | UInt16(opcode)), returnParameters: [0]))
    }

    @Test func theAddressOnTheAcceptListHasAnotherType() {
        LinkCapture.host { session in
            session.reset()
            session.report(Self.puck, [])
            Self.list(session, 0x11, 0, Self.puck)
            Self.create(session, to: nil)
            Self.cancel(session)
            session.report(Self.puck, [])
        }.expect("filter_excluded", .certain, .notConnected)
    }

    @Test func theDeviceWasRemovedFromTheAcceptList() {
        LinkCapture.host { session in
            session.reset()
            session.report(Self.puck, [])
            session.report(LinkCapture.other, [])
            Self.list(session, 0x11, 1, Self.puck)
            Self.list(session, 0x11, 1, LinkCapture.other)
            Self.list(session, 0x12, 1, Self.puck)
            Self.create(session, to: nil)
            Self.cancel(session)
            session.report(Self.puck, [])
        }.expect("filter_excluded", .certain, .notConnected)
    }

    /// The host fills the list for this attempt: it is none in the background.
    @Test func theAcceptListIsFilledWithOthers() {
        let third = DeviceAddress(Address("c0:00:00:00:00:05")!, .random)
        LinkCapture.host { session in
            session.reset()
            session.report(Self.puck, [])
            session.command([0x10, 0x20, 0x00])
            session.event(HCI.CommandComplete(opcode: HCI.Opcode(rawValue: 0x2010), returnParameters: [0]))
            Self.list(session, 0x11, 1, LinkCapture.other)
            Self.list(session, 0x11, 1, third)
            Self.create(session, to: nil)
            Self.cancel(session)
            session.report(Self.puck, [])
        }.expect("filter_excluded", .likely, .notConnected)
    }

    @Test func theDeviceAdvertisesToAnother() {
        LinkCapture.host { session in
            session.readAddress(LinkCapture.phone.address)
            session.event(
                HCI.LEExtendedAdvertisingReport(reports: [
                    .init(
                        eventType: 0x15, addressType: .randomDevice, address: Self.puck.address, rssi: -60,
                        directType: .randomDevice, direct: LinkCapture.other.address, data: [])
                ]))
            Self.create(session)
            Self.cancel(session)
        }.expect("directed_elsewhere", .certain, .notConnected)
    }

    // MARK: - Attempts that are no failures

    @Test func anAttemptThatGoesOnSucceeds() {
        let capture = LinkCapture.host { session in
            Self.create(session)
            Self.cancel(session)
            Self.create(session)
            session.connect(to: Self.puck).read(Handle(0x000C), [1])
        }
        #expect(capture.incidents.isEmpty)
    }

    /// The cancellation comes too late: the flow handles that it is refused.
    @Test func aCancellationCrossesTheConnection() {
        let capture = LinkCapture.host { session in
            Self.create(session)
            session.command(HCI.LECreateConnectionCancel())
            let link = session.connect(to: Self.puck)
            session.event(HCI.CommandComplete(opcode: .leCreateConnectionCancel, returnParameters: [0x0C]))
            link.read(Handle(0x000C), [1])
        }
        #expect(capture.incidents.isEmpty)
    }

    /// Hosts connect in the background to devices on a list that others are on, too.
    @Test func anAttemptInTheBackgroundIsPaused() {
        let capture = LinkCapture.host { session in
            session.reset()
            for device in [Self.puck, LinkCapture.other] {
                session.command([0x11, 0x20, 0x07, 0x01] + ByteWriter.bytes { $0.write(device.address) })
                session.event(HCI.CommandComplete(opcode: HCI.Opcode(rawValue: 0x2011), returnParameters: [0]))
            }
            Self.create(session, to: nil)
            Self.cancel(session)
            session.recording.wait(milliseconds: 5000)
            Self.scan(session, true)
        }
        #expect(capture.incidents.isEmpty)
    }

    @Test func aResetEndsAttempts() {
        let capture = LinkCapture.host { session in
            Self.create(session)
            Self.cancel(session)
            session.reset()
        }
        #expect(capture.incidents.isEmpty)
    }

    @Test func anAttemptGoesOnWhenTheCaptureEnds() {
        let capture = LinkCapture.host { session in
            Self.scan(session, true)
            session.report(Self.puck, [])
            Self.scan(session, false)
            Self.create(session)
        }
        #expect(capture.incidents.isEmpty)
    }

    // MARK: - Commands

    @Test(arguments: [(0x0C, "command_refused"), (0x12, "command_refused"), (0x07, "controller_limit")])
    func aCommandIsRefused(_ status: UInt8, _ cause: String) {
        LinkCapture.host { session in
            session.run(HCI.LESetAdvertisingEnable(enable: true), returning: [status])
        }.expect(cause, .certain, .commandFailed)
    }

    /// The controller does not know a command that advertising depends on, unless the host has another way.
    @Test(arguments: [false, true])
    func aCommandIsUnknown(_ hasAlternative: Bool) {
        let capture = LinkCapture.host { session in
            // LE Set Extended Advertising Enable: one set, without a limit.
            session.command([0x39, 0x20, 0x06, 0x01, 0x01, 0x00, 0x00, 0x00, 0x00])
            session.event(
                HCI.CommandComplete(opcode: .leSetExtendedAdvertisingEnable, returnParameters: [0x01]))
            if hasAlternative { session.run(HCI.LESetAdvertisingEnable(enable: true)) }
        }
        if hasAlternative {
            #expect(capture.incidents.isEmpty)
        } else {
            capture.expect("command_refused", .certain, .commandFailed)
        }
    }

    @Test func anUpdateIsNotAccepted() {
        let capture = LinkCapture.host { session in
            let link = session.connect(to: Self.puck)
            session.command(HCI.LEConnectionUpdate(handle: link.handle, timing: Self.timing))
            session.event(HCI.CommandStatus(status: .success, opcode: .leConnectionUpdate))
            session.event(
                HCI.LEConnectionUpdateComplete(
                    status: .unacceptableConnectionParameters, handle: link.handle, interval: 24, latency: 0,
                    supervisionTimeout: 42))
        }
        capture.expect("unacceptable_parameters", .certain, .commandFailed)
        #expect(capture.incidents.first?.connection == 1)
    }

    /// Probes, commands that stop what has ended, and commands that are repeated with success.
    @Test func harmlessRefusalsAreNoFailures() {
        let capture = LinkCapture.host { session in
            session.run(HCI.LEReadBufferSize(), returning: [0x01])
            // LE Set Default PHY.
            session.command([0x31, 0x20, 0x03, 0x00, 0x02, 0x02])
            session.event(HCI.CommandComplete(opcode: HCI.Opcode(rawValue: 0x2031), returnParameters: [0x11]))
            Self.scanOff(session)
            session.run(HCI.LESetRandomAddress(address: Self.puck.address), returning: [0x0C])
            session.run(HCI.LESetRandomAddress(address: Self.puck.address))
            session.command(HCI.Disconnect(handle: ConnectionHandle(0x40), reason: .remoteUserTerminatedConnection))
            session.event(HCI.CommandStatus(status: .unknownConnectionIdentifier, opcode: .disconnect))
        }
        #expect(capture.incidents.isEmpty)
    }

    private static func scanOff(_ session: HCISession) {
        session.run(HCI.LESetScanEnable(enable: false, filterDuplicates: false), returning: [0x0C])
    }

    // MARK: - Parameters

    private static func requestParameters(_ link: some ScriptedLink, result: L2CAP.ConnectionParameterUpdateResult) {
        link.signal(
            L2CAP.ConnectionParameterUpdateRequest(minimumInterval: 6, maximumInterval: 12, latency: 0, timeout: 200),
            identifier: 1, .received)
        link.signal(L2CAP.ConnectionParameterUpdateResponse(result: result), identifier: 1, .sent)
    }

    @Test func aRequestForParametersIsRejected() {
        LinkCapture.host { session in
            let link = session.connect(to: Self.puck)
            Self.requestParameters(link, result: .rejected)
            link.read(Handle(0x000C), [1])
        }.expect("unacceptable_parameters", .certain, .procedureFailed)
        LinkCapture.air { air in
            let link = air.connect(LinkCapture.phone, to: Self.puck)
            Self.requestParameters(link, result: .rejected)
            link.disconnect()
        }.expect("unacceptable_parameters", .certain, .procedureFailed)
    }

    @Test func aLaterRequestIsAccepted() {
        let capture = LinkCapture.host { session in
            let link = session.connect(to: Self.puck)
            Self.requestParameters(link, result: .rejected)
            Self.requestParameters(link, result: .accepted)
            link.read(Handle(0x000C), [1])
        }
        #expect(capture.incidents.isEmpty)
    }
}
