import Bluetooth
import Bytes
import PDUTestKit
import TestKit

extension RulePair {
    /// AQ-001 to AQ-010, except those that only a host can report.
    static let advertising: [RulePair] = [
        // The connection determines which service the puck has to list.
        RulePair("AQ-001") { puck, isBroken in
            puck.begin()
            puck.end()
            puck.faultNext()
            let services: [UUID] = isBroken ? [0x6E40_0001] : [PuckLayout.bottle(0)]
            puck.hci.report(PuckSession.device, AirPuck.structures([.serviceUUIDs128(services)]))
        },
        RulePair("AQ-002") { puck, isBroken in
            puck.faultNext()
            var structures = AirPuck.structures()
            if isBroken { structures.swapAt(1, 2) }
            puck.hci.report(PuckSession.device, structures)
            puck.hci.report(PuckSession.device, [.completeLocalName(PuckSession.name)], type: 4)
        },
        RulePair("AQ-003") { isBroken in
            let session = AirPuck()
            session.advertise()
            session.raw(
                Array(
                    hex("020106 03030F18 110700000000000000 2D657461766B61756F 0512 0600 0600").dropLast(
                        isBroken ? 1 : 0)))
            return (session.air.recording, 2)
        },
        RulePair("AQ-004") { puck, isBroken in
            puck.advertise()
            puck.faultNext()
            puck.hci.report(
                PuckSession.device, [.completeLocalName(isBroken ? "Aquavate-a3f2" : PuckSession.name)], type: 4)
        },
        .connected("AQ-005") { puck, isBroken in
            puck.faultNext()
            puck.read(0x2A25, Array("24:0A:C4:12:A3:\(isBroken ? "F4" : "F2")\0".utf8))
            puck.faultLast()
        },
        RulePair("AQ-006") { isBroken in
            let session = AirPuck()
            session.advertise(times: 9, every: isBroken ? 0.5 : 1)
            return (session.air.recording, 9)
        },
        RulePair("AQ-007") { isBroken in
            let session = AirPuck()
            session.advertise()
            session.air.advertise(PuckSession.device, AirPuck.structures(), type: isBroken ? .advScanInd : .advInd)
            return (session.air.recording, 2)
        },
        .connected("AQ-008") { puck, isBroken in
            if isBroken {
                puck.faultNext()
                puck.advertise()
            }
            puck.ping()
        },
        RulePair("AQ-009") { isBroken in
            let session = AirPuck()
            session.advertise(times: 5, every: 1)
            let link = session.air.connect(AirPuck.phone, to: PuckSession.device)
            link.discover(PuckLayout.shipped)
            link.write(PuckLayout.shipped[PuckLayout.bottle(5)], hex("10") + little(session.now))
            link.write(PuckLayout.shipped[PuckLayout.bottle(5)], hex("02000000"))
            link.disconnect()
            session.wait(isBroken ? 4 : 0.5)
            session.advertise()
            return (session.air.recording, session.air.recording.packets.count)
        },
        RulePair("AQ-010") { isBroken in
            let session = AirPuck()
            session.advertise()
            session.wait(60)
            session.advertise(times: isBroken ? 10 : 31, every: 1)
            let fault = session.air.recording.packets.count
            session.wait(60)
            session.advertise()
            return (session.air.recording, fault)
        },
        RulePair("AQ-011") { isBroken in
            let session = AirPuck()
            session.service = PuckLayout.bottle(0xF0, .prd)
            session.air.advertise(PuckSession.device, [.completeLocalName(PuckSession.name)], type: .scanRsp)
            session.advertise(times: isBroken ? 250 : 20, every: 1)
            return (session.air.recording, 248)
        },
    ]
}

/// A puck on the air, as captured by a sniffer.
final class AirPuck {
    let air = AirSession()
    var service = PuckLayout.bottle(0)

    static let phone = DeviceAddress(Address(value: 0x00_1A7D_DA7101), .public)

    init() {
        air.recording.time = Timestamp(seconds: 1_769_947_200, nanoseconds: 0)
    }

    var now: UInt32 { UInt32(air.recording.time.nanoseconds / 1_000_000_000) }

    func wait(_ seconds: Double) { air.recording.wait(milliseconds: Int64(seconds * 1000)) }

    /// The puck's advertising data, optionally with another list of services.
    static func structures(_ services: [GAP.AdvertisingStructure]? = nil) -> [GAP.AdvertisingStructure] {
        [.flags([.leGeneralDiscoverable, .bredrNotSupported]), .serviceUUIDs16([0x180F])]
            + (services ?? [.serviceUUIDs128([PuckLayout.bottle(0)])]) + [.connectionIntervalRange(6, 6)]
    }

    func advertise(times: Int = 1, every seconds: Double = 1) {
        for number in 0..<times {
            if number > 0 { wait(seconds - Double(air.recording.pace) / 1e9) }
            air.advertise(PuckSession.device, Self.structures([.serviceUUIDs128([service])]))
        }
    }

    /// An advertisement of arbitrary bytes.
    func raw(_ data: [UInt8]) {
        let payload = ByteWriter.bytes { $0.write(PuckSession.device.address) } + data
        air.advertising(
            LL.AdvertisingHeader(type: .advInd, txAdd: PuckSession.device.kind, length: payload.count), payload)
    }
}
