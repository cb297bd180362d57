import Bytes

extension HCI.CommandRow {
    /// Legacy advertising, scanning, connections (Vol 4, Part E, 7.8.1 to 7.8.37 and 7.8.46 to 7.8.49).
    static let leBasics: [Self] = [
        command(0x2001, "LE Set Event Mask", [.parameters(HCI.LESetEventMask.self)], .complete),
        command(
            0x2002, "LE Read Buffer Size [v1]", [.parameters(HCI.LEReadBufferSize.self)],
            .returns([.parameters(HCI.LEReadBufferSize.Returned.self)])),
        command(0x2003, "LE Read Local Supported Features", .returns([.status, .leFeatures])),
        command(0x2005, "LE Set Random Address", [.parameters(HCI.LESetRandomAddress.self)], .complete),
        command(
            0x2006, "LE Set Advertising Parameters", [.parameters(HCI.LESetAdvertisingParameters.self)], .complete),
        command(
            0x2007, "LE Read Advertising Physical Channel Tx Power", .returns([.status, .txPowerLevel])),
        command(0x2008, "LE Set Advertising Data", [.parameters(HCI.LESetAdvertisingData.self)], .complete),
        command(0x2009, "LE Set Scan Response Data", [.parameters(HCI.LESetScanResponseData.self)], .complete),
        command(0x200A, "LE Set Advertising Enable", [.parameters(HCI.LESetAdvertisingEnable.self)], .complete),
        command(0x200B, "LE Set Scan Parameters", [.parameters(HCI.LESetScanParameters.self)], .complete),
        command(0x200C, "LE Set Scan Enable", [.parameters(HCI.LESetScanEnable.self)], .complete),
        command(0x200D, "LE Create Connection", [.parameters(HCI.LECreateConnection.self)], .status),
        command(
            0x200E, "LE Create Connection Cancel", [.parameters(HCI.LECreateConnectionCancel.self)], .complete),
        command(
            0x200F, "LE Read Filter Accept List Size",
            .returns([.status, .u8("le_white_list_size", "Filter Accept List Size")])),
        command(0x2010, "LE Clear Filter Accept List", .complete),
        command(0x2011, "LE Add Device To Filter Accept List", [.leAddressType, .bdAddr], .complete),
        command(0x2012, "LE Remove Device From Filter Accept List", [.leAddressType, .bdAddr], .complete),
        command(0x2013, "LE Connection Update", [.parameters(HCI.LEConnectionUpdate.self)], .status),
        command(0x2014, "LE Set Host Channel Classification", [.leChannelMap], .complete),
        command(
            0x2015, "LE Read Channel Map", [.connectionHandle], .returns([.status, .connectionHandle, .leChannelMap])),
        command(0x2016, "LE Read Remote Features", [.connectionHandle], .status),
        command(
            0x201C, "LE Read Supported States", .returns([.status, .leStates])),
        command(0x201D, "LE Receiver Test [v1]", [.testRxChannel], .complete),
        command(
            0x201E, "LE Transmitter Test [v1]", [.testTxChannel, .testDataLength, .testPayload], .complete),
        command(0x201F, "LE Test End", .returns([.status, .u16("le_num_packets", "Num Packets")])),
        command(
            0x2020, "LE Remote Connection Parameter Request Reply",
            [
                .connectionHandle, .leConnIntervalMin, .leConnIntervalMax, .leMaxLatency, .leSupervisionTimeout,
                .leMinCELength, .leMaxCELength,
            ], .returns([.status, .connectionHandle])),
        command(
            0x2021, "LE Remote Connection Parameter Request Negative Reply", [.connectionHandle, .reason],
            .returns([.status, .connectionHandle])),
        command(
            0x2022, "LE Set Data Length", [.parameters(HCI.LESetDataLength.self)],
            .returns([.status, .connectionHandle])),
        command(
            0x2023, "LE Read Suggested Default Data Length",
            .returns([.status, .suggestedMaxTxOctets, .suggestedMaxTxTime])),
        command(
            0x2024, "LE Write Suggested Default Data Length", [.suggestedMaxTxOctets, .suggestedMaxTxTime],
            .complete),
        command(
            0x202F, "LE Read Maximum Data Length",
            .returns([
                .status, .u16("suggested_max_tx_octets", "Supported Max TX Octets", .bytes),
                .u16("suggested_max_tx_time", "Supported Max TX Time", .microseconds),
                .u16("suggested_max_rx_octets", "Supported Max RX Octets", .bytes),
                .u16("suggested_max_rx_time", "Supported Max RX Time", .microseconds),
            ])
        ),
        command(
            0x2030, "LE Read PHY", [.connectionHandle], .returns([.status, .connectionHandle, .leTxPHY, .leRxPHY])),
        command(0x2031, "LE Set Default PHY", [.allPHYs, .txPHYs, .rxPHYs], .complete),
        command(
            0x2032, "LE Set PHY",
            [
                .connectionHandle, .allPHYs, .txPHYs, .rxPHYs,
                .bits(
                    2, "phy_options", "PHY Options",
                    [
                        .part(
                            0x0003, "phy_options.coding", "Coding", .hex(4),
                            ["No preference", "S=2 preferred", "S=8 preferred"])
                    ]),
            ], .status),
        command(0x2033, "LE Receiver Test [v2]", [.testRxChannel, .testPHY, .modulationIndex], .complete),
        command(
            0x2034, "LE Transmitter Test [v2]", [.testTxChannel, .testDataLength, .testPayload, .testPHY], .complete),
    ]

