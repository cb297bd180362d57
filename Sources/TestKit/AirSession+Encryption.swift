package import Bluetooth
package import BluetoothCrypto
package import Captures

/// Encryption of a scripted connection's payloads, with the packet counters of both sides (Vol 6, Part E, 2).
package struct AirCipher {
    package let encryption: LinkEncryption
    /// The counters of the next PDUs.
    package var counters: [Direction: UInt64] = [:]

    package init(_ encryption: LinkEncryption) {
        self.encryption = encryption
    }

    /// The encrypted payload with its MIC.
    package mutating func seal(_ payload: [UInt8], _ llid: LL.LLID, _ direction: Direction) -> [UInt8] {
        let counter = counters[direction, default: 0]
        counters[direction] = counter + 1
        return encryption.seal(
            payload, header: llid.rawValue, counter: counter, from: direction == .sent ? .central : .peripheral)
    }
}

extension AirLink {
    /// The values that both sides contribute to a session key; by default those of the specification's sample data
    /// (Vol 6, Part C, 1).
    package struct SessionValues {
        package var random: UInt64 = 0xABCD_EF12_3456_7890
        package var encryptedDiversifier: UInt16 = 0x2474
        package var centralDiversifier: UInt64 = 0xACBD_CEDF_E0F1_0213
        package var peripheralDiversifier: UInt64 = 0x0213_2435_4657_6879
        package var centralVector: UInt32 = 0xBADC_AB24
        package var peripheralVector: UInt32 = 0xDEAF_BABE

        package init() {}

        package func encryption(_ longTermKey: SecretKey) -> LinkEncryption {
            LinkEncryption(
                longTermKey: longTermKey, centralDiversifier: centralDiversifier,
                peripheralDiversifier: peripheralDiversifier, centralVector: centralVector,
                peripheralVector: peripheralVector)
        }
    }

    /// Starts encryption with a key, from LL_ENC_REQ to both LL_START_ENC_RSP (Vol 6, Part B, 5.1.3.1).
    package func encrypt(with longTermKey: SecretKey, _ values: SessionValues = SessionValues()) {
        control(
            LL.EncReq(
                random: values.random, encryptedDiversifier: values.encryptedDiversifier,
                sessionKeyDiversifier: values.centralDiversifier, initializationVector: values.centralVector), .sent)
        control(
            LL.EncRsp(
                sessionKeyDiversifier: values.peripheralDiversifier, initializationVector: values.peripheralVector),
            .received)
        control([LL.ControlOpcode.startEncReq.rawValue], .received)
        cipher = AirCipher(values.encryption(longTermKey))
        isEncrypted = true
        control([LL.ControlOpcode.startEncRsp.rawValue], .sent)
        control([LL.ControlOpcode.startEncRsp.rawValue], .received)
    }

    /// Pauses encryption (Vol 6, Part B, 5.1.3.2): the central's LL_PAUSE_ENC_RSP is plain text.
    package func pauseEncryption() {
        control([LL.ControlOpcode.pauseEncReq.rawValue], .sent)
        control([LL.ControlOpcode.pauseEncRsp.rawValue], .received)
        isEncrypted = false
        control([LL.ControlOpcode.pauseEncRsp.rawValue], .sent)
    }
}
