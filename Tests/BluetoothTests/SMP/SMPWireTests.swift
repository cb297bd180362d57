import Bluetooth
import Bytes
import PDUTestKit
import Testing

/// One example of every command, code first; the pairing commands come from a real pairing.
private let examples: [(String, [UInt8])] = [
    ("Pairing Request", hex("01 03 00 09 10 0d 0f")),
    ("Pairing Response", hex("02 04 00 09 10 01 03")),
    ("Pairing Confirm", hex("03 aa09c34967b26f584146c2eac5b35570")),
    ("Pairing Random", hex("04 74b48747a55a628c01b4bd7b36120cce")),
    ("Pairing Failed", hex("05 03")),
    ("Encryption Information", hex("06 000102030405060708090a0b0c0d0e0f")),
    ("Central Identification", hex("07 3412 0102030405060708")),
    ("Identity Information", hex("08 000102030405060708090a0b0c0d0e0f")),
    ("Identity Address Information", hex("09 01 665544332211")),
    ("Signing Information", hex("0a 000102030405060708090a0b0c0d0e0f")),
    ("Security Request", hex("0b 2d")),
    (
        "Pairing Public Key",
        hex(
            """
            0c 440ed0f2bcb429aa389228a83cf340bc8f196c942bbeaa30e1b1fbf83abb5be7
            01d0854bd9b1834c2a89716b6cfbd4f60956835b664fc8534378cb71afd2a759
            """)
    ),
    ("Pairing DHKey Check", hex("0d f72a516510c91e29c1fc1582e4aa4a5f")),
    ("Pairing Keypress Notification", hex("0e 01")),
]

/// The decoded PDU, and each recorded field: name and number, or bytes.
private func record(_ bytes: [UInt8]) throws -> (pdu: (any SMP.PDU)?, entries: [String]) {
    let recorder = FieldRecorder()
    var reader = ByteReader(bytes.span, recorder: recorder)
    let pdu = try SMP.read(&reader)
    let entries = recorder.fields.map { entry in
        let name = String(repeating: " ", count: Int(entry.depth)) + entry.field.name
        let end = Int(entry.offset) + Int(entry.length)
        return switch entry.field.format {
        case .bytes: "\(name)=\(hexText(bytes[Int(entry.offset)..<end]))"
        default: "\(name)=\(entry.value)"
        }
    }
    return (pdu, entries)
}

@Test(arguments: examples)
func smpCommandReadsWritesAndSurvivesTruncation(name: String, bytes: [UInt8]) throws {
    let row = try #require(SMP.Opcode.table[SMP.Opcode(rawValue: bytes[0])])
    #expect(row.name == name)
    #expect(WireFormatCheck.faults(row.pdu, Array(bytes.dropFirst())) == [])
    let pdu = try #require(try record(bytes).pdu)
    #expect(SMP.encode(pdu) == bytes)
}

@Test func everySMPOpcodeHasAnExample() {
    #expect(SMP.Opcode.table.rows.map(\.opcode.rawValue) == examples.map { $0.1[0] })
}

@Test func pairingRequestIsReadWithItsBits() throws {
    let (pdu, entries) = try record(hex("01 03 00 09 10 0d 0f"))
    #expect(
        pdu as? SMP.PairingRequest
            == SMP.PairingRequest(
                features: .init(
                    ioCapability: .noInputNoOutput,
                    requirements: .init(isBonding: true, isSecureConnections: true),
                    initiatorKeys: .init(encryption: true, signing: true, link: true),
                    responderKeys: .init(encryption: true, identity: true, signing: true, link: true))))
    #expect(
        entries == [
            "btsmp.opcode=1", "btsmp.io_capability=3", "btsmp.oob_data_flags=0", "btsmp.authreq=9",
            " btsmp.reserved_flags=0", " btsmp.ct2_flag=0", " btsmp.keypress_flag=0", " btsmp.sc_flag=1",
            " btsmp.mitm_flag=0", " btsmp.bonding_flags=1",
            "btsmp.max_enc_key_size=16", "btsmp.initiator_key_distribution=13",
            " btsmp.key_dist_reserved=0", " btsmp.key_dist_linkkey=1", " btsmp.key_dist_sign=1",
            " btsmp.key_dist_id=0", " btsmp.key_dist_enc=1",
            "btsmp.responder_key_distribution=15",
            " btsmp.key_dist_reserved=0", " btsmp.key_dist_linkkey=1", " btsmp.key_dist_sign=1",
            " btsmp.key_dist_id=1", " btsmp.key_dist_enc=1",
        ])
}

@Test func securityRequestTellsItsRequirements() throws {
    let request = try SMP.SecurityRequest(decoding: [0x2D])
    #expect(request.requirements.isBonding)
    #expect(request.requirements.needsMITMProtection)
    #expect(request.requirements.isSecureConnections)
    #expect(!request.requirements.sendsKeypresses)
    #expect(request.requirements.supportsCT2)
}

@Test func identityAddressIsRead() throws {
    let (pdu, entries) = try record(hex("09 01 665544332211"))
    let information = try #require(pdu as? SMP.IdentityAddressInformation)
    #expect(information.addressType == 1)
    #expect(information.address == Address("11:22:33:44:55:66"))
    #expect(entries.last == "btsmp.bd_addr=\(0x1122_3344_5566)")
}

@Test func numbersAreLittleEndian() throws {
    let random = try SMP.PairingRandom(decoding: hex("000102030405060708090a0b0c0d0e0f"))
    #expect(random.value == 0x0F0E_0D0C_0B0A_0908_0706_0504_0302_0100)
    let key = try SMP.CentralIdentification(decoding: hex("3412 0102030405060708"))
    #expect(key.ediv == 0x1234)
    #expect(key.random == 0x0807_0605_0403_0201)
}

@Test func unknownCodeIsACase() throws {
    let (pdu, entries) = try record(hex("0f 0102"))
    #expect(pdu == nil)
    #expect(entries == ["btsmp.opcode=15", "btsmp.parameters=0102"])
}

@Test func keysAreSecretAndNothingElseIs() {
    #expect(
        Set(SMP.Fields.all.filter(\.isSecret).map(\.name)) == [
            "btsmp.long_term_key", "btsmp.id_resolving_key", "btsmp.signature_key",
        ])
}

@Test func valuesAreNamed() {
    #expect((0...0x11).filter { SMP.FailureReason(rawValue: $0).name == nil } == [0, 0x11])
    #expect((0...5).filter { SMP.IOCapability(rawValue: $0).name == nil } == [5])
    #expect((0...5).filter { SMP.KeypressType(rawValue: $0).name == nil } == [5])
    #expect(SMP.FailureReason.keyGenerationNotAllowed.name == "Cross-transport Key Derivation/Generation not allowed")
}

@Test func everySMPFieldIsListedOnce() {
    let fields = SMP.Fields.all
    #expect(Set(fields).count == fields.count)
    for (_, bytes) in examples {
        let recorder = FieldRecorder()
        var reader = ByteReader(bytes.span, recorder: recorder)
        _ = try? SMP.read(&reader)
        for entry in recorder.fields {
            #expect(fields.contains { $0 == entry.field }, "\(entry.field.name) is not listed")
        }
    }
}
