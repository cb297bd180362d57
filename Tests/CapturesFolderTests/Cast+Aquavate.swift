import Bluetooth
import Bytes
import Captures
import PDUTestKit
import TestKit

/// A smart-bottle puck: its attribute handles and its values.
enum Aquavate {
    /// The Bluetooth address is two above the Wi-Fi station's, which ends in A3:F2.
    static let device = Cast.device(0x24_0AC4_12A3F4, .public)

    /// A characteristic of the shipped firmware.
    static func bottle(_ number: UInt8) -> UUID {
        UUID(value: 0x6F75_616B_7661_7465_2D00_000000000000 + UInt128(number))
    }

    /// A characteristic of the PRD dialect, numbered from 0xF1 on.
    static func prd(_ number: UInt8) -> UUID {
        UUID(value: 0x1234_5678_1234_5678_1234_56789ABCDE00 + UInt128(number))
    }

    private static let genericAccess = ServerLayout.Service.service(
        0x1800, .characteristic(0x2A00, [.read]), .characteristic(0x2A01, [.read]))
    private static let deviceInformation = ServerLayout.Service.service(
        0x180A, .characteristic(0x2A29, [.read]), .characteristic(0x2A24, [.read]), .characteristic(0x2A26, [.read]),
        .characteristic(0x2A25, [.read]))
    private static let battery = ServerLayout.Service.service(
        0x180F, .characteristic(0x2A19, [.read, .notify], descriptors: 0x2902))

    /// The attribute table of the shipped firmware, in its order.
    static let shipped = ServerLayout(
        genericAccess, .service(0x1801), deviceInformation, battery,
        .service(
            bottle(0),
            .characteristic(bottle(1), [.read, .notify], descriptors: 0x2902),
            .characteristic(bottle(2), [.read, .write]),
            .characteristic(bottle(5), [.write]),
            .characteristic(bottle(3), [.read, .write]),
            .characteristic(bottle(4), [.read, .notify], descriptors: 0x2902),
            .characteristic(bottle(6), [.read, .write]),
            .characteristic(bottle(7), [.read, .notify], descriptors: 0x2902),
            .characteristic(bottle(8), [.read, .notify], descriptors: 0x2902)))

    /// The table of the first firmware, of 2026-01-16.
    static let first = ServerLayout(
        genericAccess, .service(0x1801), deviceInformation, battery,
        .service(
            bottle(0),
            .characteristic(bottle(1), [.read, .notify], descriptors: 0x2902),
            .characteristic(bottle(2), [.read, .write]),
            .characteristic(bottle(5), [.write]),
            .characteristic(bottle(3), [.read, .write]),
            .characteristic(bottle(4), [.read, .notify], descriptors: 0x2902)))

    /// The table of the PRD dialect.
    static let required = ServerLayout(
        genericAccess, .service(0x1801), deviceInformation, battery,
        .service(
            prd(0xF0),
            .characteristic(prd(0xF1), [.read, .notify], descriptors: 0x2902),
            .characteristic(prd(0xF2), [.read, .write]),
            .characteristic(prd(0xF3), [.read, .notify], descriptors: 0x2902),
            .characteristic(prd(0xF4), [.read, .write]),
            .characteristic(prd(0xF5), [.read, .notify], descriptors: 0x2902)))

    /// A session from 2026-02-01 noon UTC on, the T0 of the protocol document.
    static func session() -> HCISession {
        let session = HCISession()
        session.recording.time = Timestamp(seconds: 1_769_947_200, nanoseconds: 0)
        return session
    }
}

extension HCILink {
    /// Writes a value. The write's effects come before the response.
    func write(_ handle: Handle, _ value: [UInt8], settingOff effect: () -> Void) {
        request(ATT.WriteRequest(handle: handle, value: value))
        effect()
        respond(ATT.WriteResponse())
    }
}
