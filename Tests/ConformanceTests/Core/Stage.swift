import Bluetooth
import Bytes
import Captures
import PDUTestKit
import TestKit

/// The recording of a story: a host with its controller, or the air. PDUs are written as bytes, so that no encoder of
/// ours stands between a rule and its subject.
final class Stage {
    /// Number of the frame that breaks the rule.
    private(set) var breach: Int?
    private(set) var hci = HCISession()
    private(set) var air = AirSession()
    private let isOnAir: Bool
    private var hciLink: HCILink?
    private var airLink: AirLink?

    static let puck = DeviceAddress(Address("c0:00:00:00:00:01")!, .random)
    static let phone = DeviceAddress(Address("00:1b:dc:00:00:02")!, .public)

    init(isOnAir: Bool = false) { self.isOnAir = isOnAir }

    var recording: Recording { isOnAir ? air.recording : hci.recording }

    /// The connection, opened on first use.
    var link: any ScriptedLink {
        if isOnAir { return connect() }
        if let hciLink { return hciLink }
        let link = hci.connect(to: Self.puck)
        hciLink = link
        return link
    }

    /// The last packet recorded in `act` breaks the rule.
    func breaks(_ act: () -> Void) {
        act()
        breach = recording.packets.count
    }

    func wait(seconds: Int64) {
        guard let airLink else { return recording.wait(milliseconds: 1000 * seconds) }
        airLink.idle(seconds: seconds)
    }

    func disconnect() {
        hciLink?.disconnect()
        airLink?.disconnect()
    }
}

// MARK: - PDUs

extension Stage {
    func client(_ pdu: String) { link.carry(hex(pdu), on: .att, .sent) }
    func server(_ pdu: String) { link.carry(hex(pdu), on: .att, .received) }

    func sentSignal(_ command: String) { link.carry(hex(command), on: .leSignaling, .sent) }
    func receivedSignal(_ command: String) { link.carry(hex(command), on: .leSignaling, .received) }

    func sentSMP(_ command: String) { link.carry(hex(command), on: .smp, .sent) }
    func receivedSMP(_ command: String) { link.carry(hex(command), on: .smp, .received) }

    func centralLL(_ pdu: String) { connect().control(hex(pdu), .sent) }
    func peripheralLL(_ pdu: String) { connect().control(hex(pdu), .received) }

    @discardableResult
    func connect(
        accessAddress: UInt32 = 0x50C2_1A97, interval: UInt16 = 24, latency: UInt16 = 0, timeout: UInt16 = 42,
        channels: UInt64 = 0x1F_FFFF_FFFF, hop: UInt8 = 7
    ) -> AirLink {
        if let airLink { return airLink }
        let payload = LL.ConnectInd(
            initiator: Self.phone.address, advertiser: Self.puck.address,
            accessAddress: LL.AccessAddress(rawValue: accessAddress), crcInit: 0x3C_5AA5, windowSize: 3,
            windowOffset: 4, interval: interval, latency: latency, timeout: timeout,
            channelMap: ChannelMap(bits: channels), hop: hop, sleepClockAccuracy: LL.SleepClockAccuracy(rawValue: 5)
        ).encoded
        air.advertising(LL.AdvertisingHeader(type: .connectInd, rxAdd: .random, length: payload.count), payload)
        let link = air.resume(accessAddress: accessAddress)
        airLink = link
        return link
    }

    /// An advertising report with these AD structures; type 4 is a scan response.
    func report(_ data: String, type: UInt8 = 0, from device: DeviceAddress = puck) {
        hci.event(
            HCI.LEAdvertisingReport(reports: [
                .init(
                    eventType: type, addressType: HCI.AddressType(rawValue: device.kind.rawValue),
                    address: device.address, data: hex(data), rssi: -60)
            ]))
    }
}

/// The server of the stories.
enum Shop {
    /// 0x0003 Device Name, 0x0005 Appearance, 0x0008 Service Changed (0x0009), 0x000c Battery Level (0x000d), 0x0010
    /// Write, 0x0012 Write Without Response, 0x0014 all properties but signed writes (0x0015), 0x0017 signed writes.
    static let layout = ServerLayout(
        .service(0x1800, .characteristic(0x2A00, [.read]), .characteristic(0x2A01, [.read])),
        .service(0x1801, .characteristic(0x2A05, [.indicate], descriptors: 0x2902)),
        .service(0x180F, .characteristic(0x2A19, [.read, .notify], descriptors: 0x2902)),
        .service(
            0xFFF0, .characteristic(0xFFF1, [.write]), .characteristic(0xFFF2, [.writeWithoutResponse]),
            .characteristic(0xFFF3, [.read, .write, .notify, .indicate], descriptors: 0x2902),
            .characteristic(0xFFF4, [.authenticatedSignedWrites])))
}
