import Bluetooth
import Captures
import PDUTestKit
import TestKit

/// Connections: their HCI traffic, and the names of their devices.
extension CaptureCase {
    static let links: [CaptureCase] = [
        CaptureCase(
            name: "connection-parameters",
            title: "The parameters of two connections change",
            shows: """
                Two connections are open. The first gets an interval of 7.5 ms, of 30 ms and of 180 ms, longer data PDUs,
                the LE 2M PHY and subrating; its controller reports the remote features and a transmit power. Each event
                and command with a connection handle belongs to the connection that has the handle. Number Of Completed
                Packets belongs to one if it names one.
                """,
            source: "Core 5.4, Vol 4, Part E, 7.7.65", file: "capture.btsnoop"
        ) {
            let session = HCISession()
            let puck = session.connect(to: Cast.puck)
            let counter = session.connect(to: Cast.counter)
            for (interval, latency) in [(6, 0), (24, 0), (144, 4)] as [(UInt16, UInt16)] {
                session.command(
                    HCI.LEConnectionUpdate(
                        handle: puck.handle,
                        timing: HCI.ConnectionTiming(
                            intervalMin: interval, intervalMax: interval, maxLatency: latency, supervisionTimeout: 500))
                )
                session.event(HCI.CommandStatus(status: .success, opcode: .leConnectionUpdate))
                session.event(
                    HCI.LEConnectionUpdateComplete(
                        handle: puck.handle, interval: interval, latency: latency, supervisionTimeout: 500))
            }
            // Refused: the interval remains.
            session.event(
                HCI.LEConnectionUpdateComplete(
                    status: .unsupportedRemoteFeature, handle: puck.handle, interval: 0, latency: 0,
                    supervisionTimeout: 0))
            session.event(
                HCI.LEDataLengthChange(
                    handle: puck.handle, maxTxOctets: 251, maxTxTime: 2120, maxRxOctets: 27, maxRxTime: 328))
            session.event(HCI.LEPHYUpdateComplete(handle: puck.handle, txPHY: .le2M, rxPHY: .le2M))
            let handle = HCI.Value.number(UInt64(puck.handle.rawValue))
            session.event(
                try HCI.encode(
                    leEvent: .readRemoteFeaturesComplete,
                    [
                        "bthci_evt.status": 0, "bthci_evt.connection_handle": handle,
                        "bthci_evt.le_features": 0x21,
                    ]))
            session.event(
                try HCI.encode(
                    leEvent: .subrateChange,
                    [
                        "bthci_evt.status": 0, "bthci_evt.connection_handle": handle, "bthci_evt.subrate_factor": 4,
                        "bthci_evt.le_con_latency": 2, "bthci_evt.continuation_number": 1,
                        "bthci_evt.le_supv_timeout": 600,
                    ]))
            session.event(
                try HCI.encode(
                    leEvent: .transmitPowerReporting,
                    [
                        "bthci_evt.status": 0, "bthci_evt.connection_handle": handle,
                        "bthci_evt.power_report_reason": 1, "bthci_evt.phy_and_coding": 2,
                        "bthci_evt.transmit_power_level": 4, "bthci_evt.power_level_flags": 0,
                        "bthci_evt.power_level_delta": 0,
                    ]))
            session.command(
                try HCI.encode(command: .readRSSI, ["bthci_cmd.connection_handle": .number(0x41)]))
            session.event(
                try HCI.encode(
                    returnParametersOf: .readRSSI,
                    ["bthci_evt.status": 0, "bthci_evt.connection_handle": 0x41, "bthci_evt.rssi": 0xC4]))
            session.event(HCI.NumberOfCompletedPackets(entries: [.init(handle: counter.handle, count: 1)]))
            session.event(
                HCI.NumberOfCompletedPackets(entries: [
                    .init(handle: puck.handle, count: 1), .init(handle: counter.handle, count: 1),
                ]))
            session.command(HCI.Disconnect(handle: puck.handle, reason: .remoteUserTerminatedConnection))
            puck.disconnect(reason: .connectionTerminatedByLocalHost)
            // The handle is no longer in use.
            session.event(HCI.NumberOfCompletedPackets(entries: [.init(handle: puck.handle, count: 1)]))
            return try session.recording.btsnoop()
        },
        CaptureCase(
            name: "inquiry-names",
            title: "Names from an inquiry and from a name request",
            shows: """
                One watch tells its name in an Extended Inquiry Result, the other one in the answer to a name request, which
                is its whole name and replaces the shortened one. Both are connected on BR/EDR and go by their names.
                """,
            source: "Core 5.4, Vol 4, Part E, 7.7.7 and 7.7.38; Vol 3, Part C, 8", file: "capture.btsnoop"
        ) {
            let session = HCISession()
            session.event(try inquiryResult(Cast.watch, GAP.AdvertisingData([.completeLocalName("Sample Watch")])))
            session.event(try inquiryResult(Cast.tracker, GAP.AdvertisingData([.shortenedLocalName("Track")])))
            for (status, name) in [(4, "Not it"), (0, "Sample Tracker")] as [(UInt64, String)] {
                session.event(
                    try HCI.encode(
                        event: .remoteNameRequestComplete,
                        [
                            "bthci_evt.status": .number(status),
                            "bthci_evt.bd_addr": .number(Cast.tracker.address.value),
                            "bthci_evt.remote_name": .bytes(Array(name.utf8)),
                        ]))
            }
            let watch = session.connectBREDR(to: Cast.watch)
            let tracker = session.connectBREDR(to: Cast.tracker)
            watch.disconnect()
            tracker.disconnect()
            return try session.recording.btsnoop()
        },
        CaptureCase(
            name: "bredr-channels",
            title: "BR/EDR channels and their PSM",
            shows: """
                Two channels are opened on BR/EDR, for SDP and for AVDTP. The PDUs of either end have the PSM of the
                Connection Request. A third request is refused. After a channel is closed its CIDs are nobody's, and of
                a channel that was open before the capture the PSM is not known.
                """,
            source: "Core 5.4, Vol 3, Part A, 4.2, 4.3, 4.6 and 4.7", file: "capture.btsnoop"
        ) {
            let session = HCISession()
            let watch = session.connectBREDR(to: Cast.watch)
            watch.openChannel(.sdp, own: cid(0x0040), peers: cid(0x0060), identifier: 1, .sent)
            watch.carry([0x02, 0, 1, 0, 3, 0x35, 0, 0], on: cid(0x0060), .sent)
            watch.carry([0x03, 0, 1, 0, 2, 0, 0], on: cid(0x0040), .received)
            watch.openChannel(L2CAP.PSM(0x0019), own: cid(0x0061), peers: cid(0x0041), identifier: 1, .received)
            watch.carry([0x00, 0x01], on: cid(0x0041), .received)
            watch.carry([0x02, 0x01, 0x04, 0x08], on: cid(0x0061), .sent)
            watch.signal(L2CAP.ConnectionRequest(psm: .rfcomm, source: cid(0x0042)), identifier: 2, .sent)
            watch.signal(
                L2CAP.ConnectionResponse(destination: cid(0x0000), source: cid(0x0042), result: .init(rawValue: 2)),
                identifier: 2, .received)
            watch.carry([0x01], on: cid(0x0042), .received)
            watch.signal(
                L2CAP.DisconnectionRequest(destination: cid(0x0060), source: cid(0x0040)), identifier: 3, .sent)
            watch.signal(
                L2CAP.DisconnectionResponse(destination: cid(0x0060), source: cid(0x0040)), identifier: 3, .received)
            watch.carry([0x07, 0, 1, 0, 0], on: cid(0x0040), .received)
            watch.carry([0x01, 0x02, 0x03], on: cid(0x0070), .sent)
            return try session.recording.btsnoop()
        },
        CaptureCase(
            name: "att-over-bredr",
            title: "ATT on BR/EDR, beside the same device on LE",
            shows: """
                A channel with PSM 0x001F carries ATT on BR/EDR; its MTU is that of the channel. The watch has another table
                there than on LE, where it is connected at the same time: handle 0x0003 is its name here and the
                appearance there. The table of each transport is learned by itself.
                """,
            source: "Core 5.4, Vol 3, Part F, 3.2.8 and 3.2.11; Part G, 2.5 and 5", file: "capture.btsnoop"
        ) {
            let session = HCISession()
            let classic = session.connectBREDR(to: Cast.watch)
            classic.openChannel(.att, own: cid(0x0040), peers: cid(0x004E), identifier: 1, .sent)
            classic.configure(cid(0x0040), cid(0x004E), [.init(.mtu(64))], identifier: 2)
            classic.attChannels = (sent: cid(0x004E), received: cid(0x0040))
            classic.mtu = 64
            let energy = session.connect(to: Cast.watch)
            classic.discover(Cast.classicWatch)
            energy.discover(Cast.energyWatch)
            classic.read(0x0003, Array("Sample Watch".utf8))
            energy.read(0x0003, [0xC1, 0x00])
            classic.readLong(0x0003, Array(repeating: 0x57, count: 100))
            classic.notify(Cast.classicWatch[0x2A19], [98])
            classic.disconnect()
            return try session.recording.btsnoop()
        },
    ]

