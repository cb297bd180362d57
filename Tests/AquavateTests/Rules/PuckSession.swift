import Bluetooth
import Bytes
import Captures
import PDUTestKit
import TestKit

/// A session between a phone and a puck, for rule tests. By default both conform to every rule.
final class PuckSession {
    let dialect: Dialect
    let hci = HCISession()
    let layout: ServerLayout
    private(set) var link: HCILink
    /// Number of the frame that breaks the rule.
    private(set) var fault = 0
    /// Time when the last drink was detected, in seconds since 1970.
    var drinkTime: UInt32 = 0
    /// Time ranges in which the sniffer receives nothing.
    private(set) var lost: [Range<Timestamp>] = []
    /// The Current State notified last.
    fileprivate var last = [UInt8](repeating: 0, count: 14)

    enum Dialect { case shipped, prd }

    /// The Bluetooth address is two above the Wi-Fi station's, which ends in A3:F2.
    static let device = DeviceAddress(Address(value: 0x24_0AC4_12A3F4), .public)
    static let name = "Aquavate-A3F2"
    /// The advertised name.
    var name = PuckSession.name

    init(_ dialect: Dialect = .shipped, layout: ServerLayout? = nil) {
        self.dialect = dialect
        self.layout = layout ?? (dialect == .shipped ? PuckLayout.shipped : PuckLayout.required)
        hci.recording.time = Timestamp(seconds: 1_769_947_200, nanoseconds: 0)
        link = hci.resume()
    }

    var recording: Recording { hci.recording }

    /// Marks the next frame as the fault.
    func faultNext() { fault = recording.packets.count + 1 }
    /// Marks the last frame as the fault.
    func faultLast() { fault = recording.packets.count }

    /// Marks a frame before the last one as the fault.
    func fault(earlier count: Int) { fault = recording.packets.count - count }

    /// Marks the discovery response that lists an attribute as the fault.
    func faultResponse(listing handle: Handle) {
        let place = recording.packets.firstIndex {
            // H4 type, ACL header and L2CAP header come before the PDU.
            $0.direction == .received && Self.listedHandles(in: Array($0.bytes.dropFirst(9))).contains(handle)
        }
        fault = place.map { $0 + 1 } ?? 0
    }

    /// The handles that a discovery response lists.
    private static func listedHandles(in pdu: [UInt8]) -> [Handle] {
        let size: Int
        switch pdu.first {
        case 0x05: size = pdu.count > 1 && pdu[1] == 1 ? 4 : 18
        case 0x09, 0x11: size = pdu.count > 1 ? Int(pdu[1]) : 0
        default: return []
        }
        guard size > 1 else { return [] }
        return stride(from: 2, to: pdu.count - 1, by: size).map { Handle(UInt16(pdu[$0]) | UInt16(pdu[$0 + 1]) << 8) }
    }

    /// The sniffer misses all packets that the script sends.
    func miss(_ script: () -> Void) {
        let start = recording.time
        script()
        lost.append(start..<recording.time)
    }

    func wait(_ seconds: Double) { recording.wait(milliseconds: Int64(seconds * 1000)) }

    /// Seconds since 1970.
    var now: UInt32 { UInt32(recording.time.nanoseconds / 1_000_000_000) }

    /// Handle of a bottle service characteristic by the last byte of its UUID, or of another one by its 16-bit UUID.
    func handle(_ number: UInt16) -> Handle {
        layout[number < 0x100 ? PuckLayout.bottle(UInt8(number), dialect) : UUID(UInt32(number))]
    }

    func configuration(_ number: UInt16) -> Handle {
        layout[number < 0x100 ? PuckLayout.bottle(UInt8(number), dialect) : UUID(UInt32(number)), 0x2902]
    }
}

// MARK: - Procedures

extension PuckSession {
    /// The steps before the tested behaviour: advertising, connection, discovery, subscriptions, clock.
    func begin(
        mtu: UInt16 = 517, serverMTU: UInt16 = 247, discovers: Bool = true, subscribes: [UInt16]? = nil,
        setsTime: Bool = true
    ) {
        advertise()
        connect()
        if mtu > 0 { link.exchangeMTU(client: mtu, server: serverMTU) }
        if discovers { link.discover(layout) }
        let all: [UInt16] = dialect == .shipped ? [1, 4, 7, 8, 0x2A19] : [0xF1, 0xF3, 0xF5]
        for number in subscribes ?? all { link.subscribe(configuration(number)) }
        if dialect == .shipped, setsTime { setTime() }
    }

    func advertise() {
        hci.report(
            Self.device,
            [
                .flags([.leGeneralDiscoverable, .bredrNotSupported]), .serviceUUIDs16([0x180F]),
                .serviceUUIDs128([PuckLayout.bottle(dialect == .shipped ? 0 : 0xF0, dialect)]),
                .connectionIntervalRange(6, 6),
            ])
        hci.report(Self.device, [.completeLocalName(name)], type: 4)
    }

    func connect() { link = hci.connect(to: Self.device) }

    /// The client ends the connection.
    func end() { link.disconnect(reason: .connectionTerminatedByLocalHost) }

    /// The link times out.
    func lose() { link.disconnect(reason: .connectionTimeout) }

