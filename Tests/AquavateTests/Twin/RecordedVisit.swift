import Bluetooth
import Bytes
import PDUTestKit
import PluginKit
import TestKit

@testable import Aquavate

extension PuckSession {
    /// The packets exchanged between a client and a twin.
    convenience init(_ exchanges: [(time: Timestamp, exchange: ClientFixture.Exchange)], _ dialect: Dialect = .shipped)
    {
        self.init(dialect)
        // The PRD derives the name from the Bluetooth address, the firmware from the address of the Wi-Fi station.
        if dialect == .prd { name = "Aquavate-A3F4" }
        for (time, exchange) in exchanges {
            recording.time = max(time, recording.time)
            record(exchange)
        }
    }

    private func record(_ exchange: ClientFixture.Exchange) {
        switch exchange {
        case .connected:
            advertise()
            connect()
            link.exchangeMTU(client: 517, server: 247)
            link.discover(layout)
        case .disconnected(byClient: true): end()
        case .disconnected(byClient: false): lose()
        case .request(.write(let name, let bytes)):
            link.request(ATT.WriteRequest(handle: handle(number(name)), value: bytes))
        case .request(.subscribe(let name, _)): link.subscribe(configuration(number(name)))
        case .request: break
        case .response(.read(let name, .success(let bytes))): link.readLong(handle(number(name)), bytes)
        case .response(.written(let name, nil)):
            if Self.writable.contains(name) { link.respond(ATT.WriteResponse()) }
        case .response: break
        case .reported(let name, let bytes): notify(number(name), bytes)
        }
    }

    private static let writable: Set<String> = [
        "bottle_config", "sync_control", "command", "device_settings", "prd_bottle_config", "sync_status",
    ]

    /// The last byte of the UUID of a bottle service characteristic, or the 16-bit UUID of another one.
    private func number(_ name: String) -> UInt16 {
        let numbers: [String: UInt16] = [
            "current_state": 1, "bottle_config": 2, "sync_control": 3, "drink_data": 4, "command": 5,
            "device_settings": 6, "activity_stats": 7, "calibration_state": 8, "current_weight": 0xF1,
            "prd_bottle_config": 0xF2, "drink_history": 0xF3, "sync_status": 0xF4, "device_status": 0xF5,
            "battery_level": 0x2A19, "manufacturer_name": 0x2A29, "model_number": 0x2A24, "firmware_revision": 0x2A26,
            "serial_number": 0x2A25,
        ]
        return numbers[name] ?? 0
    }
}
