import Bytes

/// LE features (Vol 6, Part B, 4.6) and combinations of Link Layer states (Vol 4, Part E, 7.8.27).
extension HCI.Parameter {
    static let leFeatures = bits(
        8, "le_features", "LE Features",
        [
            .part(1 << 0, "le_features.encryption", "LE Encryption"),
            .part(
                1 << 1, "le_features.connection_parameters_request_procedure", "Connection Parameters Request Procedure"
            ),
            .part(1 << 2, "le_features.extended_reject_indication", "Extended Reject Indication"),
            .part(1 << 3, "le_features.slave_initiated_features_exchange", "Peripheral-initiated Features Exchange"),
            .part(1 << 4, "le_features.ping", "LE Ping"),
            .part(1 << 5, "le_features.data_packet_length_extension", "LE Data Packet Length Extension"),
            .part(1 << 6, "le_features.ll_privacy", "LL Privacy"),
            .part(1 << 7, "le_features.extended_scanner_filter_policies", "Extended Scanning Filter Policies"),
            .part(1 << 8, "le_features.2m_phy", "LE 2M PHY"),
            .part(1 << 9, "le_features.stable_modulation_index_tx", "Stable Modulation Index - Transmitter"),
            .part(1 << 10, "le_features.stable_modulation_index_rx", "Stable Modulation Index - Receiver"),
            .part(1 << 11, "le_features.coded_phy", "LE Coded PHY"),
            .part(1 << 12, "le_features.extended_advertising", "LE Extended Advertising"),
            .part(1 << 13, "le_features.periodic_advertising", "LE Periodic Advertising"),
            .part(1 << 14, "le_features.channel_selection_algorithm_2", "Channel Selection Algorithm #2"),
            .part(1 << 15, "le_features.power_class_1", "LE Power Class 1"),
            .part(
                1 << 16, "le_features.minimum_number_of_used_channels_procedure",
                "Minimum Number of Used Channels Procedure"),
            .part(1 << 17, "le_features.connection_cte_request", "Connection CTE Request"),
            .part(1 << 18, "le_features.connection_cte_response", "Connection CTE Response"),
            .part(1 << 19, "le_features.connectionless_cte_tx", "Connectionless CTE Transmitter"),
            .part(1 << 20, "le_features.connectionless_cte_rx", "Connectionless CTE Receiver"),
            .part(
                1 << 21, "le_features.antenna_switching_during_cte_tx_aod",
                "Antenna Switching During CTE Transmission (AoD)"),
            .part(
                1 << 22, "le_features.antenna_switching_during_cte_rx_aoa",
                "Antenna Switching During CTE Reception (AoA)"),
            .part(1 << 23, "le_features.receiving_cte", "Receiving Constant Tone Extensions"),
            .part(
                1 << 24, "le_features.periodic_advertising_sync_transfer_sender",
                "Periodic Advertising Sync Transfer - Sender"),
            .part(
                1 << 25, "le_features.periodic_advertising_sync_transfer_receiver",
                "Periodic Advertising Sync Transfer - Recipient"),
            .part(1 << 26, "le_features.sleep_clock_accuracy_updates", "Sleep Clock Accuracy Updates"),
            .part(1 << 27, "le_features.remote_public_key_validation", "Remote Public Key Validation"),
            .part(1 << 28, "le_features.cis_master", "Connected Isochronous Stream - Central"),
            .part(1 << 29, "le_features.cis_slave", "Connected Isochronous Stream - Peripheral"),
            .part(1 << 30, "le_features.isochronous_broadcaster", "Isochronous Broadcaster"),
            .part(1 << 31, "le_features.synchronized_receiver", "Synchronized Receiver"),
            .part(
                1 << 32, "le_features.isochronous_channels_host_support",
                "Connected Isochronous Stream (Host Support)"),
            .part(1 << 33, "le_features.power_control_request", "LE Power Control Request"),
            .part(1 << 34, "le_features.power_change_indication", "LE Power Change Indication"),
            .part(1 << 35, "le_features.path_loss_monitoring", "LE Path Loss Monitoring"),
            .part(1 << 36, "le_features.periodic_advertising_adi", "Periodic Advertising ADI Support"),
            .part(1 << 37, "le_features.connection_subrating", "Connection Subrating"),
            .part(1 << 38, "le_features.connection_subrating_host_support", "Connection Subrating (Host Support)"),
            .part(1 << 39, "le_features.channel_classification", "Channel Classification"),
            .part(1 << 40, "le_features.advertising_coding_selection", "Advertising Coding Selection"),
            .part(
                1 << 41, "le_features.advertising_coding_selection_host_support",
                "Advertising Coding Selection (Host Support)"),
            .part(
                1 << 42, "le_features.decision_based_advertising_filtering", "Decision-Based Advertising Filtering"),
            .part(1 << 43, "le_features.pawr_advertiser", "Periodic Advertising with Responses - Advertiser"),
            .part(1 << 44, "le_features.pawr_scanner", "Periodic Advertising with Responses - Scanner"),
            .part(1 << 45, "le_features.unsegmented_framed_mode", "Unsegmented Framed Mode"),
            .part(1 << 46, "le_features.channel_sounding", "Channel Sounding"),
            .part(1 << 47, "le_features.channel_sounding_host_support", "Channel Sounding (Host Support)"),
            .part(
                1 << 48, "le_features.channel_sounding_tone_quality_indication",
                "Channel Sounding Tone Quality Indication"),
            .part(1 << 63, "le_features.ext_feature_set", "LL Extended Feature Set"),
        ])

