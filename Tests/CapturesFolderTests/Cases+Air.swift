import ATT
import BluetoothTypes
import Bytes
import Captures
import GAP
import L2CAP
import LinkLayer
import TestKit

/// What a sniffer hears.
extension CaptureCase {
    static let air: [CaptureCase] = [
        CaptureCase(
            name: "retransmitted-pdu",
            title: "A link layer PDU that is sent again",
            shows: """
                The central misses a notification and does not acknowledge it; the peripheral sends it again with the
                same sequence number. The second one is named a retransmission and is not handed up twice. The same
                happens to the second fragment of a write that is two data PDUs long.
                """,
            source: "Core 5.4, Vol 6, Part B, 4.5.9", file: "capture.pcap"
        ) {
            let air = AirSession()
            let link = connect(air)
            link.fate = .missed
            link.notify(0x0008, [98])
            link.notify(0x0008, [97])
            let frame = L2CAP.frame(
                ATT.encode(ATT.WriteRequest(handle: 0x0009, value: Array(0..<40))), on: .att)
            link.mtu = 100
            link.fragmentation = .every(27)
            link.carry(frame, .sent)
            link.respond(ATT.WriteResponse())
            link.fate = .missed
            link.respond(ATT.HandleValueNotification(handle: 0x0008, value: [96]))
            link.disconnect()
            return try air.recording.airPcap()
        },
        CaptureCase(
            name: "bad-crc",
            title: "A packet with a wrong CRC",
            shows: """
                A notification is damaged on the air: its CRC does not fit. It is shown, but no layer above believes it,
                and the good one that follows is no retransmission of it. A damaged advertisement is not counted either.
                """,
            source: "Core 5.4, Vol 6, Part B, 3.1.1 and 4.5.9", file: "capture.pcap"
        ) {
            let air = AirSession()
            let link = connect(air)
            link.fate = .damaged
            link.notify(0x0008, [98])
            air.record(
                LL.AdvertisingHeader(type: .advInd, txAdd: .random, length: 6).encoded
                    + LL.UndirectedAdvertising(advertiser: Cast.counter.address, data: []).encoded,
                address: .advertising, crcInit: LL.advertisingCRCInit, channel: LL.Channel(rawValue: 38), traffic: 0,
                isDamaged: true)
            link.notify(0x0008, [97])
            return try air.recording.airPcap()
        },
        CaptureCase(
            name: "bad-crc-unflagged",
            title: "A wrong CRC that the sniffer does not mention",
            shows: """
                Link type 251 has no place for the result of the CRC check. The connection's CRCInit is known from
                CONNECT_IND, so the check is made here: the damaged notification is not believed.
                """,
            source: "Core 5.4, Vol 6, Part B, 3.1.1", file: "capture.pcap"
        ) {
            let air = AirSession()
            let link = connect(air)
            link.fate = .damaged
            link.notify(0x0008, [98])
            return try air.recording.file(.pcap, .linkLayer)
        },
        CaptureCase(
            name: "encryption-start",
            title: "Encryption that starts on the air",
            shows: """
                LL_ENC_REQ, LL_ENC_RSP and LL_START_ENC_REQ are readable; everything after them is ciphertext and is
                shown as encrypted bytes, not as fragments of L2CAP. (The ciphertext is noise.)
                """,
            source: "Core 5.4, Vol 6, Part B, 5.1.3.1", file: "capture.pcap"
        ) {
            let air = AirSession()
            let link = connect(air)
            link.notify(0x0008, [98])
            link.encrypt()
            link.notify(0x0008, [97])
            link.write(0x0009, [1, 0])
            link.disconnect()
            return try air.recording.airPcap()
        },
        CaptureCase(
            name: "air-mid-connection",
            title: "A connection on the air whose beginning was missed",
            shows: """
                No CONNECT_IND was heard: the connection is followed by its access address, without the devices'
                addresses.
                """,
            source: "Core 5.4, Vol 6, Part B, 2.1.2", file: "capture.pcap"
        ) {
            let air = AirSession()
            let link = air.resume()
            link.discoverServices(Cast.battery)
            link.notify(0x0008, [97])
            return try air.recording.airPcap()
        },
    ]

    private static func connect(_ air: AirSession) -> AirLink {
        air.advertise(
            Cast.puck, [.flags([.leGeneralDiscoverable, .bredrNotSupported]), .completeLocalName("Puck")])
        return air.connect(Cast.phone, to: Cast.puck)
    }
}
