import Bluetooth
import Bytes
import PDUTestKit
import Testing

private let syncInfo = "2340 5000 ffffffffbf 01020304 050607 0809"

/// One example of every control PDU, opcode first, with one of its fields and the field's value.
private let examples: [(String, [UInt8], String, UInt64)] = [
    ("LL_CONNECTION_UPDATE_IND", hex("00 02 0100 2400 0000 f401 1000"), "interval", 36),
    ("LL_CHANNEL_MAP_IND", hex("01 ffffffff1f 1000"), "instant", 16),
    ("LL_TERMINATE_IND", hex("02 13"), "error_code", 0x13),
    ("LL_ENC_REQ", hex("03 0102030405060708 0910 1112131415161718 19202122"), "encrypted_diversifier", 0x1009),
    ("LL_ENC_RSP", hex("04 1112131415161718 19202122"), "slave_session_initialization_vector", 0x2221_2019),
    ("LL_START_ENC_REQ", hex("05"), "", 0x05),
    ("LL_START_ENC_RSP", hex("06"), "", 0x06),
    ("LL_UNKNOWN_RSP", hex("07 2a"), "unknown_type", 0x2A),
    ("LL_FEATURE_REQ", hex("08 ff7d000000000000"), "feature_set", 0x7DFF),
    ("LL_FEATURE_RSP", hex("09 0100000000000000"), "feature_set.le_encryption", 1),
    ("LL_PAUSE_ENC_REQ", hex("0a"), "", 0x0A),
    ("LL_PAUSE_ENC_RSP", hex("0b"), "", 0x0B),
    ("LL_VERSION_IND", hex("0c 09 1d00 be02"), "company_id", 0x1D),
    ("LL_REJECT_IND", hex("0d 06"), "error_code", 6),
    ("LL_PERIPHERAL_FEATURE_REQ", hex("0e 0000010000000000"), "feature_set.min_num_used_ch_proc", 1),
    (
        "LL_CONNECTION_PARAM_REQ", hex("0f 0600 0c00 0000 f401 02 1000 0100 0200 0300 0400 0500 ffff"), "offset.5",
        0xFFFF
    ),
    (
        "LL_CONNECTION_PARAM_RSP", hex("10 0600 0c00 0000 f401 02 1000 0100 0200 0300 0400 0500 ffff"),
        "interval.max", 12
    ),
    ("LL_REJECT_EXT_IND", hex("11 0f 1a"), "reject_opcode", 0x0F),
    ("LL_PING_REQ", hex("12"), "", 0x12),
    ("LL_PING_RSP", hex("13"), "", 0x13),
    ("LL_LENGTH_REQ", hex("14 fb00 9042 1b00 4801"), "max_rx_time", 17040),
    ("LL_LENGTH_RSP", hex("15 fb00 9042 1b00 4801"), "max_tx_octets", 27),
    ("LL_PHY_REQ", hex("16 03 07"), "rx_phys", 7),
    ("LL_PHY_RSP", hex("17 02 05"), "tx_phys", 2),
    ("LL_PHY_UPDATE_IND", hex("18 02 01 1000"), "m_to_s_phy.le_2m_phy", 1),
    ("LL_MIN_USED_CHANNELS_IND", hex("19 01 05"), "min_used_channels", 5),
    ("LL_CTE_REQ", hex("1a 54"), "cte.type_req", 1),
    ("LL_CTE_RSP", hex("1b"), "", 0x1B),
    (
        "LL_PERIODIC_SYNC_IND", hex("1c 3412" + syncInfo + "1000 1100 75 02 010203040506 1200"), "sync.sid", 5
    ),
    ("LL_CLOCK_ACCURACY_REQ", hex("1d 05"), "sleep_clock_accuracy", 5),
    ("LL_CLOCK_ACCURACY_RSP", hex("1e 07"), "sleep_clock_accuracy", 7),
    (
        "LL_CIS_REQ",
        hex(
            "1f 01 02 02 01 7880 2800 102700 102700 7800 2800 02 102700 21 01 02 0800 e80300 d00700 1000"),
        "sdu_interval_m_to_s", 10000
    ),
    ("LL_CIS_RSP", hex("20 e80300 d00700 1000"), "cis_offset_min", 1000),
    ("LL_CIS_IND", hex("21 01020304 e80300 d00700 b80b00 1000"), "cis_sync_delay", 3000),
    ("LL_CIS_TERMINATE_IND", hex("22 01 02 13"), "cis_id", 2),
    ("LL_POWER_CONTROL_REQ", hex("23 04 fe 0a"), "delta", UInt64(truncatingIfNeeded: -2)),
    ("LL_POWER_CONTROL_RSP", hex("24 02 04 0e ff"), "acceptable_power_reduction", 255),
    ("LL_POWER_CHANGE_IND", hex("25 01 01 fc f8"), "txpower", UInt64(truncatingIfNeeded: -8)),
    ("LL_SUBRATE_REQ", hex("26 0100 0a00 0200 0100 f401"), "subrate_factor_max", 10),
    ("LL_SUBRATE_IND", hex("27 0500 1000 0200 0100 f401"), "subrate_base_event", 16),
    ("LL_CHANNEL_REPORTING_IND", hex("28 01 05 0a"), "channel_reporting.max_delay", 10),
    ("LL_CHANNEL_STATUS_IND", hex("29 5555555555555555fd01"), "channel_classification", 0),
    (
        "LL_PERIODIC_SYNC_WR_IND",
        hex("2a 3412" + syncInfo + "1000 1100 75 02 010203040506 1200 01020304 05 06 07 08"), "response_slot_spacing",
        8
    ),
]