    private static func cid(_ number: UInt16) -> L2CAP.ChannelID { L2CAP.ChannelID(number) }

    private static func inquiryResult(_ device: DeviceAddress, _ data: GAP.AdvertisingData) throws -> [UInt8] {
        try HCI.encode(
            event: .extendedInquiryResult,
            [
                "bthci_evt.num_responses": 1, "bthci_evt.bd_addr": .number(device.address.value),
                "bthci_evt.page_scan_repetition_mode": 1, "bthci_evt.page_scan_period_mode": 0,
                "bthci_evt.class_of_device": 0x000704, "bthci_evt.clock_offset_field": 0,
                "bthci_evt.rssi": 0xC4, "bthci_evt.extended_inquiry_response": .bytes(data.encoded),
            ])
    }
}

extension HCI.Opcode {
    fileprivate static let readRSSI = Self(rawValue: 0x1405)
}

extension HCILink {
    /// Opens a BR/EDR channel: the request travels in `direction`, `own` is its sender's endpoint.
    fileprivate func openChannel(
        _ psm: L2CAP.PSM, own: L2CAP.ChannelID, peers: L2CAP.ChannelID, identifier: UInt8, _ direction: Direction
    ) {
        signal(L2CAP.ConnectionRequest(psm: psm, source: own), identifier: identifier, direction)
        signal(
            L2CAP.ConnectionResponse(destination: peers, source: own, result: .successful), identifier: identifier,
            direction.opposite)
    }

    /// Both ends configure a channel with the same options.
    fileprivate func configure(
        _ own: L2CAP.ChannelID, _ peers: L2CAP.ChannelID, _ options: [L2CAP.ConfigurationOption], identifier: UInt8
    ) {
        for (sender, receiver, direction) in [(own, peers, Direction.sent), (peers, own, .received)] {
            signal(
                L2CAP.ConfigurationRequest(destination: receiver, options: options), identifier: identifier, direction)
            signal(
                L2CAP.ConfigurationResponse(source: sender, result: .success, options: []), identifier: identifier,
                direction.opposite)
        }
    }
}
