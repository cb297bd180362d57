import Bluetooth
import BluetoothCrypto

/// The file `/var/lib/bluetooth/ADAPTER/DEVICE/info` of BlueZ (doc/settings-storage in its sources).
///
/// `Key` has the bytes in the order of the kernel's management interface, which is that of HCI: least significant first.
/// `EDiv` and `Rand` are numbers, decimal or after `0x`; both are 0 for a key of LE Secure Connections.
enum BlueZInfo: KeyFileFormat {
    static let name = "BlueZ info file"

    /// Sections with keys, and the kinds of these; `[SlaveLongTermKey]` is the older name of `[PeripheralLongTermKey]`.
    /// `[LinkKey]` is for BR/EDR.
    private static let kinds: [String: KnownKey.Kind] = [
        "LongTermKey": .ltk, "PeripheralLongTermKey": .ltk, "SlaveLongTermKey": .ltk, "IdentityResolvingKey": .irk,
        "LocalSignatureKey": .csrk, "RemoteSignatureKey": .csrk,
    ]

    static func isSign(_ line: KeyText.Line, isFirst: Bool) -> Bool {
        guard line.begins(with: "["), let section = line.section else { return false }
        return kinds[String(section)] != nil || section == "LinkKey"
    }

    static func read(_ text: KeyText) throws(KeyFileError) -> [KnownKey] {
        let device = device(of: text.path)
        var sections: [Section] = []
        for line in text.lines {
            if let name = line.section {
                guard sections.count < KeyFile.keyLimit else { break }
                sections.append(Section(kind: kinds[String(name)]))
                continue
            }
            guard let last = sections.indices.last, let kind = sections[last].kind,
                let (name, value) = line.assignment
            else { continue }
            switch name {
            case "Key":
                guard let bytes = HexText.bytes(of: value), bytes.count == kind.size else {
                    throw text.error(
                        "\(kind.rawValue): expected \(2 * kind.size) hexadecimal digits after Key=", in: line)
                }
                sections[last].key = KnownKey.Value(kind, bytes: bytes.reversed())
            case "EDiv": sections[last].diversifier = integer(value).flatMap { UInt16(exactly: $0) }
            case "Rand": sections[last].random = integer(value)
            default: break
            }
        }
        var keys: [KnownKey] = []
        for section in sections {
            guard let value = section.key else { continue }
            let key = text.key(value, of: device, named: section.name)
            // Newer versions write the key of a peripheral in the section of the older name, too.
            if !keys.contains(key) { keys.append(key) }
        }
        return keys
    }

    /// A section with a key, as far as it is read.
    private struct Section {
        /// Nil for a section without a key of LE.
        let kind: KnownKey.Kind?
        var key: KnownKey.Value?
        var diversifier: UInt16?
        var random: UInt64?

        var name: KnownKey.LegacyName? {
            guard kind == .ltk, let diversifier, let random else { return nil }
            return KnownKey.LegacyName(encryptedDiversifier: diversifier, random: random)
        }
    }

    private static func integer(_ text: Substring) -> UInt64? {
        text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
    }

    /// The device in `…/AA:BB:CC:DD:EE:FF/info`.
    private static func device(of path: String) -> Address? {
        path.split(separator: "/").suffix(2).first.flatMap { Address($0) }
    }
}