    static let featureBitValue = x8("feature_bit_value", "Bit Value", .disabledEnabled)
    static let maxValidPage = u8("max_valid_page", "Max Valid Page")

    /// Page 0 of the features, of 8 bytes, and pages 1 to 10, of 24 bytes each (Core 6.0, Vol 6, Part B, 4.6).
    static let leFeaturePages: [Self] = [
        leFeatures,
        bits(
            8, "le_ext_features_1", "LE Features 64 To 127",
            [
                .part(1 << 0, "le_ext_features_1.monitoring_advertisers", "Monitoring Advertisers"),
                .part(1 << 1, "le_ext_features_1.frame_space_update", "Frame Space Update"),
                .part(1 << 8, "le_ext_features_1.shorter_connection_intervals", "Shorter Connection Intervals"),
                .part(
                    1 << 9, "le_ext_features_1.shorter_connection_intervals_host_support",
                    "Shorter Connection Intervals (Host Support)"),
            ]),
        bytes(232, "le_further_features", "LE Features From 128"),
    ]

    static let leStates = bits(
        8, "le_states", "LE States",
        [
            .part(1 << 0, "le_states_00", "Non-connectable and Non-scannable Advertising"),
            .part(1 << 1, "le_states_01", "Scannable Advertising"),
            .part(1 << 2, "le_states_02", "Connectable and Scannable Advertising"),
            .part(1 << 3, "le_states_03", "High Duty Cycle Directed Advertising"),
            .part(1 << 4, "le_states_04", "Passive Scanning"),
            .part(1 << 5, "le_states_05", "Active Scanning"),
            .part(1 << 6, "le_states_06", "Initiating; Connection (Central Role)"),
            .part(1 << 7, "le_states_07", "Connection (Peripheral Role)"),
            .part(1 << 8, "le_states_10", "Non-connectable Advertising and Passive Scanning"),
            .part(1 << 9, "le_states_11", "Scannable Advertising and Passive Scanning"),
            .part(1 << 10, "le_states_12", "Connectable Advertising and Passive Scanning"),
            .part(1 << 11, "le_states_13", "High Duty Cycle Directed Advertising and Passive Scanning"),
            .part(1 << 12, "le_states_14", "Non-connectable Advertising and Active Scanning"),
            .part(1 << 13, "le_states_15", "Scannable Advertising and Active Scanning"),
            .part(1 << 14, "le_states_16", "Connectable Advertising and Active Scanning"),
            .part(1 << 15, "le_states_17", "High Duty Cycle Directed Advertising and Active Scanning"),
            .part(1 << 16, "le_states_20", "Non-connectable Advertising and Initiating"),
            .part(1 << 17, "le_states_21", "Scannable Advertising and Initiating"),
            .part(1 << 18, "le_states_22", "Non-connectable Advertising and Central Role"),
            .part(1 << 19, "le_states_23", "Scannable Advertising and Central Role"),
            .part(1 << 20, "le_states_24", "Non-connectable Advertising and Peripheral Role"),
            .part(1 << 21, "le_states_25", "Scannable Advertising and Peripheral Role"),
            .part(1 << 22, "le_states_26", "Passive Scanning and Initiating"),
            .part(1 << 23, "le_states_27", "Active Scanning and Initiating"),
            .part(1 << 24, "le_states_30", "Passive Scanning and Central Role"),
            .part(1 << 25, "le_states_31", "Active Scanning and Central Role"),
            .part(1 << 26, "le_states_32", "Passive Scanning and Peripheral Role"),
            .part(1 << 27, "le_states_33", "Active Scanning and Peripheral Role"),
            .part(1 << 28, "le_states_34", "Initiating and Central Role"),
            .part(1 << 29, "le_states_35", "Low Duty Cycle Directed Advertising"),
            .part(1 << 30, "le_states_36", "Low Duty Cycle Directed Advertising and Passive Scanning"),
            .part(1 << 31, "le_states_37", "Low Duty Cycle Directed Advertising and Active Scanning"),
            .part(1 << 32, "le_states_40", "Connectable Advertising and Initiating"),
            .part(1 << 33, "le_states_41", "High Duty Cycle Directed Advertising and Initiating"),
            .part(1 << 34, "le_states_42", "Low Duty Cycle Directed Advertising and Initiating"),
            .part(1 << 35, "le_states_43", "Connectable Advertising and Central Role"),
            .part(1 << 36, "le_states_44", "High Duty Cycle Directed Advertising and Central Role"),
            .part(1 << 37, "le_states_45", "Low Duty Cycle Directed Advertising and Central Role"),
            .part(1 << 38, "le_states_46", "Connectable Advertising and Peripheral Role"),
            .part(1 << 39, "le_states_47", "High Duty Cycle Directed Advertising and Peripheral Role"),
            .part(1 << 40, "le_states_50", "Low Duty Cycle Directed Advertising and Peripheral Role"),
            .part(1 << 41, "le_states_51", "Initiating and Peripheral Role"),
        ])
}

