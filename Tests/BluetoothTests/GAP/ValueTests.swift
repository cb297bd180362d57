import Bluetooth
import Bytes
import PDUTestKit
import Testing

/// One example of every AD type: type, value, and one field, with its value if it is a number.
private let examples: [(GAP.DataType, [UInt8], String, UInt64?)] = [
    (.flags, hex("06"), "flags.bredr_not_supported", 1),
    (.incompleteUUIDs16, hex("0f18 0a18"), "uuid_16", 0x180F),
    (.completeUUIDs16, hex("aafe"), "uuid_16", 0xFEAA),
    (.incompleteUUIDs32, hex("0f180000 785634f2"), "custom_uuid_32", 0xF234_5678),
    (.completeUUIDs32, hex("0f180000"), "uuid_32", 0x180F),
    (.incompleteUUIDs128, hex("000000000000002d657461766b61756f"), "custom_uuid_128", nil),
    (.completeUUIDs128, hex("fb349b5f80000080001000000f180000"), "uuid_128", nil),
    (.shortenedLocalName, hex("4142"), "device_name", nil),
    (.completeLocalName, hex("41717561"), "device_name", nil),
    (.txPowerLevel, hex("f4"), "power_level", UInt64(truncatingIfNeeded: -12)),
    (.oobOptionalDataLength, hex("0800"), "ssp_oob_length", 8),
    (.deviceAddress, hex("010203040506"), "bd_addr", 0x0605_0403_0201),
    (.pairingHash192, [UInt8](repeating: 1, count: 16), "hash_c", nil),
    (.pairingRandomizer192, [UInt8](repeating: 1, count: 16), "randomizer_r", nil),
    (.deviceID, hex("0100 4c00 3412 0001"), "did.product_id", 0x1234),
    (.oobFlags, hex("09"), "oob_flags.oob_address_type", 1),
    (.connectionIntervalRange, hex("0600 0c00"), "connection_interval_max", 12),
    (.solicitedUUIDs16, hex("0f18"), "uuid_16", 0x180F),
    (.solicitedUUIDs128, hex("000000000000002d657461766b61756f"), "custom_uuid_128", nil),
    (.serviceData16, hex("0f18 64"), "uuid_16", 0x180F),
    (.publicTargetAddress, hex("010203040506"), "bd_addr", 0x0605_0403_0201),
    (.randomTargetAddress, hex("0102030405c6"), "bd_addr", 0xC605_0403_0201),
    (.appearance, hex("c100"), "appearance", 0xC1),
    (.advertisingInterval, hex("4006"), "advertising_interval", 1600),
    (.leDeviceAddress, hex("010203040506 01"), "le_bd_addr.type", 1),
    (.leRole, hex("02"), "le_role", 2),
    (.pairingHash256, [UInt8](repeating: 1, count: 16), "hash_c", nil),
    (.pairingRandomizer256, [UInt8](repeating: 1, count: 16), "randomizer_r", nil),
    (.solicitedUUIDs32, hex("0f180000"), "uuid_32", 0x180F),
    (.serviceData32, hex("0f180000 64"), "uuid_32", 0x180F),
    (.serviceData128, hex("000000000000002d657461766b61756f 0102"), "service_data", nil),
    (.confirmationValue, [UInt8](repeating: 1, count: 16), "le_secure_confirmation_value", nil),
    (.randomValue, [UInt8](repeating: 1, count: 16), "le_secure_random_value", nil),
    (.uri, hex("172f2f61"), "uri", nil),
    (.indoorPositioning, hex("3d 11223344 55667788 f4 1405 06 27"), "ips.altitude", 1300),
    (.indoorPositioning, hex("03 0102 fffe"), "ips.local_east_coordinate", UInt64(truncatingIfNeeded: -257)),
    (.transportDiscoveryData, hex("01 06 03 010203 02 01 00"), "tds.flags.role", 2),
    (.leSupportedFeatures, hex("ff7f 01 00 10"), "le_features.minimum_number_of_used_channels_procedure", 1),
    (.channelMapUpdate, hex("ffffffff1f 1000"), "instant", 16),
    (.pbADV, hex("0102030405"), "mesh_pbadv", nil),
    (.meshMessage, hex("0102030405"), "mesh_msg", nil),
    (.meshBeacon, hex("000102"), "mesh_beacon", nil),
    (.bigInfo, bigInfo, "biginfo.iso_interval", 2150),
    (.bigInfo, bigInfo + [UInt8](repeating: 7, count: 24), "biginfo.num_bis", 8),
    (.broadcastCode, [UInt8](repeating: 1, count: 16), "broadcast_code", nil),
    (.resolvableSetIdentifier, hex("010203 040546"), "rsi.prand", 0x46_0504),
    (.advertisingIntervalLong, hex("400601"), "advertising_interval", 0x1_0640),
    (.broadcastName, hex("41717561"), "broadcast_name", nil),
    (.encryptedData, hex("0102030405 aabb 01020304"), "ead.payload", nil),
    (.periodicResponseTiming, hex("01020304 02 06 08 0a"), "pawr.response_slot_spacing", 10),
    (.electronicShelfLabel, hex("0102"), "esl", nil),
    (.information3D, hex("82 21"), "3ds.path_loss_threshold", 33),
    (.information3D, hex("87 21"), "3ds.reserved", 0),
    (.manufacturerData, hex("4c00 0215"), "company_id", 0x004C),
]