    /// Encryption, keys and privacy (Vol 4, Part E, 7.8.22 to 7.8.26, 7.8.36 to 7.8.45, 7.8.77).
    static let leSecurity: [Self] = [
        command(
            0x2017, "LE Encrypt",
            [.bytes(16, "le_key", "Key", secret: true), .bytes(16, "le_plaintext", "Plaintext Data", secret: true)],
            .returns([.status, .bytes(16, "le_encrypted_data", "Encrypted Data", secret: true)])),
        command(0x2018, "LE Rand", .returns([.status, .leRandomNumber])),
        command(0x2019, "LE Enable Encryption", [.parameters(HCI.LEEnableEncryption.self)], .status),
        command(
            0x201A, "LE Long Term Key Request Reply", [.parameters(HCI.LELongTermKeyRequestReply.self)],
            .returns([.status, .connectionHandle])),
        command(
            0x201B, "LE Long Term Key Request Negative Reply",
            [.parameters(HCI.LELongTermKeyRequestNegativeReply.self)], .returns([.status, .connectionHandle])),
        command(0x2025, "LE Read Local P-256 Public Key", .status),
        command(0x2026, "LE Generate DHKey [v1]", [.remoteP256PublicKey], .status),
        command(
            0x2027, "LE Add Device To Resolving List", [.parameters(HCI.LEAddDeviceToResolvingList.self)], .complete),
        command(
            0x2028, "LE Remove Device From Resolving List", [.lePeerIdentityAddressType, .bdAddr], .complete),
        command(0x2029, "LE Clear Resolving List", .complete),
        command(
            0x202A, "LE Read Resolving List Size",
            .returns([.status, .u8("resolving_list_size", "Resolving List Size")])),
        command(
            0x202B, "LE Read Peer Resolvable Address", [.lePeerIdentityAddressType, .bdAddr],
            .returns([.status, .bdAddr])),
        command(
            0x202C, "LE Read Local Resolvable Address", [.lePeerIdentityAddressType, .bdAddr],
            .returns([.status, .bdAddr])),
        command(
            0x202D, "LE Set Address Resolution Enable",
            [.x8("le_address_resolution_enable", "Address Resolution Enable", .disabledEnabled)], .complete),
        command(
            0x202E, "LE Set Resolvable Private Address Timeout", [.u16("le_rpa_timeout", "RPA Timeout", .seconds)],
            .complete),
        command(
            0x204E, "LE Set Privacy Mode",
            [
                .lePeerIdentityAddressType, .bdAddr,
                .x8("le_privacy_mode", "Privacy Mode", ["Network Privacy Mode", "Device Privacy Mode"]),
            ], .complete),
        command(
            0x205E, "LE Generate DHKey [v2]",
            [
                .remoteP256PublicKey,
                .x8("key_type", "Key Type", ["Use the generated private key", "Use the debug private key"]),
            ], .status),
    ]
}
