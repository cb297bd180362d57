import Bluetooth
import BluetoothCrypto
import Bytes

/// Bumble's JSON keystore (`bumble/keys.py`): for each namespace the bonded devices by address, such as
/// `F0:F1:F2:F3:F4:F5/P`, with keys whose `value` has the bytes in the order of HCI: least significant first.
enum BumbleKeystore: KeyFileFormat {
    static let name = "keystore of Bumble"

    /// Members with keys; `link_key` is for BR/EDR.
    private static let kinds: KeyValuePairs<String, KnownKey.Kind> = [
        "ltk": .ltk, "ltk_central": .ltk, "ltk_peripheral": .ltk, "irk": .irk, "csrk": .csrk,
    ]

    /// Maximum size in bytes: a hundred times that of a keystore with as many devices as controllers remember.
    private static let sizeLimit = 4 << 20

    static func isSign(_ line: KeyText.Line, isFirst: Bool) -> Bool { isFirst && line.begins(with: "{") }

    static func read(_ text: KeyText) throws(KeyFileError) -> [KnownKey] {
        guard text.bytes.count <= sizeLimit else {
            throw text.error("longer than \(sizeLimit >> 20) MB: no \(name)")
        }
        let json: JSONValue
        do throws(JSONValue.Fault) {
            json = try JSONValue(reading: text.bytes)
        } catch {
            throw KeyFileError(file: text.name, line: error.line, "column \(error.column): expected \(error.expected)")
        }
        var keys: [KnownKey] = []
        guard case .object(let namespaces) = json else { return [] }
        for namespace in namespaces {
            guard case .object(let devices) = namespace.value else { continue }
            for device in devices {
                let address = Address(device.name.prefix { $0 != "/" })
                for (name, kind) in kinds {
                    guard let entry = device.value[name], entry["value"] != nil else { continue }
                    guard let key = key(kind, entry, address, text) else {
                        throw text.error(
                            "\(address.map { "\($0)" } ?? "a device"): the value of \(name): expected \(2 * kind.size) hexadecimal digits"
                        )
                    }
                    keys.append(key)
                    if keys.count > KeyFile.keyLimit { return keys }
                }
            }
        }
        return keys
    }

    private static func key(
        _ kind: KnownKey.Kind, _ entry: JSONValue, _ address: Address?, _ text: KeyText
    ) -> KnownKey? {
        guard let bytes = entry["value"]?.string.flatMap({ HexText.bytes(of: $0) }),
            let value = KnownKey.Value(kind, bytes: bytes.reversed())
        else { return nil }
        return text.key(value, of: address, named: kind == .ltk ? name(entry) : nil)
    }

    /// `ediv` is a number, `rand` has 8 bytes in the order of HCI.
    private static func name(_ entry: JSONValue) -> KnownKey.LegacyName? {
        guard case .integer(let number) = entry["ediv"], let diversifier = UInt16(exactly: number),
            let bytes = entry["rand"]?.string.flatMap({ HexText.bytes(of: $0) }), bytes.count == 8
        else { return nil }
        let random = bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        return KnownKey.LegacyName(encryptedDiversifier: diversifier, random: random)
    }
}
