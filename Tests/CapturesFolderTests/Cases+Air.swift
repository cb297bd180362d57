import Bluetooth
import Bytes
import Captures
import TestKit

/// Captures of a sniffer.
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
            name: "decrypted-unflagged",
            title: "An encrypted connection that the recorder has decrypted without a flag",
            shows: """
                After LL_START_ENC_REQ the payloads are plain text, and no flag of the pseudo-header says so.
                LL_START_ENC_RSP of one byte is plain text, as encrypted it has a message integrity code of four bytes:
                the connection is read on.
                """,
            source: "Core 5.4, Vol 6, Part B, 2.4 and 5.1.3.1", file: "capture.pcap"
        ) {
            try encrypted(.unflagged).airPcap()
        },
        CaptureCase(
            name: "decrypted-256",
            title: "Packets that the recorder has decrypted, in link type 256",
            shows: "The pseudo-header's flag Decrypted says that payloads are plain text.",
            source: "LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR", file: "capture.pcap"
        ) {
            try encrypted(.flagged).airPcap()
        },
        CaptureCase(
            name: "decrypted-272",
            title: "Packets that the nRF Sniffer has decrypted",
            shows: """
                The flags Encrypted and MIC OK say together that the sniffer had the key: the payloads are plain text.
                """,
            source: "LINKTYPE_NORDIC_BLE", file: "capture.pcap"
        ) {
            encrypted(.flagged).nordicPcap()
        },
        CaptureCase(
            name: "encrypted-mid-connection",
            title: "A capture that begins inside an encrypted connection",
            shows: """
                No PDU that starts encryption was heard. That nothing can be read as link layer control or as L2CAP tells
                that the connection is encrypted; what has too few bytes to tell is not taken for plain text either.
                """,
            source: "Core 5.4, Vol 6, Part B, 2.4", file: "capture.pcap"
        ) {
            let air = AirSession()
            let link = air.resume()
            link.isEncrypted = true
            link.notify(0x0008, [98])
            link.control(LL.encode(LL.PingReq()), .sent)
            link.write(0x0009, [1, 0])
            return try air.recording.airPcap()
        },
        CaptureCase(
            name: "encryption-start-missed",
            title: "An encryption whose LL_ENC_RSP was not heard",
            shows: """
                LL_START_ENC_REQ alone tells that what follows is encrypted: it is not judged as link layer control or as
                L2CAP.
                """,
            source: "Core 5.4, Vol 6, Part B, 5.1.3.1", file: "capture.pcap"
        ) {
            let air = AirSession()
            let link = connect(air)
            link.notify(0x0008, [98])
            link.encrypt()
            link.notify(0x0008, [97])
            link.write(0x0009, [1, 0])
            // LL_ENC_RSP has 13 bytes, the first of which is 0x04, after 16 bytes of headers.
            air.recording.packets.removeAll { $0.bytes[14] & 3 == 3 && $0.bytes[15] == 13 && $0.bytes[16] == 4 }
            return try air.recording.airPcap()
        },
        CaptureCase(
            name: "equal-sequence-number",
            title: "The same sequence number that is no retransmission",
            shows: """
                A battery level is notified three times, and the sniffer does not hear the second time. The third PDU has
                the sequence number and the bytes of the first, but the central has acknowledged that and the one between
                them: it is a new PDU and is handed up.
                """,
            source: "Core 5.4, Vol 6, Part B, 4.5.9", file: "capture.pcap"
        ) {
            let air = AirSession()
            let link = connect(air)
            link.notify(0x0008, [98])
            link.acknowledge(.sent)
            link.isHeard = false
            link.notify(0x0008, [98])
            link.isHeard = true
            link.acknowledge(.sent)
            link.notify(0x0008, [98])
            return try air.recording.airPcap()
        },
        CaptureCase(
            name: "no-crc",
            title: "A recorder that writes no CRC",
            shows: """
                Link type 251 has no place for the result of the CRC check, and the CRC fields are zero: the recorder left
                them out. The packets are read, with a note.
                """,
            source: "Core 5.4, Vol 6, Part B, 3.1.1", file: "capture.pcap"
        ) {
            let air = AirSession()
            air.recordsCRC = false
            let link = connect(air)
            link.notify(0x0008, [98])
            return try air.recording.file(.pcap, .linkLayer)
        },
        CaptureCase(
            name: "direction-inferred",
            title: "Directions that are inferred where a packet was missed",
            shows: """
                Link type 251 does not tell who sent a packet. The peripheral answers the central after 150 µs, and the
                sequence numbers of the two sides differ in a way that lasts. A notification comes in two fragments, in
                events of which the central's packets were not heard: they are the peripheral's all the same, and the
                notification is put together.
                """,
            source: "Core 5.4, Vol 6, Part B, 4.5.1 and 4.5.9", file: "capture.pcap"
        ) {
            let air = AirSession()
            air.hasExactTimes = true
            let link = connect(air)
            link.discoverServices(Cast.battery)
            link.mtu = 100
            link.hearsEmptyPDUs = false
            link.notify(0x0008, Array(0..<40))
            link.hearsEmptyPDUs = true
            link.write(0x0009, [1, 0])
            return try air.recording.file(.pcap, .linkLayer)
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

    /// An encrypted connection, as written by a recorder that has the key.
    private static func encrypted(_ decryption: AirLink.Decryption) -> Recording {
        let air = AirSession()
        let link = connect(air)
        link.decryption = decryption
        link.encrypt()
        link.notify(0x0008, [97])
        link.write(0x0009, [1, 0])
        link.disconnect()
        return air.recording
    }

    private static func connect(_ air: AirSession) -> AirLink {
        air.advertise(
            Cast.puck, [.flags([.leGeneralDiscoverable, .bredrNotSupported]), .completeLocalName("Puck")])
        return air.connect(Cast.phone, to: Cast.puck)
    }
}
