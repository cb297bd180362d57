import Bluetooth
import Bytes
import PDUTestKit
import TestKit

/// Commands and events of Core 6.0.
extension CaptureCase {
    static let core6: [CaptureCase] = [
        CaptureCase(
            name: "channel-sounding",
            title: "Channel Sounding over HCI",
            shows: """
                A host configures Channel Sounding on a connection and enables a procedure. The results of a subevent come in
                two events, with a step of each mode: calibration, round trip time, phase of two tones, and both. The last
                step has fewer bytes than its mode needs; what there is of it is shown.
                """,
            source: "Core 6.0, Vol 4, Part E, 7.7.65.39 to 7.7.65.45 and 7.8.130 to 7.8.139", file: "capture.btsnoop"
        ) {
            let session = HCISession()
            let handle = ConnectionHandle(0x0040)
            let puck = session.connect(to: Cast.puck, handle: handle)
            session.command(hex("8a20 02 4000"))
            session.event(hex("0f 04 00 01 8a20"))
            session.event(
                hex("3e 20 2c 00 4000 04 0000 02 04 03 01 07 10 08 08 0100 0100 06 1600 7f00 7f00 ff01 0300 0a 1f"))
            session.command(hex("9020 1c 4000 01 01 02 01 05 14 00 03 00 01 02 00fcff7ffcffffffff1f 01 00 00 02 00"))
            session.event(hex("0f 04 00 01 9020"))
            session.event(
                hex("3e 22 2f 00 4000 01 01 02 01 05 14 00 03 00 01 02 00fcff7ffcffffffff1f 01 00 00 02 00 28 28 50 14")
            )
            session.command(hex("9420 04 4000 01 01"))
            session.event(hex("0f 04 00 01 9420"))
            session.event(hex("3e 16 30 00 4000 01 01 01 0a 204e00 01 4000 0100 0200 0500 a000"))
            let tones = hex("00 230114 00 ff0f00 13")
            session.event(
                HCI.LECSSubeventResult(
                    handle: handle, configID: 1, startEventCounter: 53, procedureCounter: 2,
                    frequencyCompensation: -0x4000, referencePower: -19,
                    report: HCI.CSReport(
                        procedureDone: 1, subeventDone: 1, antennaPaths: 1,
                        steps: [
                            HCI.CSStep(mode: 0, channel: 2, data: hex("00 d8 01 3412")),
                            HCI.CSStep(mode: 1, channel: 5, data: hex("10 02 d7 f0ff 01")),
                        ])))
            session.event(
                HCI.LECSSubeventResultContinue(
                    handle: handle, configID: 1,
                    report: HCI.CSReport(
                        procedureDone: 0, subeventDone: 0, antennaPaths: 1,
                        steps: [
                            HCI.CSStep(mode: 2, channel: 16, data: tones),
                            HCI.CSStep(mode: 3, channel: 17, data: hex("00 ff d6 0080 01 01020300 04050600") + tones),
                            HCI.CSStep(mode: 3, channel: 18, data: hex("00 ff d6")),
                        ])))
            puck.disconnect()
            return try session.recording.btsnoop()
        },
        CaptureCase(
            name: "core-6-commands",
            title: "Commands and events that Core 6.0 added",
            shows: """
                Decision-based advertising filtering, monitored advertisers, the extended feature set and the frame space
                update, each with its parameters.
                """,
            source: "Core 6.0, Vol 4, Part E, 7.7.65.38, 7.7.65.47, 7.7.65.48, 7.8.128, 7.8.129 and 7.8.144 to 7.8.151",
            file: "capture.btsnoop"
        ) {
            let session = HCISession()
            let puck = session.connect(to: Cast.puck, handle: 0x0040)
            session.command(hex("8020 07 01 01 04 a1a2a3a4"))
            session.event(hex("0e 04 01 8020 00"))
            session.command(hex("8120 13 01 02 07") + hex("c4") + [UInt8](repeating: 0, count: 15))
            session.event(hex("0e 04 01 8120 00"))
            session.command(hex("9820 0a 01 010000eeffc0 b0 c4 05"))
            session.event(hex("0e 04 01 9820 00"))
            session.command(hex("9c20 01 01"))
            session.event(hex("0e 04 01 9c20 00"))
            session.event(hex("3e 09 34 01 010000eeffc0 01"))
            session.command(hex("8820 03 4000 01"))
            session.event(hex("0f 04 00 01 8820"))
            session.event(
                hex("3e fe 2b 00 4000 01 01 ff49010800c00080 0300000000000000") + [UInt8](repeating: 0, count: 232))
            session.command(hex("9d20 09 4000 3c00 9600 03 0300"))
            session.event(hex("0f 04 00 01 9d20"))
            session.event(hex("3e 0a 35 00 4000 00 5000 03 0300"))
            puck.disconnect()
            return try session.recording.btsnoop()
        },
    ]
}
