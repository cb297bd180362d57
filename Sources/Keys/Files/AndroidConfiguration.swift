import Bluetooth
import BluetoothCrypto

/// Android's `/data/misc/bluedroid/bt_config.conf`: a section for each bonded device, named by its address, with the
/// bytes of the structures that the Bluetooth stack keeps (`tBTM_LE_KEY_VALUE` in its sources), each number least
/// significant byte first.
enum AndroidConfiguration: KeyFileFormat {
    static let name = "bt_config.conf of Android"

    /// An entry with a key, and the number of bytes that it has at least.
    private enum Entry: String, CaseIterable {
        /// The peer's Long Term Key: key 16, Rand 8, EDIV 2, security level 1, key size 1.
        case peerEncryption = "LE_KEY_PENC"
        /// The Long Term Key that this phone has distributed: key 16, DIV 2, key size 1, security level 1.
        case localEncryption = "LE_KEY_LENC"
        /// The peer's identity: IRK 16, address type 1, address 6.
        case peerIdentity = "LE_KEY_PID"
        /// The identity of this phone, in newer versions; empty in older ones.
        case localIdentity = "LE_KEY_LID"
        /// The peer's key of signatures: counter 4, key 16, security level 1.
        case peerSignature = "LE_KEY_PCSRK"
        /// The key of this phone's signatures: counter 4, DIV 2, security level 1, key 16.
        case localSignature = "LE_KEY_LCSRK"
        /// The IRK of this phone, in the section of the adapter.
        case adapterIdentity = "LE_LOCAL_KEY_IRK"

        var size: Int {
            switch self {
            case .peerEncryption: 28
            case .localEncryption, .localIdentity, .adapterIdentity: 16
            case .peerSignature: 20
            case .peerIdentity, .localSignature: 23
            }
        }
    }

    static func isSign(_ line: KeyText.Line, isFirst: Bool) -> Bool {
        line.begins(with: "LE_KEY_") || line.begins(with: "LE_LOCAL_KEY_")
    }

    static func read(_ text: KeyText) throws(KeyFileError) -> [KnownKey] {
        var keys: [KnownKey] = []
        var device: Address?
        for line in text.lines {
            if let section = line.section {
                device = Address(section)
                continue
            }
            guard line.begins(with: "LE_") || line.begins(with: "Address"), let (name, value) = line.assignment else {
                continue
            }
            // The adapter's section has its address as an entry.
            if name == "Address" { device = device ?? Address(value) }
            guard let entry = Entry(rawValue: String(name)), !value.isEmpty else { continue }
            guard let bytes = HexText.bytes(of: value) else {
                throw text.error("\(name): expected hexadecimal digits", in: line)
            }
            if bytes.count < entry.size {
                // What was not distributed has a short entry of zeros.
                if bytes.allSatisfy({ $0 == 0 }) { continue }
                throw text.error("\(name): \(bytes.count) bytes; expected \(entry.size)", in: line)
            }
            keys.append(key(entry, bytes, device, text))
            if keys.count > KeyFile.keyLimit { break }
        }
        return keys
    }

    private static func key(_ entry: Entry, _ bytes: [UInt8], _ device: Address?, _ text: KeyText) -> KnownKey {
        let key = SecretKey(wireBytes: Array(bytes.prefix(16)))
        switch entry {
        case .peerEncryption:
            let random = bytes[16..<24].reversed().reduce(0) { $0 << 8 | UInt64($1) }
            let name = KnownKey.LegacyName(
                encryptedDiversifier: UInt16(bytes[24]) | UInt16(bytes[25]) << 8, random: random)
            return text.key(.longTerm(key), of: device, named: name)
        case .localEncryption: return text.key(.longTerm(key), of: device)
        case .peerIdentity:
            // The bytes of an address lie as it is written.
            let identity = bytes[17..<23].reduce(0) { $0 << 8 | UInt64($1) }
            return text.key(.identityResolving(key), of: identity == 0 ? device : Address(value: identity))
        case .localIdentity, .adapterIdentity:
            // In the section of a device, the key is still this phone's.
            return text.key(.identityResolving(key), of: entry == .adapterIdentity ? device : nil)
        case .peerSignature: return text.key(.signature(SecretKey(wireBytes: Array(bytes[4..<20]))), of: device)
        case .localSignature: return text.key(.signature(SecretKey(wireBytes: Array(bytes[7..<23]))), of: device)
        }
    }
}