/// BR/EDR features, page by page (Vol 2, Part C, 3.3).
extension HCI.Parameter {
    private static let lmpFeatures = Name("lmp_features", "LMP Features", .hex(16))

    static let lmpFeaturesPage0 = Self.bits(
        lmpFeatures, size: 8,
        parts: Parts([
            .part(1 << 0, "lmp_features.3slot_packets", "3 Slot Packets"),
            .part(1 << 1, "lmp_features.5slot_packets", "5 Slot Packets"),
            .part(1 << 2, "lmp_features.encryption", "Encryption"),
            .part(1 << 3, "lmp_features.slot_offset", "Slot Offset"),
            .part(1 << 4, "lmp_features.timing_accuracy", "Timing Accuracy"),
            .part(1 << 5, "lmp_features.role_switch", "Role Switch"),
            .part(1 << 6, "lmp_features.hold_mode", "Hold Mode"),
            .part(1 << 7, "lmp_features.sniff_mode", "Sniff Mode"),
            .part(1 << 8, "lmp_features.park_state", "Park State"),
            .part(1 << 9, "lmp_features.power_control_requests", "Power Control Requests"),
            .part(1 << 10, "lmp_features.channel_quality_driven_data_rate", "Channel Quality Driven Data Rate"),
            .part(1 << 11, "lmp_features.sco_link", "SCO Link"),
            .part(1 << 12, "lmp_features.hv2_packets", "HV2 Packets"),
            .part(1 << 13, "lmp_features.hv3_packets", "HV3 Packets"),
            .part(1 << 14, "lmp_features.u_law_log_synchronous_data", "µ-law Log Synchronous Data"),
            .part(1 << 15, "lmp_features.a_law_log_synchronous_data", "A-law Log Synchronous Data"),
            .part(1 << 16, "lmp_features.cvsd_synchronous_data", "CVSD Synchronous Data"),
            .part(1 << 17, "lmp_features.paging_parameter_negotiation", "Paging Parameter Negotiation"),
            .part(1 << 18, "lmp_features.power_control", "Power Control"),
            .part(1 << 19, "lmp_features.transparent_synchronous_data", "Transparent Synchronous Data"),
            .part(0x7 << 20, "lmp_features.flow_control_lag", "Flow Control Lag", .decimal),
            .part(1 << 23, "lmp_features.broadcast_encryption", "Broadcast Encryption"),
            .part(1 << 25, "lmp_features.edr_acl_2mbps_mode", "Enhanced Data Rate ACL 2 Mb/s Mode"),
            .part(1 << 26, "lmp_features.edr_acl_3mbps_mode", "Enhanced Data Rate ACL 3 Mb/s Mode"),
            .part(1 << 27, "lmp_features.enhanced_inquiry_scan", "Enhanced Inquiry Scan"),
            .part(1 << 28, "lmp_features.interlaced_inquiry_scan", "Interlaced Inquiry Scan"),
            .part(1 << 29, "lmp_features.interlaced_page_scan", "Interlaced Page Scan"),
            .part(1 << 30, "lmp_features.rssi_with_inquiry_results", "RSSI with Inquiry Results"),
            .part(1 << 31, "lmp_features.ev3_packets", "Extended SCO Link (EV3 Packets)"),
            .part(1 << 32, "lmp_features.ev4_packets", "EV4 Packets"),
            .part(1 << 33, "lmp_features.ev5_packets", "EV5 Packets"),
            .part(1 << 35, "lmp_features.afh_capable_slave", "AFH Capable Peripheral"),
            .part(1 << 36, "lmp_features.afh_classification_slave", "AFH Classification Peripheral"),
            .part(1 << 37, "lmp_features.br_edr_not_supported", "BR/EDR Not Supported"),
            .part(1 << 38, "lmp_features.le_supported_controller", "LE Supported (Controller)"),
            .part(1 << 39, "lmp_features.3slot_edr_acl_packets", "3-slot Enhanced Data Rate ACL Packets"),
            .part(1 << 40, "lmp_features.5slot_edr_acl_packets", "5-slot Enhanced Data Rate ACL Packets"),
            .part(1 << 41, "lmp_features.sniff_subrating", "Sniff Subrating"),
            .part(1 << 42, "lmp_features.pause_encryption", "Pause Encryption"),
            .part(1 << 43, "lmp_features.afh_capable_master", "AFH Capable Central"),
            .part(1 << 44, "lmp_features.afh_classification_master", "AFH Classification Central"),
            .part(1 << 45, "lmp_features.edr_esco_2mbps_mode", "Enhanced Data Rate eSCO 2 Mb/s Mode"),
            .part(1 << 46, "lmp_features.edr_esco_3mbps_mode", "Enhanced Data Rate eSCO 3 Mb/s Mode"),
            .part(1 << 47, "lmp_features.3slot_edr_esco_packets", "3-slot Enhanced Data Rate eSCO Packets"),
            .part(1 << 48, "lmp_features.extended_inquiry_response", "Extended Inquiry Response"),
            .part(
                1 << 49, "lmp_features.simultaneous_le_and_br_edr.controller",
                "Simultaneous LE and BR/EDR to Same Device Capable (Controller)"),
            .part(1 << 51, "lmp_features.secure_simple_pairing", "Secure Simple Pairing (Controller Support)"),
            .part(1 << 52, "lmp_features.encapsulated_pdu", "Encapsulated PDU"),
            .part(1 << 53, "lmp_features.erroneous_data_reporting", "Erroneous Data Reporting"),
            .part(1 << 54, "lmp_features.non_flushable_packet_boundary_flag", "Non-flushable Packet Boundary Flag"),
            .part(
                1 << 56, "lmp_features.supervision_timeout_changed_event",
                "HCI Link Supervision Timeout Changed Event"),
            .part(1 << 57, "lmp_features.inquiry_tx_power_level", "Variable Inquiry TX Power Level"),
            .part(1 << 58, "lmp_features.enhanced_power_control", "Enhanced Power Control"),
            .part(1 << 63, "lmp_features.extended_features", "Extended Features"),
        ]))

