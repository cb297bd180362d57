import Bytes

extension HCI.CommandRow {
    /// Link policy: modes, roles and quality of service (Vol 4, Part E, 7.2).
    static let linkPolicy: [Self] = [
        command(
            0x0801, "Hold Mode",
            [
                .connectionHandle, .u16("hold_mode_max_int", "Hold Mode Max Interval", .slots),
                .u16("hold_mode_min_int", "Hold Mode Min Interval", .slots),
            ], .status),
        command(
            0x0803, "Sniff Mode",
            [
                .connectionHandle, .u16("sniff_max_int", "Sniff Max Interval", .slots),
                .u16("sniff_min_int", "Sniff Min Interval", .slots),
                .u16("sniff_attempt", "Sniff Attempt", .doubleSlots),
                .u16("timeout", "Sniff Timeout", .doubleSlots),
            ], .status),
        command(0x0804, "Exit Sniff Mode", [.connectionHandle], .status),
        command(
            0x0805, "Park State",
            [
                .connectionHandle, .u16("beacon_max_int", "Beacon Max Interval", .slots),
                .u16("beacon_min_int", "Beacon Min Interval", .slots),
            ], .status),
        command(0x0806, "Exit Park State", [.connectionHandle], .status),
        command(
            0x0807, "QoS Setup",
            [.connectionHandle, .flags, .serviceType, .tokenRate, .peakBandwidth, .latency, .delayVariation], .status),
        command(
            0x0809, "Role Discovery", [.connectionHandle],
            .returns([
                .status, .connectionHandle, .x8("curr_role", "Current Role", .roles),
            ])),
        command(0x080B, "Switch Role", [.bdAddr, .role], .status),
        command(
            0x080C, "Read Link Policy Settings", [.connectionHandle],
            .returns([.status, .connectionHandle, linkPolicySettings])),
        command(
            0x080D, "Write Link Policy Settings", [.connectionHandle, linkPolicySettings],
            .returns([.status, .connectionHandle])),
        command(0x080E, "Read Default Link Policy Settings", .returns([.status, linkPolicySettings])),
        command(0x080F, "Write Default Link Policy Settings", [linkPolicySettings], .complete),
        command(
            0x0810, "Flow Specification",
            [
                .connectionHandle, .flags, .x8("flow_direction", "Flow Direction", .flowDirections),
                .serviceType, .tokenRate, .tokenBucketSize, .peakBandwidth,
                .latency,
            ], .status),
        command(
            0x0811, "Sniff Subrating",
            [
                .connectionHandle, .u16("max_latency", "Max Latency", .slots),
                .u16("min_remote_timeout", "Min Remote Timeout", .slots),
                .u16("min_local_timeout", "Min Local Timeout", .slots),
            ], .returns([.status, .connectionHandle])),
    ]

    private static let linkPolicySettings = HCI.Parameter.bits(
        2, "link_policy_settings", "Link Policy Settings",
        [
            .part(0x0001, "link_policy_switch", "Enable Role Switch"),
            .part(0x0002, "link_policy_hold", "Enable Hold Mode"),
            .part(0x0004, "link_policy_sniff", "Enable Sniff Mode"),
            .part(0x0008, "link_policy_park", "Enable Park State"),
        ])
}
