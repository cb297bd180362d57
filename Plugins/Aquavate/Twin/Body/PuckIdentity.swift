import Bluetooth
import Bytes
import PluginKit

/// Identity of a puck: address, name, advertising and Device Information (sections 2.1, 2.2 and 3.1).
struct PuckIdentity: Sendable {
    /// Public Bluetooth address.
    let address: Address
    /// Address of its Wi-Fi station; the Bluetooth address is two above it.
    private let station: Address
    let dialect: Dialect
    private let quirks: PuckQuirks

    /// The address in the examples of section 13.
    private static let usualAddress = Address(value: 0x24_0AC4_12A3F4)

    init(_ address: Address?, _ dialect: Dialect, _ quirks: PuckQuirks) {
        self.address = address ?? Self.usualAddress
        self.dialect = dialect
        self.quirks = quirks
        let value = self.address.value
        // Only the last byte is incremented.
        station = Address(value: value & ~0xFF | (value &- 2) & 0xFF)
    }

    /// The address used in the name and the serial number.
    private var named: Address { dialect == .shipped && quirks.shows(.stationAddress) ? station : address }

    var name: String {
        let digits = String(named.value & 0xFFFF, radix: 16, uppercase: true)
        return "Aquavate-" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// Values of the Device Information service by the names of its characteristics.
    var information: KeyValuePairs<String, [UInt8]> {
        [
            "manufacturer_name": text("Aquavate"),
            "model_number": text(dialect == .shipped ? "Puck v1.0" : "Puck v1"),
            "firmware_revision": text(dialect == .shipped ? "0.1.0" : "1.0.0", length: 16),
            "serial_number": text(named.description.uppercased()),
        ]
    }

    /// A string value. The firmware also sends the terminating NUL, and the memory after it.
    private func text(_ text: String, length: Int? = nil) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard dialect == .shipped, quirks.shows(.stringsWithNUL) else { return bytes }
        return bytes + [UInt8](repeating: 0, count: (length ?? bytes.count + 1) - bytes.count)
    }

    /// Its advertising data: 31 bytes, which leave room for the name only in the scan response.
    var advertising: TwinAdvertising {
        let isFastest = dialect == .prd || quirks.shows(.fastestInterval)
        return TwinAdvertising(
            data: GAP.AdvertisingData([
                .flags([.leGeneralDiscoverable, .bredrNotSupported]), .serviceUUIDs16([0x180F]),
                .serviceUUIDs128([dialect.service]), .connectionIntervalRange(isFastest ? 6 : 12, isFastest ? 6 : 24),
            ]).encoded,
            scanResponse: GAP.AdvertisingData([.completeLocalName(name)]).encoded, interval: .seconds(1))
    }
}
