import Bluetooth
import Bytes
import Captures
import TestKit

/// One session of a puck: it advertises, and the phone connects, discovers and subscribes; drinks and refills follow,
/// then the phone fetches the records and disconnects. About 260 packets.
struct PuckVisit {
    /// An H4 packet.
    struct Packet {
        var time: Timestamp
        var direction: Direction
        var bytes: [UInt8]
    }

    private(set) var packets: [Packet] = []
    let handle: ConnectionHandle
    var random: SplitMix64
    let address: Address
    let name: String
    var time: Timestamp
    var bottle: Bottle

    init(handle: ConnectionHandle, start: Timestamp, random: inout SplitMix64) {
        self.handle = handle
        self.random = SplitMix64(seed: random.next())
        let serial = UInt64.random(in: 0..<0xFFFF_FFFF, using: &self.random)
        address = Address(value: 0x2400_0000_0000 | serial << 8 | 0x02)
        let digits = String(serial & 0xFFFF, radix: 16, uppercase: true)
        name = "Aquavate-" + String(repeating: "0", count: 4 - digits.count) + digits
        time = start
        bottle = Bottle(random: &self.random)
        packets.reserveCapacity(400)

        for _ in 0..<Int.random(in: 2..<8, using: &self.random) { advertise() }
        connect()
        discover()
        subscribe()
        for _ in 0..<Int.random(in: 1..<4, using: &self.random) {
            live(Int.random(in: 10..<60, using: &self.random))
            handOver()
        }
        live(Int.random(in: 2..<8, using: &self.random))
        handOver()
        disconnect()
    }
}

// MARK: - Recording

extension PuckVisit {
    /// Advances the time by a random number of microseconds in a range.
    mutating func wait(_ microseconds: Range<Int64>) {
        time.nanoseconds += Int64.random(in: microseconds, using: &random) * 1000
    }

    private mutating func record(_ type: HCI.PacketType, _ bytes: [UInt8], _ direction: Direction) {
        wait(200..<4000)
        packets.append(Packet(time: time, direction: direction, bytes: [type.rawValue] + bytes))
    }

    mutating func command(_ command: some HCI.Command) { record(.command, HCI.encode(command), .sent) }
    mutating func event(_ event: some HCI.Event) { record(.event, HCI.encode(event), .received) }
    mutating func event(_ event: some HCI.LEEvent) { record(.event, HCI.encode(event), .received) }

    /// An ATT PDU, in ACL packets of 251 bytes at most; the controller reports the phone's packets as completed.
    mutating func att(_ pdu: some ATT.PDU, _ direction: Direction) {
        let frame = L2CAP.frame(ATT.encode(pdu), on: .att)
        for start in stride(from: 0, to: frame.count, by: 251) {
            let part = Array(frame[start..<min(start + 251, frame.count)])
            let boundary: HCI.PacketBoundary =
                start > 0 ? .continuing : direction == .sent ? .firstNonFlushable : .firstFlushable
            let header = HCI.ACLHeader(handle: handle, boundary: boundary, length: UInt16(part.count))
            record(.aclData, header.encoded + part, direction)
        }
        if direction == .sent {
            event(HCI.NumberOfCompletedPackets(entries: [.init(handle: handle, count: 1)]))
        }
    }

    /// A request and its response.
    mutating func ask(_ request: some ATT.PDU, _ response: some ATT.PDU) {
        att(request, .sent)
        wait(8_000..<45_000)
        att(response, .received)
    }

    /// A write, the notifications that it triggers, and the response.
    mutating func write(_ attribute: Handle, _ value: [UInt8], notifies: [ATT.HandleValueNotification] = []) {
        att(ATT.WriteRequest(handle: attribute, value: value), .sent)
        for notification in notifies {
            wait(8_000..<30_000)
            att(notification, .received)
        }
        wait(500..<15_000)
        att(ATT.WriteResponse(), .received)
    }
}