@Test(arguments: examples)
func controlPDUReadsWritesAndSurvivesTruncation(name: String, bytes: [UInt8], field: String, value: UInt64) throws {
    let row = try #require(LL.ControlOpcode.table[LL.ControlOpcode(rawValue: bytes[0])])
    #expect(row.name == name)
    #expect(row.opcode.rawValue == bytes[0])
    #expect(row.pdu.opcode == row.opcode)
    #expect(WireFormatCheck.faults(row.pdu, Array(bytes.dropFirst())) == [])
    let recorder = FieldRecorder()
    var reader = ByteReader(bytes.span, recorder: recorder)
    let pdu = try #require(try LL.readControl(&reader))
    #expect(LL.encode(pdu) == bytes)
    let filter = field.isEmpty ? "btle.control_opcode" : "btle.control." + field
    #expect(recorder.fields.filter { $0.field.name == filter }.map(\.value) == [value])
    let listed = Set((LL.Fields.all + ChannelMap.bitFields).map(\.name))
    #expect(recorder.fields.map(\.field.name).filter { !listed.contains($0) } == [])
}

@Test func everyControlOpcodeHasAnExample() {
    let covered = Set(examples.map { LL.ControlOpcode(rawValue: $0.1[0]) })
    #expect(LL.ControlOpcode.table.rows.map(\.opcode).filter { !covered.contains($0) } == [])
    #expect(LL.ControlOpcode.table.rows.enumerated().allSatisfy { Int($1.opcode.rawValue) == $0 })
}

@Test func unknownControlOpcodeIsNoError() throws {
    let recorder = FieldRecorder()
    let bytes = hex("2b 0102")
    var reader = ByteReader(bytes.span, recorder: recorder)
    #expect(try LL.readControl(&reader) == nil)
    #expect(recorder.fields.map(\.field.name) == ["btle.control_opcode", "btle.unknown_data"])
}

@Test func bytesBeyondAControlPDUAreKept() throws {
    let recorder = FieldRecorder()
    let bytes = hex("05 0102")
    var reader = ByteReader(bytes.span, recorder: recorder)
    #expect(try LL.readControl(&reader) is LL.StartEncReq)
    #expect(recorder.fields.last?.field.name == "btle.unknown_data")
    #expect(recorder.fields.last?.length == 2)
}

@Test(arguments: ["00 ffffffff1f 1000", "01 13 1000", "02 0102"])
func bigControlPDUReadsAndWrites(bytes: String) {
    if bytes.hasPrefix("02") {
        #expect(try! LL.BIGControl(decoding: hex(bytes)) == .unknown(opcode: 2, parameters: [1, 2]))
    }
    #expect(WireFormatCheck.faults(LL.BIGControl.self, hex(bytes)) == [])
}

@Test func controlPDUsSayWhatTheyMean() throws {
    let version = try LL.VersionInd(decoding: hex("09 1d00 be02"))
    #expect(version.version.name == "5.0")
    #expect(AssignedNumbers.company(version.company) == "Qualcomm")
    #expect(try LL.TerminateInd(decoding: hex("13")).errorCode == .remoteUserTerminatedConnection)
    let phy = try LL.PHYUpdateInd(decoding: hex("02 00 1000"))
    #expect(phy.centralToPeripheral.only == .le2M)
    #expect(phy.peripheralToCentral.only == nil)
    #expect(try LL.PHYReq(decoding: hex("05 00")).txPHYs.contains(.leCoded))
    #expect(try LL.FeatureReq(decoding: hex("0100000000000000")).features.names == ["LE Encryption"])
}