private let bigInfo = hex(
    "11223344 55667788 99aabb cc dd 01020304 05060708 090a ffffffff1f 0000000001")

@Test(arguments: examples)
func valueReadsWritesAndSurvivesTruncation(type: GAP.DataType, bytes: [UInt8], field: String, value: UInt64?) throws {
    let row = try #require(GAP.DataType.table[type])
    #expect(WireFormatCheck.faults(row.value, bytes) == [])
    let recorder = FieldRecorder()
    let written = try row.value.init(decoding: bytes, recorder: recorder).encoded
    #expect(written == bytes)
    let values = recorder.fields.filter { $0.field.name == "btcommon.eir_ad.entry." + field }.map(\.value)
    #expect(value.map(values.contains) ?? !values.isEmpty)
}

@Test func everyTypeHasAnExample() {
    let covered = Set(examples.map(\.0) + [.classOfDevice])
    #expect(GAP.DataType.table.rows.map(\.type).filter { !covered.contains($0) } == [])
}

@Test func everyFieldIsListed() throws {
    let listed = Set(GAP.Fields.all.map(\.name))
    for (type, bytes, _, _) in examples {
        let recorder = FieldRecorder()
        var reader = ByteReader(GAP.AdvertisingStructure(type, bytes).encoded.span, recorder: recorder)
        #expect(GAP.readAdvertisingData(&reader) == [])
        #expect(recorder.fields.map(\.field.name).filter { !listed.contains($0) } == [])
    }
}

@Test func keysAreMarkedAsSecret() {
    let secrets = GAP.Fields.all.filter(\.isSecret).map { $0.name.replacing("btcommon.eir_ad.entry.", with: "") }
    #expect(
        Set(secrets) == [
            "btcommon.eir_ad.continuation", "data", "hash_c", "randomizer_r", "tk_value",
            "le_secure_confirmation_value", "le_secure_random_value", "broadcast_code",
        ])
}

/// The undecoded rest of a structure with a key is secret; the rest of other structures is not.
@Test(arguments: [
    // A temporary key of 17 bytes, the first 8 of which are decoded as a device ID.
    ("12 10 0102030405060708090a0b0c0d0e0f1011", true),
    // A truncated Broadcast_Code.
    ("11 2d 0102030405060708", true), ("05 ff 4c00", false),
])
func whatIsLeftOfAKeyIsSecret(bytes: String, isSecret: Bool) {
    let recorder = FieldRecorder()
    let bytes = hex(bytes)
    var reader = ByteReader(bytes.span, recorder: recorder)
    GAP.readAdvertisingData(&reader)
    let left = recorder.fields.filter { $0.field.name == "btcommon.eir_ad.entry.data" }
    #expect(left.map(\.field.isSecret) == [isSecret])
}

@Test func classOfDeviceIsTakenApart() throws {
    #expect(WireFormatCheck.faults(GAP.ClassOfDeviceValue.self, hex("0c025a")) == [])
    let recorder = FieldRecorder()
    let value = try GAP.ClassOfDeviceValue(decoding: hex("0c025a"), recorder: recorder).classOfDevice
    #expect(value.majorName == "Phone")
    #expect(value.minorName == "Smartphone")
    let minor = try #require(recorder.fields.first { $0.field.name == "btcommon.cod.minor_device_class" })
    #expect(minor.field.names?[minor.value] == "Smartphone")
    let names = recorder.fields.filter { $0.value == 1 }.map(\.field.label)
    #expect(
        names == ["Telephony", "Object Transfer", "Capturing", "Networking"].map { "Major Service Classes: " + $0 })
}

@Test(arguments: [
    ("17 2f2f6578616d706c652e6f7267", "https://example.org"), ("16 2f2f61", "http://a"), ("01 783a79", "x:y"),
    ("02 61", "aaa:a"), ("c2bc 61", "bl:a"), ("c2bb 61", "bluetooth:a"), ("6d 6e", "dtn:n"), ("", ""),
    ("e28082 61", "\u{2002}a"),
])
func uriIsWrittenOut(bytes: String, text: String) throws {
    #expect(try GAP.URI(decoding: hex(bytes)).text == text)
}

@Test func longIntervalHasThreeOrFourBytes() throws {
    #expect(try GAP.LongAdvertisingInterval(decoding: hex("40060102")).interval == 0x0201_0640)
    #expect(try GAP.LongAdvertisingInterval(decoding: hex("400601")).encoded == hex("400601"))
}

@Test func sixteenBytesUnderDeviceIDAreAKey() throws {
    let key = [UInt8](repeating: 5, count: 16)
    #expect(try GAP.DeviceID(decoding: key) == .temporaryKey(key))
    #expect(try GAP.DeviceID(decoding: key).encoded == key)
}
