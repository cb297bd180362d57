import Bytes

/// The masks that choose events (Vol 4, Part E, 7.3.1, 7.3.69 and 7.8.1).
extension HCI.Parameter {
    static let eventMask = bits(
        8, "event_mask", "Event Mask",
        [
            event(0, "evt_mask_00", "Inquiry Complete"),
            event(1, "evt_mask_01", "Inquiry Result"),
            event(2, "evt_mask_02", "Connection Complete"),
            event(3, "evt_mask_03", "Connection Request"),
            event(4, "evt_mask_04", "Disconnection Complete"),
            event(5, "evt_mask_05", "Authentication Complete"),
            event(6, "evt_mask_06", "Remote Name Request Complete"),
            event(7, "evt_mask_07", "Encryption Change [v1]"),
            event(8, "evt_mask_10", "Change Connection Link Key Complete"),
            event(9, "evt_mask_11", "Link Key Type Changed"),
            event(10, "evt_mask_12", "Read Remote Supported Features Complete"),
            event(11, "evt_mask_13", "Read Remote Version Information Complete"),
            event(12, "evt_mask_14", "QoS Setup Complete"),
            event(15, "evt_mask_17", "Hardware Error"),
            event(16, "evt_mask_20", "Flush Occurred"),
            event(17, "evt_mask_21", "Role Change"),
            event(19, "evt_mask_23", "Mode Change"),
            event(20, "evt_mask_24", "Return Link Keys"),
            event(21, "evt_mask_25", "PIN Code Request"),
            event(22, "evt_mask_26", "Link Key Request"),
            event(23, "evt_mask_27", "Link Key Notification"),
            event(24, "evt_mask_30", "Loopback Command"),
            event(25, "evt_mask_31", "Data Buffer Overflow"),
            event(26, "evt_mask_32", "Max Slots Change"),
            event(27, "evt_mask_33", "Read Clock Offset Complete"),
            event(28, "evt_mask_34", "Connection Packet Type Changed"),
            event(29, "evt_mask_35", "QoS Violation"),
            event(30, "evt_mask_36", "Page Scan Mode Change"),
            event(31, "evt_mask_37", "Page Scan Repetition Mode Change"),
            event(32, "evt_mask_40", "Flow Specification Complete"),
            event(33, "evt_mask_41", "Inquiry Result with RSSI"),
            event(34, "evt_mask_42", "Read Remote Extended Features Complete"),
            event(43, "evt_mask_53", "Synchronous Connection Complete"),
            event(44, "evt_mask_54", "Synchronous Connection Changed"),
            event(45, "evt_mask_55", "Sniff Subrating"),
            event(46, "evt_mask_56", "Extended Inquiry Result"),
            event(47, "evt_mask_57", "Encryption Key Refresh Complete"),
            event(48, "evt_mask_60", "IO Capability Request"),
            event(49, "evt_mask_61", "IO Capability Response"),
            event(50, "evt_mask_62", "User Confirmation Request"),
            event(51, "evt_mask_63", "User Passkey Request"),
            event(52, "evt_mask_64", "Remote OOB Data Request"),
            event(53, "evt_mask_65", "Simple Pairing Complete"),
            event(55, "evt_mask_67", "Link Supervision Timeout Changed"),
            event(56, "evt_mask_70", "Enhanced Flush Complete"),
            event(58, "evt_mask_72", "User Passkey Notification"),
            event(59, "evt_mask_73", "Keypress Notification"),
            event(60, "evt_mask_74", "Remote Host Supported Features Notification"),
            event(61, "evt_mask_75", "LE Meta"),
        ])

    static let eventMaskPage2 = bits(
        8, "event_mask_page_2", "Event Mask Page 2",
        [
            event(0, "evt_mask2_00", "Physical Link Complete"),
            event(1, "evt_mask2_01", "Channel Selected"),
            event(2, "evt_mask2_02", "Disconnection Physical Link Complete"),
            event(3, "evt_mask2_03", "Physical Link Loss Early Warning"),
            event(4, "evt_mask2_04", "Physical Link Recovery"),
            event(5, "evt_mask2_05", "Logical Link Complete"),
            event(6, "evt_mask2_06", "Disconnection Logical Link Complete"),
            event(7, "evt_mask2_07", "Flow Spec Modify Complete"),
            event(8, "evt_mask2_10", "Number Of Completed Data Blocks"),
            event(9, "evt_mask2_11", "AMP Start Test"),
            event(10, "evt_mask2_12", "AMP Test End"),
            event(11, "evt_mask2_13", "AMP Receiver Report"),
            event(12, "evt_mask2_14", "Short Range Mode Change Complete"),
            event(13, "evt_mask2_15", "AMP Status Change"),
            event(14, "evt_mask2_16", "Triggered Clock Capture"),
            event(15, "evt_mask2_17", "Synchronization Train Complete"),
            event(16, "evt_mask2_20", "Synchronization Train Received"),
            event(17, "evt_mask2_21", "Connectionless Peripheral Broadcast Receive"),
            event(18, "evt_mask2_22", "Connectionless Peripheral Broadcast Timeout"),
            event(19, "evt_mask2_23", "Truncated Page Complete"),
            event(20, "evt_mask2_24", "Peripheral Page Response Timeout"),
            event(21, "evt_mask2_25", "Connectionless Peripheral Broadcast Channel Map Change"),
            event(22, "evt_mask2_26", "Inquiry Response Notification"),
            event(23, "evt_mask2_27", "Authenticated Payload Timeout Expired"),
            event(24, "evt_mask2_30", "SAM Status Change"),
            event(25, "evt_mask2_31", "Encryption Change [v2]"),
        ])