    func read(_ number: UInt16, _ value: [UInt8]) { link.read(handle(number), value) }
    func notify(_ number: UInt16, _ value: [UInt8]) { link.notify(handle(number), value) }

    /// Writes a value. The write's effects come first, then the response after the given seconds.
    func write(_ number: UInt16, _ value: [UInt8], after seconds: Double = 0, _ effect: () -> Void = {}) {
        link.request(ATT.WriteRequest(handle: handle(number), value: value))
        effect()
        wait(seconds)
        link.respond(ATT.WriteResponse())
    }

    /// The request of a write.
    func writeRequest(_ number: UInt16, _ value: [UInt8]) -> ATT.WriteRequest {
        ATT.WriteRequest(handle: handle(number), value: value)
    }
    static let writeResponse = ATT.WriteResponse()

    func command(_ bytes: [UInt8], _ effect: () -> Void = {}) { write(5, bytes, effect) }
    func write(_ number: UInt16, _ value: [UInt8], _ effect: () -> Void) { write(number, value, after: 0, effect) }

    func setTime(_ time: UInt32? = nil) { command([0x10] + little(time ?? now)) }
    func ping() { command(hex("02000000")) }
    func delete(_ id: UInt32, _ effect: () -> Void = {}) { command([0x12] + little(id), effect) }

    // MARK: Sync

    func start(_ count: UInt16, _ size: UInt16 = 2, _ effect: () -> Void = {}) {
        write(3, [0, 0] + little(count) + [1, 0] + little(size), effect)
    }

    func acknowledge(_ effect: () -> Void = {}) { write(3, hex("0000000002000000"), effect) }
    func query() { write(3, [UInt8](repeating: 0, count: 8)) }

    func readStatus(_ count: UInt16, _ status: UInt8 = 0, chunkSize: UInt16 = 20) {
        read(3, [0, 0] + little(count) + [0, status] + little(chunkSize))
    }

    func chunk(_ index: UInt16, of total: UInt16, _ records: [[UInt8]], count: UInt8? = nil, reserved: UInt8 = 0) {
        notify(4, little(index) + little(total) + [count ?? UInt8(records.count), reserved] + records.flatMap { $0 })
    }

    /// A drink record; the times of consecutive IDs are one minute apart.
    func record(
        _ id: UInt32, amount: Int16 = 45, level: Int16 = 700, type: UInt8? = nil, flags: UInt8 = 0, time: UInt32? = nil
    ) -> [UInt8] {
        little(id) + little(time ?? 1_769_940_000 + 60 * id) + little(amount) + little(level)
            + [type ?? (amount >= 100 ? 1 : 0), flags]
    }

    /// Fetches three records in two chunks. `rest` records stay unsynced.
    func transfer(from first: UInt32 = 1, leaving rest: UInt16 = 0) {
        start(3) { chunk(0, of: 2, [record(first), record(first + 1)]) }
        acknowledge { chunk(1, of: 2, [record(first + 2)]) }
        acknowledge { push(unsynced: rest) }
    }

    // MARK: Current State

    /// Notifies an evaluation, by default six seconds after the previous event.
    func state(
        after seconds: Double = 6, level: UInt16 = 412, weight: Int16? = nil, daily: UInt16 = 1250, battery: UInt8 = 83,
        flags: UInt8 = 7, unsynced: UInt16 = 0, time: UInt32? = nil
    ) {
        wait(seconds)
        notify(1, stateBytes(level, weight, daily, battery, flags, unsynced, time))
    }

    func stateBytes(
        _ level: UInt16 = 412, _ weight: Int16? = nil, _ daily: UInt16 = 1250, _ battery: UInt8 = 83,
        _ flags: UInt8 = 7, _ unsynced: UInt16 = 0, _ time: UInt32? = nil
    ) -> [UInt8] {
        let bytes =
            little(time ?? now) + little(weight ?? Int16(bitPattern: level)) + little(level) + little(daily)
            + [battery, flags] + little(unsynced)
        last = bytes
        return bytes
    }

    /// Notifies the last evaluation again, with another number of unsynced records.
    func push(unsynced: UInt16) { notify(1, Array(last.prefix(12)) + little(unsynced)) }

    // MARK: Calibration

    func calibration(_ state: UInt8, after seconds: Double) {
        wait(seconds)
        notify(
            8,
            [state, state == 10 ? 1 : 0] + (state == 9 ? hex("82CD0100F9520700") : hex("0000000000000000")) + [0, 0])
    }

    /// A calibration from its beginning to a state.
    func calibrate(through last: UInt8) {
        command(hex("20000000"))
        let states: [(UInt8, Double)] = [(1, 0.3), (2, 2), (3, 5), (4, 4), (6, 7), (7, 20), (9, 7)]
        for (state, seconds) in states where state <= last { calibration(state, after: seconds) }
    }

    // MARK: Configuration

    func config(_ scale: Float = 435.96, tare: Int32 = 271, capacity: UInt16 = 830, goal: UInt16 = 2500) -> [UInt8] {
        little(scale.bitPattern) + little(tare) + little(capacity) + little(goal)
    }
}

func little(_ value: some FixedWidthInteger) -> [UInt8] { CaptureBuilder.integer(value, .littleEndian) }
