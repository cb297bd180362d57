import Bluetooth
import Captures
import PDUTestKit
import TestKit

/// Values and SDUs longer than one PDU.
extension CaptureCase {
    static let channels: [CaptureCase] = [
        CaptureCase(
            name: "long-read",
            title: "A value read in several parts",
            shows: """
                A name of 50 bytes is read over the default MTU: Read, then Read Blob at 22 and at 44. The last response
                is not full and completes the value, which is shown there as a whole. A second value fills its last
                response exactly, so that an empty one ends it.
                """,
            source: "Core 5.4, Vol 3, Part G, 4.8.3", file: "capture.btsnoop"
        ) {
            let session = HCISession()
            let puck = session.connect(to: Cast.puck)
            puck.discover(Cast.battery)
            let name = Array("A puck with a name that is longer than one response".utf8)
            puck.readLong(Cast.battery[0x2A00], name)
            puck.readLong(Cast.battery[0x2A00], Array(name.prefix(44)))
            return try session.recording.btsnoop()
        },
        CaptureCase(
            name: "long-write",
            title: "A value written in several parts",
            shows: """
                A value of 50 bytes is queued by three Prepare Write Requests and executed: Execute Write shows it as a
                whole, with its attribute. A second queue is cancelled: it writes nothing.
                """,
            source: "Core 5.4, Vol 3, Part G, 4.9.4 and Part F, 3.4.6", file: "capture.btsnoop"
        ) {
            let session = HCISession()
            let puck = session.connect(to: Cast.puck)
            puck.discover(Cast.battery)
            let name = Array("A puck with a name that is longer than one request".utf8)
            puck.writeLong(Cast.battery[0x2A00], name)
            puck.writeLong(Cast.battery[0x2A00], Array("It keeps its name after all".utf8), execute: false)
            return try session.recording.btsnoop()
        },
        CaptureCase(
            name: "credit-based-channel",
            title: "A credit-based channel",
            shows: """
                An LE credit-based channel is opened with MTU 200 and MPS 30. An SDU of 70 bytes goes in three K-frames,
                the first of which tells the SDU's length; the last one shows it as a whole. Credits are given, a short
                SDU goes the other way, the channel is closed.
                """,
            source: "Core 5.4, Vol 3, Part A, 3.4, 4.22 to 4.24 and 10.1", file: "capture.btsnoop"
        ) {
            let session = HCISession()
            let puck = session.connect(to: Cast.puck)
            openChannel(puck)
            let sdu = Array(0..<70 as Range<UInt8>)
            puck.carry([70, 0] + sdu[..<28], on: peripheralEnd, .sent)
            puck.carry(Array(sdu[28..<58]), on: peripheralEnd, .sent)
            puck.signal(L2CAP.FlowControlCredit(cid: peripheralEnd, credits: 2), identifier: 7, .received)
            puck.carry(Array(sdu[58...]), on: peripheralEnd, .sent)
            puck.carry([3, 0, 0xA0, 0xA1, 0xA2], on: centralEnd, .received)
            puck.signal(
                L2CAP.DisconnectionRequest(destination: peripheralEnd, source: centralEnd), identifier: 8, .sent)
            puck.signal(
                L2CAP.DisconnectionResponse(destination: peripheralEnd, source: centralEnd), identifier: 8, .received)
            return try session.recording.btsnoop()
        },
        CaptureCase(
            name: "wrong-sdu-length",
            title: "K-frames that do not keep to the announced SDU length",
            shows: """
                The first SDU announces 40 bytes and brings 45. The second one announces 300, more than the channel's
                MTU of 200. A third one is sent though the credits are used up. All are said, with the numbers.
                """,
            source: "Core 5.4, Vol 3, Part A, 3.4.3 and 10.1", file: "capture.btsnoop"
        ) {
            let session = HCISession()
            let puck = session.connect(to: Cast.puck)
            openChannel(puck)
            puck.carry([40, 0] + [UInt8](repeating: 0x11, count: 28), on: peripheralEnd, .sent)
            puck.carry([UInt8](repeating: 0x12, count: 17), on: peripheralEnd, .sent)
            puck.carry([0x2C, 0x01] + [UInt8](repeating: 0x21, count: 28), on: peripheralEnd, .sent)
            puck.carry([UInt8](repeating: 0x22, count: 30), on: peripheralEnd, .sent)
            return try session.recording.btsnoop()
        },
    ]

    private static let centralEnd = L2CAP.ChannelID(0x0040)
    private static let peripheralEnd = L2CAP.ChannelID(0x0041)

    /// Opens a channel on which the peripheral accepts SDUs of 200 bytes in K-frames of 30, with three initial credits.
    private static func openChannel(_ link: HCILink) {
        link.signal(
            L2CAP.LECreditBasedConnectionRequest(
                spsm: L2CAP.SPSM(0x0080), source: centralEnd, mtu: 100, mps: 50, initialCredits: 5),
            identifier: 1, .sent)
        link.signal(
            L2CAP.LECreditBasedConnectionResponse(
                destination: peripheralEnd, mtu: 200, mps: 30, initialCredits: 3, result: .successful),
            identifier: 1, .received)
    }
}
