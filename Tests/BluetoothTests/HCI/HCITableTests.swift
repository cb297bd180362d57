import Bluetooth
import Bytes
import Testing

@Test func opcodesAndNamesOfCommandsAreUnique() {
    let rows = HCI.CommandRow.table.rows
    #expect(Set(rows.map(\.opcode)).count == rows.count)
    #expect(Set(rows.map { "\($0.opcode.group) \($0.name)" }).count == rows.count)
    #expect(rows.allSatisfy { !$0.name.isEmpty })
    for row in rows { #expect(row.opcode.name == row.name) }
}

@Test func codesAndNamesOfEventsAreUnique() {
    let rows = HCI.EventRow.table.rows
    #expect(Set(rows.map(\.code)).count == rows.count)
    #expect(Set(rows.map(\.name)).count == rows.count)
    for row in rows { #expect(row.code.name == row.name) }
    let leRows = HCI.LEEventRow.table.rows
    #expect(Set(leRows.map(\.subevent)).count == leRows.count)
    #expect(Set(leRows.map(\.name)).count == leRows.count)
    for row in leRows { #expect(row.subevent.name == row.name) }
}

/// The number of commands in each group: those of Core 6.2, and those of earlier versions that the tables keep.
@Test(arguments: [(1, 54), (2, 14), (3, 108), (4, 13), (5, 12), (6, 8), (8, 162)])
func everyGroupIsThere(group: UInt8, count: Int) {
    #expect(HCI.CommandRow.table.rows.filter { $0.opcode.group == group }.count == count)
    #expect(HCI.Opcode.groupName(group) != nil)
}

@Test func everyCommandOfLEIsNamed() {
    // 0x2004 is not a command; 0x209F and 0x20A0, of the UTP OTA mode, are not decoded.
    let opcodes = (0x2001...0x20A6).filter { ![0x2004, 0x209F, 0x20A0, 0x20A4].contains($0) }
    #expect(opcodes.filter { HCI.Opcode(rawValue: UInt16($0)).name == nil } == [])
    #expect(HCI.Opcode(rawValue: 0x2004).name == nil)
}

@Test func everyEventIsNamed() {
    let reserved = [0x24...0x2B, 0x37...0x37, 0x3A...0x3A, 0x3F...0x3F].flatMap { Array($0) }
    let codes = (0x01...0x59).filter { !reserved.contains($0) } + [0xFF]
    #expect(codes.filter { HCI.EventCode(rawValue: UInt8($0)).name == nil } == [])
    #expect((0x01...0x38).filter { HCI.LESubevent(rawValue: UInt8($0)).name == nil } == [0x36])
}

@Test func everyErrorCodeIsNamed() {
    let codes = (0x00...0x47).filter { ![0x2B, 0x31, 0x33].contains($0) }
    #expect(codes.filter { HCI.ErrorCode(rawValue: UInt8($0)).name == nil } == [])
    #expect(HCI.ErrorCode(rawValue: 0x13).name == "Remote User Terminated Connection")
    #expect(HCI.ErrorCode(rawValue: 0xEE).name == nil)
}

@Test func opcodesComeApart() {
    let opcode = HCI.Opcode(rawValue: 0x200D)
    #expect(opcode.group == 8)
    #expect(opcode.command == 0x00D)
    #expect(!opcode.isVendorSpecific)
    let vendor = HCI.Opcode(rawValue: 0xFD57)
    #expect(vendor.isVendorSpecific)
    #expect(vendor.command == 0x157)
    #expect(vendor.name == "Vendor Command")
}

/// Event masks and event tables use the same names.
@Test func masksNameTheEventsOfTheTables() {
    let names = Set(HCI.EventRow.table.rows.map(\.name) + HCI.LEEventRow.table.rows.map(\.name))
    let prefixes = ["bthci_cmd.evt_mask_", "bthci_cmd.evt_mask2_", "bthci_cmd.le_event_mask."]
    let bits = HCI.Fields.all.filter { field in prefixes.contains { field.name.hasPrefix($0) } }
    #expect(bits.count == 49 + 26 + 55)
    #expect(Set(bits.map(\.label)).subtracting(names) == [])
}

/// Names shared by several fields: the same parameter in another unit or width, or another parameter for which
/// Wireshark uses the same name.
private let sharedNames: Set<String> = [
    "bthci_cmd.data_path_direction", "bthci_cmd.le_advts_interval_max", "bthci_cmd.le_advts_interval_min",
    "bthci_cmd.feature_bit_number", "bthci_cmd.le_supv_timeout", "bthci_cmd.phy", "bthci_cmd.power_level",
    "bthci_cmd.reporting_enable",
    "bthci_cmd.timeout", "bthci_evt.data", "bthci_evt.data_length", "bthci_evt.encryption_mode", "bthci_evt.iac_lap",
    "bthci_evt.suggested_max_tx_octets", "bthci_evt.suggested_max_tx_time", "bthci_evt.transmit_power_level",
]

@Test func fieldsHaveNamesOfTheirOwn() {
    let byName = Dictionary(grouping: HCI.Fields.all, by: \.name)
    #expect(Set(byName.filter { $0.value.count > 1 }.keys) == sharedNames)
    #expect(HCI.Fields.all.allSatisfy { !$0.label.isEmpty })
    #expect(
        HCI.Fields.all.allSatisfy { field in
            ["hci_h4.", "bthci_cmd.", "bthci_evt.", "bthci_acl.", "bthci_sco.", "bthci_iso.", "bthci_iso_data."]
                .contains { field.name.hasPrefix($0) }
        })
}

/// Link keys, PIN codes, long-term keys and other fields that must not be printed by accident.
@Test(arguments: [
    "bthci_cmd.link_key", "bthci_evt.link_key", "bthci_cmd.pin_code", "bthci_cmd.le_long_term_key",
    "bthci_cmd.le_peer_irk", "bthci_cmd.le_local_irk", "bthci_cmd.hash_c", "bthci_evt.randomizer_r",
    "bthci_cmd.c256", "bthci_cmd.passkey", "bthci_evt.passkey", "bthci_evt.numeric_value", "bthci_evt.dhkey",
    "bthci_cmd.broadcast_code", "bthci_cmd.le_key",
])
func keysAreMarkedAsSecret(name: String) {
    let fields = HCI.Fields.all.filter { $0.name == name }
    #expect(!fields.isEmpty)
    #expect(fields.allSatisfy { $0.isSecret })
}

@Test func whatIsNoKeyIsNotSecret() {
    let secrets = HCI.Fields.all.filter(\.isSecret).map(\.name)
    #expect(secrets.allSatisfy { !$0.contains("length") && !$0.contains("public") && !$0.contains("addr") })
    #expect(secrets.count < 40)
}
