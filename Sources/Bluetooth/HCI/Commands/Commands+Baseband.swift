import Bytes

extension HCI.CommandRow {
    /// Controller and baseband: events, reset, names, link keys, flow control (Vol 4, Part E, 7.3).
    static let basebandBasics: [Self] = [
        command(0x0C01, "Set Event Mask", [.parameters(HCI.SetEventMask.self)], .complete),
        command(0x0C03, "Reset", [.parameters(HCI.Reset.self)], .complete),
        command(
            0x0C05, "Set Event Filter",
            [
                .choice(
                    .x8("filter_type", "Filter Type", ["Clear All Filters", "Inquiry Result", "Connection Setup"]),
                    [
                        1: [.choice(filterCondition, [1: [.classOfDevice, .classOfDeviceMask], 2: [.bdAddr]])],
                        2: [
                            .choice(
                                filterCondition,
                                [
                                    0: [autoAccept], 1: [.classOfDevice, .classOfDeviceMask, autoAccept],
                                    2: [.bdAddr, autoAccept],
                                ])
                        ],
                    ])
            ], .complete),
        command(0x0C08, "Flush", [.connectionHandle], .returns([.status, .connectionHandle])),
        command(0x0C09, "Read PIN Type", .returns([.status, pinType])),
        command(0x0C0A, "Write PIN Type", [pinType], .complete),
        command(0x0C0B, "Create New Unit Key", .complete),
        command(
            0x0C0D, "Read Stored Link Key",
            [.bdAddr, .x8("read_all_flag", "Read All", ["One address", "All"])],
            .returns([
                .status, .u16("max_num_keys", "Max Num Keys"), .u16("num_keys_read", "Num Keys Read"),
            ])),
        command(
            0x0C11, "Write Stored Link Key",
            [
                .list(
                    .u8("num_link_keys", "Num Keys To Write"), of: "stored_key", "Stored Key", [.bdAddr, .linkKey])
            ], .returns([.status, .u8("num_keys_written", "Num Keys Written")])),
        command(
            0x0C12, "Delete Stored Link Key",
            [.bdAddr, .x8("delete_all_flag", "Delete All", ["One address", "All"])],
            .returns([.status, .u16("num_keys_deleted", "Num Keys Deleted")])),
        command(0x0C13, "Write Local Name", [localName], .complete),
        command(0x0C14, "Read Local Name", .returns([.status, localName])),
        command(
            0x0C2E, "Read Synchronous Flow Control Enable",
            .returns([.status, synchronousFlowControl])),
        command(0x0C2F, "Write Synchronous Flow Control Enable", [synchronousFlowControl], .complete),
        command(
            0x0C31, "Set Controller To Host Flow Control",
            [.x8("flow_contr_enable", "Flow Control Enable", ["Off", "ACL on", "Synchronous on", "Both on"])],
            .complete),
        command(
            0x0C33, "Host Buffer Size",
            [
                .u16("max_data_length_acl", "Host ACL Data Packet Length", .bytes),
                .u8("max_data_length_sco", "Host Synchronous Data Packet Length", .bytes),
                .u16("max_data_num_acl", "Host Total Num ACL Data Packets"),
                .u16("max_data_num_sco", "Host Total Num Synchronous Data Packets"),
            ], .complete),
        command(
            0x0C35, "Host Number Of Completed Packets",
            [
                .list(
                    .numHandles, of: "completed_packets", "Completed Packets",
                    [.connectionHandle, .numCompletedPackets])
            ], .none),
        command(0x0C53, "Refresh Encryption Key", [.connectionHandle], .status),
        command(
            0x0C5F, "Enhanced Flush",
            [
                .connectionHandle,
                .u8("flush_packet_type", "Packet Type", names: ["Automatically flushable only"]),
            ], .status),
        command(0x0C63, "Set Event Mask Page 2", [.eventMaskPage2], .complete),
    ]

