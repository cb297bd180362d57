import Bluetooth
import BluetoothCrypto
import Bytes

/// The keys that a host hands to its controller in commands of HCI.
package enum HostKeys {
    /// The keys in a command, which begins with its opcode: LE Enable Encryption, LE Long Term Key Request Reply, LE Add
    /// Device To Resolving List, LE Create BIG and LE BIG Create Sync (Vol 4, Part E, 7.8.24, 7.8.25, 7.8.38, 7.8.103
    /// and 7.8.106). A key of zeros is none.
    ///
    /// Keys of connections have no address, as the command names the connection by its handle.
    package static func keys(inCommand bytes: RawSpan, frame: Int) -> [KnownKey] {
        guard bytes.byteCount > headerSize else { return [] }
        let command = ByteReader(bytes).restBytes
        let parameters = Array(command.dropFirst(headerSize))
        switch HCI.Opcode(rawValue: UInt16(command[0]) | UInt16(command[1]) << 8) {
        case .leEnableEncryption:
            guard let command = try? HCI.LEEnableEncryption(decoding: parameters) else { return [] }
            let name = KnownKey.LegacyName(
                encryptedDiversifier: command.encryptedDiversifier,
                random: command.randomNumber.reversed().reduce(0) { $0 << 8 | UInt64($1) })
            return key(command.longTermKey, .frame(frame, "LE Enable Encryption"), name: name)
        case .leLongTermKeyRequestReply:
            guard let command = try? HCI.LELongTermKeyRequestReply(decoding: parameters) else { return [] }
            return key(command.longTermKey, .frame(frame, "LE Long Term Key Request Reply"), name: nil)
        case .leAddDeviceToResolvingList:
            guard let command = try? HCI.LEAddDeviceToResolvingList(decoding: parameters) else { return [] }
            let origin = KnownKey.Origin.frame(frame, "LE Add Device To Resolving List")
            return [(command.peerIRK, command.peer), (command.localIRK, nil)].compactMap { bytes, owner in
                let key = SecretKey(wireBytes: bytes)
                return key.value == 0 ? nil : KnownKey(.identityResolving(key), address: owner, origin: origin)
            }
        case .createBIG:
            return broadcastCode(in: bytes, .frame(frame, "LE Create BIG"))
        case .createBIGSync:
            return broadcastCode(in: bytes, .frame(frame, "LE BIG Create Sync"))
        default: return []
        }
    }

    /// The Broadcast Code of a command, where its row in the table of commands has it.
    private static func broadcastCode(in bytes: RawSpan, _ origin: KnownKey.Origin) -> [KnownKey] {
        let recorder = FieldRecorder()
        var reader = ByteReader(bytes, recorder: recorder)
        do throws(DecodeError) {
            try HCI.readCommand(&reader)
        } catch {
            return []
        }
        guard let field = recorder.fields.first(where: { $0.field.name == "bthci_cmd.broadcast_code" }) else {
            return []
        }
        let code = ByteReader(bytes).restBytes.dropFirst(Int(field.offset)).prefix(Int(field.length))
        let key = SecretKey(wireBytes: Array(code))
        return key.value == 0 ? [] : [KnownKey(.broadcastCode(key), origin: origin)]
    }

    /// Opcode and length of the parameters.
    private static let headerSize = 3

    private static func key(
        _ bytes: [UInt8], _ origin: KnownKey.Origin, name: KnownKey.LegacyName?
    ) -> [KnownKey] {
        let key = SecretKey(wireBytes: bytes)
        return key.value == 0 ? [] : [KnownKey(.longTerm(key), name: name, origin: origin)]
    }
}

extension HCI.Opcode {
    fileprivate static let createBIG = Self(rawValue: 0x2068)
    fileprivate static let createBIGSync = Self(rawValue: 0x206B)

    /// Whether a command hands a key of a connection or of a BIG to the controller.
    package var handsOverKey: Bool {
        switch self {
        case .leEnableEncryption, .leLongTermKeyRequestReply, .createBIG, .createBIGSync: true
        default: false
        }
    }
}