    private static func event(_ bit: UInt64, _ name: String, _ label: String) -> Name {
        .part(1 << bit, name, label, .hex(2))
    }

    static let leEventMask = bits(
        8, "le_event_mask", "LE Event Mask",
        [
            leEvent(0x01, "le_connection_complete", "LE Connection Complete"),
            leEvent(0x02, "le_advertising_report", "LE Advertising Report"),
            leEvent(0x03, "le_connection_update_complete", "LE Connection Update Complete"),
            leEvent(0x04, "le_read_remote_features_complete", "LE Read Remote Features Complete"),
            leEvent(0x05, "le_long_term_key_request", "LE Long Term Key Request"),
            leEvent(0x06, "le_remote_connection_parameter_request", "LE Remote Connection Parameter Request"),
            leEvent(0x07, "le_data_length_change", "LE Data Length Change"),
            leEvent(0x08, "le_read_local_p256_public_key_complete", "LE Read Local P-256 Public Key Complete"),
            leEvent(0x09, "le_generate_dhkey_complete", "LE Generate DHKey Complete"),
            leEvent(0x0A, "le_enhanced_connection_complete", "LE Enhanced Connection Complete [v1]"),
            leEvent(0x0B, "le_direct_advertising_report", "LE Directed Advertising Report"),
            leEvent(0x0C, "le_phy_update_complete", "LE PHY Update Complete"),
            leEvent(0x0D, "le_extended_advertising_report", "LE Extended Advertising Report"),
            leEvent(
                0x0E, "le_periodic_advertising_sync_established", "LE Periodic Advertising Sync Established [v1]"),
            leEvent(0x0F, "le_periodic_advertising_report", "LE Periodic Advertising Report [v1]"),
            leEvent(0x10, "le_periodic_advertising_sync_lost", "LE Periodic Advertising Sync Lost"),
            leEvent(0x11, "le_extended_scan_timeout", "LE Scan Timeout"),
            leEvent(0x12, "le_extended_advertising_set_terminated", "LE Advertising Set Terminated"),
            leEvent(0x13, "le_scan_request_received", "LE Scan Request Received"),
            leEvent(0x14, "le_channel_selection_algorithm", "LE Channel Selection Algorithm"),
            leEvent(0x15, "le_connectionless_iq_report", "LE Connectionless IQ Report"),
            leEvent(0x16, "le_connection_iq_report", "LE Connection IQ Report"),
            leEvent(0x17, "le_cte_request_failed", "LE CTE Request Failed"),
            leEvent(
                0x18, "le_periodic_advertising_sync_transfer_received",
                "LE Periodic Advertising Sync Transfer Received [v1]"),
            leEvent(0x19, "le_cis_established", "LE CIS Established"),
            leEvent(0x1A, "le_cis_request", "LE CIS Request"),
            leEvent(0x1B, "le_create_big_complete", "LE Create BIG Complete"),
            leEvent(0x1C, "le_terminate_big_complete", "LE Terminate BIG Complete"),
            leEvent(0x1D, "le_big_sync_established", "LE BIG Sync Established"),
            leEvent(0x1E, "le_big_sync_lost", "LE BIG Sync Lost"),
            leEvent(0x1F, "le_request_peer_sca_complete", "LE Request Peer SCA Complete"),
            leEvent(0x20, "le_path_loss_threshold", "LE Path Loss Threshold"),
            leEvent(0x21, "le_transmit_power_reporting", "LE Transmit Power Reporting"),
            leEvent(0x22, "le_biginfo_advertising_report", "LE BIGInfo Advertising Report"),
            leEvent(0x23, "le_subrate_changed", "LE Subrate Change"),
            leEvent(
                0x24, "le_periodic_advertising_sync_established_v2", "LE Periodic Advertising Sync Established [v2]"),
            leEvent(0x25, "le_periodic_advertising_report_v2", "LE Periodic Advertising Report [v2]"),
            leEvent(
                0x26, "le_periodic_advertising_sync_transfer_received_v2",
                "LE Periodic Advertising Sync Transfer Received [v2]"),
            leEvent(
                0x27, "le_periodic_advertising_subevent_data_request",
                "LE Periodic Advertising Subevent Data Request"),
            leEvent(
                0x28, "le_periodic_advertising_response_report", "LE Periodic Advertising Response Report"),
            leEvent(0x29, "le_enhanced_connection_complete_v2", "LE Enhanced Connection Complete [v2]"),
        ])

    private static func leEvent(_ subevent: UInt64, _ name: String, _ label: String) -> Name {
        .part(1 << (subevent - 1), "le_event_mask." + name, label)
    }
}
