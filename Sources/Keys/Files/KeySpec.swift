package import Bluetooth
import BluetoothCrypto

/// A key as `--key` and lines of key files have it: `KIND:HEX[@ADDRESS]`.
package struct KeySpec: Sendable, Hashable {
    package var value: KnownKey.Value
    /// The device that the key belongs to; nil for any.
    package var address: Address?

    /// The syntax, for messages.
    package static let syntax = "KIND:HEX[@ADDRESS]"

    /// What is wrong with a text. It never has the text, which may be a key.
    package struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
        package var description: String
    }

    package init(_ value: KnownKey.Value, address: Address? = nil) {
        self.value = value
        self.address = address
    }

    package init(_ text: some StringProtocol) throws(Fault) {
        guard let kind = Self.kind(of: text), let colon = text.firstIndex(of: ":") else {
            throw Fault(description: "expected \(Self.syntax), where KIND is one of \(Self.kinds)")
        }
        var content = text[text.index(after: colon)...]
        if let at = content.lastIndex(of: "@") {
            let address = Address(content[content.index(after: at)...])
            // The text of a Broadcast Code may have the sign, too.
            if address == nil, kind != .broadcastCode {
                throw Fault(description: "\(kind.rawValue): expected an address after @, like c0:11:22:33:44:55")
            }
            if let address {
                self.address = address
                content = content[..<at]
            }
        }
        guard let value = Self.value(kind, content) else {
            throw Fault(description: "\(kind.rawValue): expected \(Self.expectation(kind))")
        }
        self.value = value
    }

    /// The kind that a text begins with, followed by a colon; nil for another text.
    static func kind(of text: some StringProtocol) -> KnownKey.Kind? {
        // The longest name has 14 characters.
        let word = text.prefix(15)
        guard let colon = word.firstIndex(of: ":") else { return nil }
        return KnownKey.Kind(rawValue: word[..<colon].lowercased())
    }

    /// Whether a text begins as a key does, so that it must not be printed, as the name of a missing file would be.
    package static func isLikely(_ text: some StringProtocol) -> Bool { kind(of: text) != nil }

    private static func value(_ kind: KnownKey.Kind, _ text: some StringProtocol) -> KnownKey.Value? {
        if kind == .passkey { return passkey(text).map { .passkey($0) } }
        let bytes = HexText.bytes(of: text)
        if let bytes, let value = KnownKey.Value(kind, bytes: bytes) { return value }
        return kind == .broadcastCode ? broadcastCode(text) : nil
    }

    /// A passkey of at most six digits (Vol 3, Part H, 2.3.5.3).
    private static func passkey(_ text: some StringProtocol) -> UInt32? {
        let digits = String(text.filter { $0 != " " })
        guard (1...6).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return UInt32(digits)
    }

    /// The text that a user enters: its first byte is the least significant one, and zeros follow the last
    /// (Vol 3, Part C, 3.2.6).
    private static func broadcastCode(_ text: some StringProtocol) -> KnownKey.Value? {
        let bytes = Array(text.utf8)
        guard (1...16).contains(bytes.count) else { return nil }
        return .broadcastCode(SecretKey(wireBytes: bytes))
    }

    private static var kinds: String { KnownKey.Kind.allCases.map(\.rawValue).joined(separator: ", ") }

    private static func expectation(_ kind: KnownKey.Kind) -> String {
        let digits = "\(2 * kind.size) hexadecimal digits, the most significant byte first"
        return switch kind {
        case .passkey: "a decimal number, 0 to 999999"
        case .session, .ead: "\(digits): 16 bytes of the key and 8 of its initialization vector"
        case .broadcastCode: "a text of 1 to 16 bytes, or \(digits)"
        case .privateKey: "\(digits), of a private key of P-256"
        case .ltk, .stk, .tk, .irk, .csrk: digits
        }
    }

    /// The key in full, as it is read: only for output that the user asks to show keys.
    package var text: String { written(digits: .max) }

    /// The key with no more than its first four digits. A passkey, which has six, shows none.
    package var maskedText: String { written(digits: 4) }

    private func written(digits count: Int) -> String {
        let digits = digits
        let shown =
            count >= digits.count ? digits : (value.kind == .passkey ? "" : String(digits.prefix(count))) + "…"
        return "\(value.kind.rawValue):\(shown)\(address.map { "@\($0)" } ?? "")"
    }

    private var digits: String {
        if case .passkey(let number) = value {
            let digits = String(number)
            return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
        }
        return HexText.text(value.bytes ?? [])
    }
}
