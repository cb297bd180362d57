import BluetoothCrypto

/// Command lines of nRF Util's `ble-sniffer sniff`, whose options are named after the keys of the nRF Sniffer: each
/// takes its key after `0x`, most significant byte first.
enum NordicOptions: KeyFileFormat {
    static let name = "command line of nRF Util"

    private static let kinds: KeyValuePairs<String, KnownKey.Kind> = [
        "--sc-ltk-key": .ltk, "--legacy-ltk-key": .ltk, "--irk-key": .irk, "--diffie-hellman-key": .privateKey,
    ]

    static func isSign(_ line: KeyText.Line, isFirst: Bool) -> Bool {
        kinds.contains { line.contains($0.key) }
    }

    static func read(_ text: KeyText) throws(KeyFileError) -> [KnownKey] {
        var keys: [KnownKey] = []
        for line in text.lines {
            for (option, kind) in kinds {
                guard let rest = line.rest(after: option) else { continue }
                let word = rest.drop { $0 <= 0x20 || $0 == UInt8(ascii: "=") || Self.isQuote($0) }
                    .prefix { $0 > 0x20 && !Self.isQuote($0) }
                guard let bytes = HexText.bytes(of: word), let value = KnownKey.Value(kind, bytes: bytes) else {
                    throw text.error("\(option): expected \(2 * kind.size) hexadecimal digits after 0x", in: line)
                }
                keys.append(text.key(value))
            }
            if keys.count > KeyFile.keyLimit { break }
        }
        return keys
    }

    private static func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }
}