    static let lmpFeaturesPage1 = Self.bits(
        lmpFeatures, size: 8,
        parts: Parts([
            .part(1 << 0, "lmp_features.secure_simple_pairing_host", "Secure Simple Pairing (Host Support)"),
            .part(1 << 1, "lmp_features.le_supported.host", "LE Supported (Host)"),
            .part(
                1 << 2, "lmp_features.simultaneous_le_and_br_edr.host",
                "Simultaneous LE and BR/EDR to Same Device Capable (Host)"),
            .part(1 << 3, "lmp_features.secure_connections_host", "Secure Connections (Host Support)"),
        ]))

    static let lmpFeaturesPage2 = Self.bits(
        lmpFeatures, size: 8,
        parts: Parts([
            .part(
                1 << 0, "lmp_features.csb_master_operation",
                "Connectionless Peripheral Broadcast - Transmitter Operation"),
            .part(
                1 << 1, "lmp_features.csb_slave_operation", "Connectionless Peripheral Broadcast - Receiver Operation"),
            .part(1 << 2, "lmp_features.synchronization_train", "Synchronization Train"),
            .part(1 << 3, "lmp_features.synchronization_scan", "Synchronization Scan"),
            .part(
                1 << 4, "lmp_features.inquiry_response_notification_event", "HCI Inquiry Response Notification Event"),
            .part(1 << 5, "lmp_features.generalized_interlaced_scan", "Generalized Interlaced Scan"),
            .part(1 << 6, "lmp_features.coarse_clock_adjustment", "Coarse Clock Adjustment"),
            .part(1 << 8, "lmp_features.secure_connections_controller", "Secure Connections (Controller Support)"),
            .part(1 << 9, "lmp_features.ping", "Ping"),
            .part(1 << 10, "lmp_features.slot_availability_mask", "Slot Availability Mask"),
            .part(1 << 11, "lmp_features.train_nudging", "Train Nudging"),
        ]))

    /// The features of a page, selected by the preceding page number.
    static let lmpFeaturesByPage = choice(
        pageNumber,
        [
            0: [maxPageNumber, lmpFeaturesPage0], 1: [maxPageNumber, lmpFeaturesPage1],
            2: [maxPageNumber, lmpFeaturesPage2],
        ])

    private static let maxPageNumber = u8("max_page_number", "Max Page Number")
}
