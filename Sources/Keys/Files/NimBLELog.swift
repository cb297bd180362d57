import Bluetooth
import BluetoothCrypto
import Bytes

/// A log of NimBLE, also that of ESP-IDF, whose store of bonds writes its records at the level of debugging
/// (nimble/host/store): `peer_addr=`, `ediv=`, `rand=`, `ltk=`, `irk=` and `csrk=`. The bytes after a name are written
/// one by one, `0x9f 0x4a …`, or as one text, least significant first; ESP-IDF may write each on a line of its own.
enum NimBLELog: KeyFileFormat {
    static let name = "log of NimBLE"

    private static let kinds: KeyValuePairs<String, KnownKey.Kind> = ["ltk=": .ltk, "irk=": .irk, "csrk=": .csrk]

    static func isSign(_ line: KeyText.Line, isFirst: Bool) -> Bool {
        Words(of: line).contains { word in kinds.contains { word.starts(with: $0.key.utf8) } }
    }

    static func read(_ text: KeyText) throws(KeyFileError) -> [KnownKey] {
        var reader = Reader(text: text)
        for line in text.lines {
            for word in Words(of: line) { reader.read(word) }
            if reader.keys.count > KeyFile.keyLimit { break }
        }
        reader.endBytes()
        return reader.keys
    }

    /// The words of a line without ESP-IDF's colors and its prefix `D (1234) NimBLE:`.
    private struct Words: Sequence, IteratorProtocol {
        private var rest: ArraySlice<UInt8>

        init(of line: KeyText.Line) {
            rest = line.bytes.drop { $0 <= 0x20 }
            if rest.first == UInt8(ascii: "["), let end = rest.firstIndex(of: UInt8(ascii: "m")) {
                rest = rest[(end + 1)...]
            }
            let letters: [UInt8] = Array("EWIDV".utf8)
            guard let level = rest.first, letters.contains(level), rest.dropFirst().starts(with: " (".utf8),
                let colon = rest.firstIndex(of: UInt8(ascii: ":"))
            else { return }
            rest = rest[(colon + 1)...]
        }

        mutating func next() -> ArraySlice<UInt8>? {
            rest = rest.drop { $0 <= 0x20 }
            let word = rest.prefix { $0 > 0x20 }
            rest = rest[word.endIndex...]
            return word.isEmpty ? nil : word
        }
    }

    /// The state of reading, word by word.
    private struct Reader {
        let text: KeyText
        var keys: [KnownKey] = []
        private var device: Address?
        private var diversifier: UInt16?
        private var random: UInt64?
        private var field: Field?
        private var bytes: [UInt8] = []

        /// What the bytes that are being read are.
        private enum Field {
            case address
            case key(KnownKey.Kind)

            var size: Int {
                switch self {
                case .address: 6
                case .key(let kind): kind.size
                }
            }
        }

        init(text: KeyText) { self.text = text }

        mutating func read(_ word: ArraySlice<UInt8>) {
            if append(word) { return }
            endBytes()
            if let value = value(of: "ediv=", in: word) {
                diversifier = UInt16(exactly: value)
            } else if let value = value(of: "rand=", in: word) {
                random = value
            } else if let rest = rest(of: "peer_addr=", in: word) ?? rest(of: "addr=", in: word) {
                // Some programs write the address as people do.
                if let address = Address(String(decoding: rest.prefix(17), as: UTF8.self)) {
                    setDevice(address)
                } else {
                    field = .address
                    _ = append(rest)
                }
            } else {
                for (sign, kind) in NimBLELog.kinds {
                    guard let rest = rest(of: sign, in: word) else { continue }
                    field = .key(kind)
                    _ = append(rest)
                }
            }
        }

        /// Appends the bytes of a word to those that are being read; returns false if it has none.
        private mutating func append(_ word: ArraySlice<UInt8>) -> Bool {
            guard let field, let more = HexText.bytes(of: word), bytes.count + more.count <= field.size else {
                return false
            }
            bytes += more
            if bytes.count == field.size { endBytes() }
            return true
        }

        /// Ends the bytes that are being read; what is not complete is dropped.
        mutating func endBytes() {
            defer { (field, bytes) = (nil, []) }
            guard let field, bytes.count == field.size else { return }
            switch field {
            case .address: setDevice(Address(value: bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }))
            case .key(let kind):
                guard let value = KnownKey.Value(kind, bytes: bytes.reversed()) else { return }
                keys.append(text.key(value, of: device, named: kind == .ltk ? name : nil))
            }
        }

        private mutating func setDevice(_ address: Address) {
            device = address
            (diversifier, random) = (nil, nil)
        }

        private var name: KnownKey.LegacyName? {
            guard let diversifier, let random else { return nil }
            return KnownKey.LegacyName(encryptedDiversifier: diversifier, random: random)
        }

        private func rest(of sign: String, in word: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
            word.starts(with: sign.utf8) ? word.dropFirst(sign.utf8.count) : nil
        }

        /// The number after a sign, decimal or after `0x`.
        private func value(of sign: String, in word: ArraySlice<UInt8>) -> UInt64? {
            guard let rest = rest(of: sign, in: word) else { return nil }
            let text = String(decoding: rest.prefix(24), as: UTF8.self)
            return text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
        }
    }
}
