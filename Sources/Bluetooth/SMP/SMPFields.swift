public import Bytes

extension SMP {
    /// The fields of this layer, under Wireshark's names. Keys are marked as secret.
    public enum Fields {
        public static let opcode = Field(
            "btsmp.opcode", "Code", .hex(2), names: ValueNames { Opcode(rawValue: UInt8(truncatingIfNeeded: $0)).name })
        public static let parameters = Field("btsmp.parameters", "Data", .bytes)

        // Pairing (Vol 3, Part H, 3.5)
        public static let ioCapability = Field(
            "btsmp.io_capability", "IO Capability", .hex(2),
            names: ValueNames { IOCapability(rawValue: UInt8(truncatingIfNeeded: $0)).name })
        public static let oobDataFlag = Field(
            "btsmp.oob_data_flags", "OOB Data Flag", .hex(2),
            names: ValueNames([0: "OOB Auth. Data Not Present", 1: "OOB Auth. Data From Remote Device Present"]))
        public static let authReq = Field("btsmp.authreq", "AuthReq", .hex(2))
        public static let maximumKeySize = Field(
            "btsmp.max_enc_key_size", "Maximum Encryption Key Size", .decimal, unit: "bytes")
        public static let initiatorKeyDistribution = Field(
            "btsmp.initiator_key_distribution", "Initiator Key Distribution", .hex(2))
        public static let responderKeyDistribution = Field(
            "btsmp.responder_key_distribution", "Responder Key Distribution", .hex(2))
        public static let confirmValue = Field("btsmp.cfm_value", "Confirm Value", .bytes)
        public static let randomValue = Field("btsmp.random_value", "Random Value", .bytes)
        public static let reason = Field(
            "btsmp.reason", "Reason", .hex(2),
            names: ValueNames { FailureReason(rawValue: UInt8(truncatingIfNeeded: $0)).name })
        public static let publicKeyX = Field("btsmp.public_key_x", "Public Key X", .bytes)
        public static let publicKeyY = Field("btsmp.public_key_y", "Public Key Y", .bytes)
        public static let dhKeyCheck = Field("btsmp.dhkey_check", "DHKey Check", .bytes)
        public static let notificationType = Field(
            "btsmp.notification_type", "Notification Type", .hex(2),
            names: ValueNames { KeypressType(rawValue: UInt8(truncatingIfNeeded: $0)).name })

        // Key distribution (Vol 3, Part H, 3.6)
        public static let longTermKey = Field("btsmp.long_term_key", "Long Term Key", .bytes, isSecret: true)
        public static let ediv = Field("btsmp.ediv", "EDIV", .hex(4))
        public static let identityResolvingKey = Field(
            "btsmp.id_resolving_key", "Identity Resolving Key", .bytes, isSecret: true)
        public static let addressType = Field(
            "btsmp.address_type", "AddrType", .hex(2), names: ValueNames([0: "Public", 1: "Random"]))
        public static let address = Field("btsmp.bd_addr", "BD_ADDR", .address)
        public static let signatureKey = Field("btsmp.signature_key", "Signature Key", .bytes, isSecret: true)

        /// Bit fields of AuthReq (Vol 3, Part H, 3.5.1).
        public static let authReqBits = [
            Field("btsmp.reserved_flags", "Reserved", .hex(2), mask: 0xC0),
            Field("btsmp.ct2_flag", "CT2 Flag", .boolean, mask: 0x20),
            Field("btsmp.keypress_flag", "Keypress Flag", .boolean, mask: 0x10),
            Field("btsmp.sc_flag", "Secure Connection Flag", .boolean, mask: 0x08),
            Field("btsmp.mitm_flag", "MITM Flag", .boolean, mask: 0x04),
            Field(
                "btsmp.bonding_flags", "Bonding Flags", .hex(2), mask: 0x03,
                names: ValueNames([0: "No Bonding", 1: "Bonding"])),
        ]

        /// Bit fields of a key distribution (Vol 3, Part H, 3.6.1).
        public static let keyDistributionBits = [
            Field("btsmp.key_dist_reserved", "Reserved", .hex(2), mask: 0xF0),
            Field("btsmp.key_dist_linkkey", "Link Key", .boolean, mask: 0x08),
            Field("btsmp.key_dist_sign", "Signature Key (CSRK)", .boolean, mask: 0x04),
            Field("btsmp.key_dist_id", "Id Key (IRK)", .boolean, mask: 0x02),
            Field("btsmp.key_dist_enc", "Encryption Key (LTK)", .boolean, mask: 0x01),
        ]

        /// All fields of the layer.
        public static let all =
            [
                opcode, parameters, ioCapability, oobDataFlag, authReq, maximumKeySize, initiatorKeyDistribution,
                responderKeyDistribution, confirmValue, randomValue, reason, publicKeyX, publicKeyY, dhKeyCheck,
                notificationType, longTermKey, ediv, identityResolvingKey, addressType, address, signatureKey,
            ] + authReqBits + keyDistributionBits
    }
}