    private static let filterCondition = HCI.Parameter.x8(
        "filter_condition_type", "Filter Condition Type", ["All devices", "Class of Device", "BD_ADDR"])
    private static let autoAccept = HCI.Parameter.x8(
        "auto_accept_flag", "Auto Accept Flag",
        [1: "Do not accept", 2: "Accept, role switch disabled", 3: "Accept, role switch enabled"])
    private static let pinType = HCI.Parameter.x8("pin_type", "PIN Type", ["Variable PIN", "Fixed PIN"])
    private static let localName = HCI.Parameter.text(248, "device_name", "Local Name")
    private static let synchronousFlowControl = HCI.Parameter.x8(
        "flow_control", event: "sco_flow_cont_enable", "Synchronous Flow Control Enable", .disabledEnabled)

    /// Controller and baseband: settings to read and write (Vol 4, Part E, 7.3).
    static let basebandSettings: [Self] = [
        command(0x0C15, "Read Connection Accept Timeout", .returns([.status, .timeout])),
        command(0x0C16, "Write Connection Accept Timeout", [.timeout], .complete),
        command(0x0C17, "Read Page Timeout", .returns([.status, .timeout])),
        command(0x0C18, "Write Page Timeout", [.timeout], .complete),
        command(0x0C19, "Read Scan Enable", .returns([.status, scanEnable])),
        command(0x0C1A, "Write Scan Enable", [scanEnable], .complete),
        command(0x0C1B, "Read Page Scan Activity", .returns([.status, .interval, .window])),
        command(0x0C1C, "Write Page Scan Activity", [.interval, .window], .complete),
        command(0x0C1D, "Read Inquiry Scan Activity", .returns([.status, .interval, .window])),
        command(0x0C1E, "Write Inquiry Scan Activity", [.interval, .window], .complete),
        command(0x0C1F, "Read Authentication Enable", .returns([.status, authenticationEnable])),
        command(0x0C20, "Write Authentication Enable", [authenticationEnable], .complete),
        command(0x0C21, "Read Encryption Mode", .returns([.status, encryptionMode])),
        command(0x0C22, "Write Encryption Mode", [encryptionMode], .complete),
        command(0x0C23, "Read Class of Device", .returns([.status, .classOfDevice])),
        command(0x0C24, "Write Class of Device", [.classOfDevice], .complete),
        command(0x0C25, "Read Voice Setting", .returns([.status, .voiceSetting])),
        command(0x0C26, "Write Voice Setting", [.voiceSetting], .complete),
        command(
            0x0C27, "Read Automatic Flush Timeout", [.connectionHandle],
            .returns([.status, .connectionHandle, .timeout])),
        command(
            0x0C28, "Write Automatic Flush Timeout", [.connectionHandle, .timeout],
            .returns([.status, .connectionHandle])),
        command(0x0C29, "Read Num Broadcast Retransmissions", .returns([.status, broadcastRetransmissions])),
        command(0x0C2A, "Write Num Broadcast Retransmissions", [broadcastRetransmissions], .complete),
        command(0x0C2B, "Read Hold Mode Activity", .returns([.status, holdModeActivity])),
        command(0x0C2C, "Write Hold Mode Activity", [holdModeActivity], .complete),
        command(
            0x0C2D, "Read Transmit Power Level", [.connectionHandle, powerLevelType],
            .returns([.status, .connectionHandle, .txPowerLevel])),
        command(
            0x0C36, "Read Link Supervision Timeout", [.connectionHandle],
            .returns([.status, .connectionHandle, .timeout])),
        command(
            0x0C37, "Write Link Supervision Timeout", [.connectionHandle, .timeout],
            .returns([.status, .connectionHandle])),
        command(
            0x0C38, "Read Number Of Supported IAC", .returns([.status, .u8("num_supp_iac", "Num Supported IAC")])),
        command(0x0C39, "Read Current IAC LAP", .returns([.status, .list(numCurrentIAC, of: currentLAP)])),
        command(0x0C3A, "Write Current IAC LAP", [.list(numCurrentIAC, of: currentLAP)], .complete),
        command(0x0C3B, "Read Page Scan Period Mode", .returns([.status, .pageScanPeriodMode])),
        command(0x0C3C, "Write Page Scan Period Mode", [.pageScanPeriodMode], .complete),
        command(0x0C3D, "Read Page Scan Mode", .returns([.status, .pageScanMode])),
        command(0x0C3E, "Write Page Scan Mode", [.pageScanMode], .complete),
        command(
            0x0C3F, "Set AFH Host Channel Classification",
            [.bytes(10, "afh_ch_classification", "AFH Host Channel Classification")], .complete),
        command(0x0C42, "Read Inquiry Scan Type", .returns([.status, scanType])),
        command(0x0C43, "Write Inquiry Scan Type", [scanType], .complete),
        command(0x0C44, "Read Inquiry Mode", .returns([.status, inquiryMode])),
        command(0x0C45, "Write Inquiry Mode", [inquiryMode], .complete),
        command(0x0C46, "Read Page Scan Type", .returns([.status, scanType])),
        command(0x0C47, "Write Page Scan Type", [scanType], .complete),
        command(0x0C48, "Read AFH Channel Assessment Mode", .returns([.status, assessmentMode])),
        command(0x0C49, "Write AFH Channel Assessment Mode", [assessmentMode], .complete),
        command(
            0x0C68, "Read Enhanced Transmit Power Level", [.connectionHandle, powerLevelType],
            .returns([
                .status, .connectionHandle, .i8("transmit_power_level_gfsk", "TX Power Level GFSK", .dBm),
                .i8("transmit_power_level_dqpsk", "TX Power Level DQPSK", .dBm),
                .i8("transmit_power_level_8dpsk", "TX Power Level 8DPSK", .dBm),
            ])),
        command(
            0x0C7B, "Read Authenticated Payload Timeout", [.connectionHandle],
            .returns([.status, .connectionHandle, authenticatedPayloadTimeout])),
        command(
            0x0C7C, "Write Authenticated Payload Timeout", [.connectionHandle, authenticatedPayloadTimeout],
            .returns([.status, .connectionHandle])),
        command(0x0C7E, "Read Extended Page Timeout", .returns([.status, .timeout])),
        command(0x0C7F, "Write Extended Page Timeout", [.timeout], .complete),
        command(0x0C80, "Read Extended Inquiry Length", .returns([.status, extendedInquiryLength])),
        command(0x0C81, "Write Extended Inquiry Length", [extendedInquiryLength], .complete),
    ]

