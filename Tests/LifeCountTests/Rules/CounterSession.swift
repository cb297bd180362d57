import Bluetooth
import Bytes
import Captures
import LifeCount
import PDUTestKit
import PluginKit
import TestKit

/// A session between a gateway and a counter, for rule tests.
final class CounterSession {
    let hci = HCISession()
    private(set) var link: HCILink
    /// Number of the frame that breaks the rule.
    private(set) var fault = 0

    static let device = DeviceAddress(Address(value: 0xC0_FFEE_00A5C3), .random)
    static let layout = ServerLayout(
        .service(0x1800, .characteristic(0x2A00, [.read])),
        .service(0x180F, .characteristic(0x2A19, [.read, .notify], descriptors: 0x2902)),
        .service(
            type(1),
            .characteristic(type(2), [.notify], descriptors: 0x2902),
            .characteristic(type(3), [.read]),
            .characteristic(type(4), [.read, .notify], descriptors: 0x2902),
            .characteristic(type(5), [.write, .indicate], descriptors: 0x2902)))

    /// A UUID of counter profile 1.
    static func type(_ number: UInt16) -> UUID {
        UUID(value: 0x4C43_4E54_0000_4C69_6665_436F756E7400 + UInt128(number) << 80)
    }

    init() { link = hci.resume() }

    var now: UInt32 { UInt32(hci.recording.time.nanoseconds / 1_000_000_000) }
    func faultNext() { fault = hci.recording.packets.count + 1 }
    func wait(_ seconds: Double) { hci.recording.wait(milliseconds: Int64(seconds * 1000)) }
    func handle(_ number: UInt16) -> Handle { Self.layout[Self.type(number)] }

    /// Connects, discovers, reads Counter Info, subscribes and sets the clock.
    func begin(subscribes: [UInt16] = [4, 5, 2], setsTime: Bool = true, boots: UInt8 = 3) {
        connect()
        link.discover(Self.layout)
        link.read(handle(3), hex("01010201 C3A50F1E 0700") + [boots] + hex("000000 0002"))
        for number in subscribes { link.subscribe(Self.layout[Self.type(number), 0x2902], indications: number == 5) }
        if setsTime { request([1] + little(now) + [0, 0]) }
    }

    func connect() {
        faultNext()
        link = hci.connect(to: Self.device)
    }
    func end() { link.disconnect(reason: .connectionTerminatedByLocalHost) }
    func lose() { link.disconnect(reason: .connectionTimeout) }

    /// Writes to the Control Point, which responds.
    func request(_ bytes: [UInt8], answers: Bool = true) {
        link.write(handle(5), bytes)
        if answers { link.indicate(handle(5), [0x80, bytes[0], 0]) }
    }

    /// An event with the current time. `header` holds the version and the flags.
    func event(
        _ number: UInt32, delta: Int8 = 1, header: UInt8 = 0x11, time: UInt32? = nil, milliseconds: UInt16 = 0,
        device: UInt32 = 0x1E0F_A5C3, location: UInt16 = 7, cut: Int = 0
    ) {
        let bytes =
            [header, UInt8(bitPattern: delta)] + little(number) + little(header & 0x10 == 0 ? 0 : time ?? now)
            + little(milliseconds) + little(device) + little(location)
        link.notify(handle(2), Array(bytes.dropLast(cut)))
    }

    func status(_ last: UInt32, battery: UInt8 = 87, uptime: UInt32 = 3600) {
        link.notify(handle(4), little(uptime) + little(last) + [battery, 1, 0, 0])
    }
}

func little(_ value: some FixedWidthInteger) -> [UInt8] { CaptureBuilder.integer(value, .littleEndian) }

/// The complete plugin: profile and behaviour.
let lifeCount: [DevicePlugin] = {
    guard let profile = try? ProfileUnderTest(plugin: "LifeCount").compiled else { return [] }
    return [DevicePlugin(profile, behaviour: LifeCount.behaviour)]
}()
