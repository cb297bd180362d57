/// Encryption of the streams of a Broadcast Isochronous Group (Vol 6, Part E, 1.1 and 2).
///
/// Packets are sealed by `LinkEncryption` with the group's session key and the stream's vector, as if the broadcaster
/// were the central. The counter is the number of the payload.
package enum BroadcastEncryption {
    /// The Group Session Key of a Broadcast Code and of the diversifier in BIGInfo (Vol 6, Part E, 1.1).
    package static func groupSessionKey(broadcastCode: SecretKey, diversifier: UInt128) -> SecretKey {
        let intermediate = SecureConnections.h7(salt: 0x4249_4731, key: broadcastCode)
        let longTermKey = SecureConnections.h6(key: intermediate, identifier: 0x4249_4732)
        return SecureConnections.h8(key: longTermKey, s: diversifier, identifier: 0x4249_4733)
    }

    /// The initialization vector of a stream: that of the group with its low 32 bits XORed with the stream's access
    /// address (Vol 6, Part E, 2.1).
    package static func vector(groupVector: UInt64, accessAddress: UInt32) -> UInt64 {
        groupVector ^ UInt64(accessAddress)
    }

    /// The key of a Broadcast Code in text: its UTF-8, the first byte least significant, with zeros up to 16 bytes; nil
    /// unless it has 1 to 16 bytes (Vol 3, Part C, 3.2.6).
    package static func broadcastCode(_ text: some StringProtocol) -> SecretKey? {
        let bytes = Array(text.utf8)
        return (1...16).contains(bytes.count) ? SecretKey(wireBytes: bytes) : nil
    }
}

/// Encryption of a Connected Isochronous Stream (Vol 6, Part B, 4.5.13 and Part E, 2).
///
/// Packets are sealed by `LinkEncryption` with the session key of the connection and the stream's vector. The counter
/// is the number of the payload, which counts in each direction from 0.
package enum ConnectedStreamEncryption {
    /// The initialization vector of a stream: that of the connection with its low 32 bits XORed with the stream's access
    /// address (Vol 6, Part E, 2.1).
    package static func vector(linkVector: UInt64, accessAddress: UInt32) -> UInt64 {
        linkVector ^ UInt64(accessAddress)
    }
}
