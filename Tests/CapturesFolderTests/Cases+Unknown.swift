import Bluetooth
import Bytes
import Captures
import TestKit

/// Opcodes that the specification does not define are decoded as unknown, without an error.
extension CaptureCase {
    static let unknown: [CaptureCase] = [
        CaptureCase(
            name: "unknown-opcodes-hci",
            title: "Unknown opcodes from H4 to SMP",
            shows: """
                Each layer of a host capture gets a code that nobody has defined: H4 packet type, HCI command, event, LE
                subevent, a vendor's command and event, L2CAP channel, signaling code, ATT opcode (as a request, as a
                command), SMP code, AD type. All bytes are shown, and what follows is decoded as if nothing had
                happened.
                """,
            source: "Core 5.4, Vol 4, Part A, 2 · Vol 4, Part E, 5.4 · Vol 3, Part A, 2.1 and 4.1 · "
                + "Vol 3, Part F, 3.3 · Vol 3, Part H, 3.3 · Vol 3, Part C, 11", file: "capture.btsnoop"
        ) {
            let session = HCISession()
            session.record([0x42, 1, 2, 3], .sent)
            session.command([0xFF, 0x17, 2, 0xAA, 0xBB])
            session.command([0x01, 0xFC, 3, 1, 2, 3])
            session.event([0x7D, 2, 0xAA, 0xBB])
            session.event([0xFF, 3, 1, 2, 3])
            session.event([0x3E, 3, 0x7F, 0xAA, 0xBB])
            session.report(Cast.puck, [GAP.AdvertisingStructure(GAP.DataType(rawValue: 0x70), [0xAA, 0xBB])])
            let puck = session.connect(to: Cast.puck)
            puck.carry([0xAA, 0xBB], on: L2CAP.ChannelID(0x0030), .received)
            puck.carry([0xAA, 0xBB], on: L2CAP.ChannelID(0x0077), .received)
            puck.carry([0x7E, 1, 2, 0, 0xAA, 0xBB], on: .leSignaling, .received)
            puck.carry([0x3F, 0xAA, 0xBB], on: .att, .sent)
            puck.refuse(ATT.Opcode(rawValue: 0x3F), 0, .requestNotSupported)
            puck.carry([0x7F, 0xAA, 0xBB], on: .att, .sent)
            puck.carry([0x6E, 0xAA, 0xBB], on: .smp, .received)
            puck.notify(0x0008, [98])
            return try session.recording.btsnoop()
        },
        CaptureCase(
            name: "unknown-opcodes-air",
            title: "Unknown opcodes on the air",
            shows: """
                An advertising PDU type, a link layer control opcode and an LLID that the specification reserves. The
                bytes are shown, the connection goes on.
                """,
            source: "Core 5.4, Vol 6, Part B, 2.3, 2.4 and 2.4.2", file: "capture.pcap"
        ) {
            let air = AirSession()
            air.advertising(LL.AdvertisingHeader(type: LL.AdvertisingType(rawValue: 0xC), length: 3), [1, 2, 3])
            let link = air.connect(Cast.phone, to: Cast.puck)
            link.control([0x7E, 0xAA, 0xBB], .sent)
            link.control(LL.UnknownRsp(unknownType: LL.ControlOpcode(rawValue: 0x7E)), .received)
            air.record(
                LL.DataHeader(llid: LL.LLID(rawValue: 0), sequenceNumber: 1, length: 2).encoded + [0xAA, 0xBB],
                address: link.accessAddress, crcInit: link.crcInit, channel: LL.Channel(rawValue: 7), traffic: 2)
            link.notify(0x0008, [98])
            return try air.recording.airPcap()
        },
        CaptureCase(
            name: "malformed-pdus",
            title: "PDUs that are too short, too long or wrong inside",
            shows: """
                A command with fewer parameters than its length says, an event without its parameters, advertising data
                whose structure runs over its end, ATT PDUs that end in mid-field, a Read By Type Response whose length
                does not divide it, an L2CAP PDU with more bytes than its length says, a signaling command cut short.
                What can be read is read; each diagnosis names layer, field, offset, needed and available bytes.
                """,
            source: "Core 5.4, Vol 4, Part E, 5.4 · Vol 3, Part F, 3.4 · Vol 3, Part A, 3.1 and 4",
            file: "capture.btsnoop"
        ) {
            let session = HCISession()
            session.command([0x0D, 0x20, 25, 0x60, 0x00])
            session.event([0x3E, 1, 0x01])
            session.event(
                HCI.LEAdvertisingReport(reports: [
                    .init(
                        eventType: 0, addressType: .randomDevice, address: Cast.puck.address,
                        data: [2, 1, 6, 9, 9, 0x50, 0x75], rssi: -60)
                ]))
            let puck = session.connect(to: Cast.puck)
            puck.carry([0x0A, 0x08], on: .att, .sent)
            puck.carry([0x09, 7, 1, 0, 2, 3, 0, 0, 0x2A, 4, 0], on: .att, .received)
            puck.carry([], on: .att, .received)
            session.record(
                puck.packet([4, 0, 4, 0, 0x1B, 8, 0, 98, 0xEE, 0xEE], boundary: .firstFlushable), .received)
            puck.carry([0x12, 1, 8, 0, 6, 0], on: .leSignaling, .received)
            session.record([0x02, 0x40, 0x20, 9, 0, 3, 0, 4, 0], .received)
            session.record([0x02, 0x40], .received)
            session.record([0x02], .received)
            puck.notify(0x0008, [98])
            return try session.recording.btsnoop()
        },
        CaptureCase(
            name: "vendor-acl-data",
            title: "ACL data that is no connection's",
            shows: """
                Two controllers send debug data as ACL packets: one of handle 0x0edc, one of a handle that no event opened
                and whose data does not read as L2CAP. Both are shown as vendor data and belong to no connection. The
                connection between them is encrypted by Encryption Change [v2]; the key that the device sends then is not
                sent in clear.
                """,
            source: "Core 5.4, Vol 4, Part E, 5.4.2 and 7.7.8", file: "capture.btsnoop"
        ) {
            let session = HCISession()
            session.resume(0x0EDC).carry([0xDE, 0xAD, 0xBE, 0xEF], .received)
            let puck = session.connect(to: Cast.puck, handle: 0x0040)
            session.record(
                session.resume(0x0002).packet([2, 0, 4, 0, 0x1B, 6, 0, 98], boundary: .firstFlushable), .received)
            session.event([0x59, 5, 0, 0x40, 0, 1, 16])
            puck.carry([0x08] + (0..<16).map { UInt8($0) }, on: .smp, .received)
            puck.disconnect()
            return try session.recording.btsnoop()
        },
    ]
}
