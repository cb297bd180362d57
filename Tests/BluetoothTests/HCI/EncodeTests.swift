import Bluetooth
import Bytes
import PDUTestKit
import Testing

private let start = HCI.Opcode.leSetExtendedAdvertisingEnable

@Test func valuesBecomeACommand() throws {
    let bytes = try HCI.encode(
        command: start,
        [
            "bthci_cmd.le_advts_enable": 1,
            "bthci_cmd.adv_num_sets": .list([
                [
                    "bthci_cmd.advertising_handle": 1, "bthci_cmd.adv_duration": 500,
                    "bthci_cmd.max_extended_advertising_events": 0,
                ]
            ]),
        ])
    #expect(bytes == hex("3920 06 01 01 01 f401 00"))
}

@Test func valuesBecomeEvents() throws {
    #expect(
        try HCI.encode(
            leEvent: .channelSelectionAlgorithm,
            ["bthci_evt.connection_handle": 0x40, "bthci_evt.channel_selection_algorithm": 1])
            == hex("3e 04 14 4000 01"))
    #expect(try HCI.encode(event: .hardwareError, ["bthci_evt.hardware_code": 7]) == hex("10 01 07"))
    #expect(
        try HCI.encode(
            returnParametersOf: HCI.Opcode(rawValue: 0x1405),
            ["bthci_evt.status": 0, "bthci_evt.connection_handle": 0x40, "bthci_evt.rssi": 0xD5])
            == hex("0e 07 01 0514 00 4000 d5"))
}

@Test func whatDoesNotFitIsRefused() {
    #expect(throws: HCI.EncodeError.unknown) { try HCI.encode(command: HCI.Opcode(rawValue: 0x23FF), [:]) }
    #expect(throws: HCI.EncodeError.missing("bthci_cmd.le_advts_enable")) { try HCI.encode(command: start, [:]) }
    #expect(throws: HCI.EncodeError.typed) { try HCI.encode(command: .disconnect, [:]) }
    let remove = HCI.Opcode(rawValue: 0x203C)
    #expect(throws: HCI.EncodeError.doesNotFit("bthci_cmd.advertising_handle")) {
        try HCI.encode(command: remove, ["bthci_cmd.advertising_handle": 256])
    }
    #expect(throws: HCI.EncodeError.doesNotFit("bthci_cmd.advertising_handle")) {
        try HCI.encode(command: remove, ["bthci_cmd.advertising_handle": [1, 2]])
    }
    #expect(throws: HCI.EncodeError.unexpected("bthci_cmd.skip")) {
        try HCI.encode(command: remove, ["bthci_cmd.advertising_handle": 1, "bthci_cmd.skip": 1])
    }
    #expect(throws: HCI.EncodeError.doesNotFit("bthci_cmd.param_length")) {
        try HCI.encode(
            command: HCI.Opcode(rawValue: 0x0C83),
            [
                "bthci_cmd.data_path_direction": 0, "bthci_cmd.data_path_id": 0,
                "bthci_cmd.vendor_config": .bytes([UInt8](repeating: 0, count: 254)),
            ])
    }
}