    private static let scanEnable = HCI.Parameter.x8(
        "scan_enable", "Scan Enable", ["No scans", "Inquiry Scan", "Page Scan", "Inquiry Scan and Page Scan"])
    private static let authenticationEnable = HCI.Parameter.x8(
        "auth_enable", "Authentication Enable", ["Not required", "Required for all connections"])
    private static let encryptionMode = HCI.Parameter.x8(
        "encrypt_mode", event: "encryption_mode", "Encryption Mode", .disabledEnabled)
    private static let broadcastRetransmissions = HCI.Parameter.u8(
        "num_broad_retran", "Num Broadcast Retransmissions")
    private static let holdModeActivity = HCI.Parameter.bits(
        1, "hold_mode_activity", "Hold Mode Activity",
        [
            .part(0x01, "hold_mode_page", "Suspend Page Scan"),
            .part(0x02, "hold_mode_inquiry", "Suspend Inquiry Scan"),
            .part(0x04, "hold_mode_periodic", "Suspend Periodic Inquiries"),
        ])
    private static let powerLevelType = HCI.Parameter.x8(
        "tx_power_level_type", event: "power_level_type", "Type",
        ["Current Transmit Power Level", "Maximum Transmit Power Level"])
    private static let numCurrentIAC = HCI.Parameter.u8("num_curr_iac", "Num Current IAC")
    private static let currentLAP = HCI.Parameter.x24("num_iac_lap", event: "iac_lap", "IAC LAP")
    private static let scanType = HCI.Parameter.u8(
        "inq_scan_type", "Scan Type", names: ["Standard Scan", "Interlaced Scan"])
    private static let inquiryMode = HCI.Parameter.u8(
        "inq_mode", "Inquiry Mode", names: ["Standard", "With RSSI", "With RSSI or Extended"])
    private static let assessmentMode = HCI.Parameter.u8(
        "afh_ch_assessment_mode", "AFH Channel Assessment Mode", names: .disabledEnabled)
    private static let authenticatedPayloadTimeout = HCI.Parameter.u16(
        "authenticated_payload_timeout", "Authenticated Payload Timeout", .tenMilliseconds)
    private static let extendedInquiryLength = HCI.Parameter.u16(
        "extended_inquiry_length", "Extended Inquiry Length", .slots)
}
