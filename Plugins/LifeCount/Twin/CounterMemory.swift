import Bytes
import PluginKit
import Profile

/// State that a counter keeps without power. Its events, their numbers and its clock are not part of it.
struct CounterMemory: Codable, Hashable, Sendable {
    /// Never 0.
    var deviceID: UInt32
    /// 0 if not set.
    var locationID: UInt16 = 0
    /// Number of boots.
    var bootCount: UInt32 = 0
    /// Charge of the battery, 0 to 100.
    var batteryPercent: UInt8 = 100

    private enum CodingKeys: String, CodingKey {
        case deviceID = "device_id"
        case locationID = "location_id"
        case bootCount = "boot_count"
        case batteryPercent = "battery_percent"
    }

    /// ID of the first counter from the factory; later ones have the next IDs.
    private static let firstDeviceID: UInt32 = 0x1E0F_A5C3

    /// A counter as it leaves the factory: every seed, from 1 on, gives a different device ID.
    init(seed: UInt64) {
        let deviceID = Self.firstDeviceID &+ UInt32(truncatingIfNeeded: seed &- 1)
        self.deviceID = deviceID == 0 ? .max : deviceID
    }

    /// Reads the output of `json`.
    init(json: [UInt8]) throws(TwinFault) {
        let text: JSONValue
        do throws(JSONValue.Fault) {
            text = try JSONValue(reading: json)
        } catch {
            throw TwinFault("the counter's storage is no JSON: \(error)")
        }
        guard let memory = try? RecordDecoder().decode(CounterMemory.self, from: Value(text)), memory.deviceID != 0,
            memory.batteryPercent <= 100
        else {
            throw TwinFault(
                "the counter's storage: expected device_id (not 0), location_id, boot_count and battery_percent (0 to "
                    + "100), as numbers; delete it to begin with a new counter")
        }
        self = memory
    }

    var json: [UInt8] { (try? RecordEncoder().encode(self)).map { Array($0.json.utf8) } ?? [] }

    /// Its advertised name, with the low 16 bits of the device ID.
    var name: String { "LifeCount-" + String(hex: UInt16(truncatingIfNeeded: deviceID), digits: 4).uppercased() }
}
