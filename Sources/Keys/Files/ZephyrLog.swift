import Bluetooth
import BluetoothCrypto
import Bytes

/// A log of Zephyr's host with `CONFIG_BT_LOG_SNIFFER_INFO=y` (subsys/bluetooth/host/keys.c, smp.c, hci_core.c and
/// ecc.c), on a terminal or in a file: each key after `0x`, most significant byte first, as long as the negotiated key
/// size.
enum ZephyrLog: KeyFileFormat {
    static let name = "log of Zephyr"

    /// What stands before a key. The lines of legacy pairing are the central's and the peripheral's Long Term Key.
    private static let signs: KeyValuePairs<String, KnownKey.Kind> = [
        "SC LTK: 0x": .ltk, "Legacy LTK: 0x": .ltk, "SC private key 0x": .privateKey,
    ]

    static func isSign(_ line: KeyText.Line, isFirst: Bool) -> Bool {
        signs.contains { line.contains($0.key) } || identityKey(in: line) != nil
    }

    static func read(_ text: KeyText) throws(KeyFileError) -> [KnownKey] {
        var keys: [KnownKey] = []
        // The address that the host writes before the IRK of that identity.
        var identity: Address?
        for line in text.lines {
            if let address = Self.identity(in: line) { identity = address }
            if let digits = identityKey(in: line), let key = key(.irk, digits) {
                keys.append(text.key(key, of: identity))
            }
            for (sign, kind) in signs {
                guard let rest = line.rest(after: sign), let key = key(kind, rest) else { continue }
                keys.append(text.key(key))
            }
            if keys.count > KeyFile.keyLimit { break }
        }
        return keys
    }

    /// The key at the start of a text. A Long Term Key of less than 16 bytes is one that pairing has shortened: its most
    /// significant bytes are zero (Vol 3, Part H, 2.3.4). A key that the log has cut is left out.
    private static func key(_ kind: KnownKey.Kind, _ text: ArraySlice<UInt8>) -> KnownKey.Value? {
        let digits = text.prefix { $0.hexDigitValue != nil }
        guard var bytes = HexText.bytes(of: digits) else { return nil }
        if kind == .ltk, (7..<16).contains(bytes.count) { bytes = Array(repeating: 0, count: 16 - bytes.count) + bytes }
        return KnownKey.Value(kind, bytes: bytes)
    }

    /// The digits in `IRK: 0x…` or `IRK[1]: 0x…`.
    private static func identityKey(in line: KeyText.Line) -> ArraySlice<UInt8>? {
        rest(after: "IRK", separator: ": 0x", in: line)
    }

    /// The address in `Identity: C0:11:22:33:44:55 (random)` or `Identity[0]: …`.
    private static func identity(in line: KeyText.Line) -> Address? {
        rest(after: "Identity", separator: ": ", in: line).flatMap {
            Address(String(decoding: $0.prefix(17), as: UTF8.self))
        }
    }

    /// What follows a word, an optional index in brackets and a separator.
    private static func rest(
        after word: String, separator: String, in line: KeyText.Line
    ) -> ArraySlice<UInt8>? {
        guard var rest = line.rest(after: word) else { return nil }
        if rest.first == UInt8(ascii: "[") {
            rest = rest.dropFirst().drop { (0x30...0x39).contains($0) }
            guard rest.first == UInt8(ascii: "]") else { return nil }
            rest = rest.dropFirst()
        }
        return rest.starts(with: separator.utf8) ? rest.dropFirst(separator.utf8.count) : nil
    }
}
