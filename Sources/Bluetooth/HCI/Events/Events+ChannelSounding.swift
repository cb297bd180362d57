extension HCI.LEEventRow {
    /// Channel Sounding (Core 6.0, Vol 4, Part E, 7.7.65.39 to 7.7.65.46).
    static let leChannelSounding: [Self] = [
        event(
            0x2C, "LE CS Read Remote Supported Capabilities Complete [v1]",
            [.status, .connectionHandle] + HCI.Parameter.csCapabilities),
        event(
            0x2D, "LE CS Read Remote FAE Table Complete", [.status, .connectionHandle, .csFAETable]),
        event(0x2E, "LE CS Security Enable Complete", [.status, .connectionHandle]),
        event(
            0x2F, "LE CS Config Complete",
            [.status, .connectionHandle, .csConfigID, .x8("cs_action", "Action", ["Removed", "Created"])]
                + HCI.Parameter.csConfig + HCI.Parameter.csTimes),
        event(
            0x30, "LE CS Procedure Enable Complete",
            [
                .status, .connectionHandle, .csConfigID, .x8("cs_state", "State", .disabledEnabled), .csToneAntennas,
                .i8("selected_tx_power", "Selected TX Power", .dBm), .csSubeventLength,
                .u8("subevents_per_event", "Subevents Per Event"), .csSubeventInterval,
                .u16("cs_event_interval", "Event Interval"), .u16("cs_procedure_interval", "Procedure Interval"),
                .u16("cs_procedure_count", "Procedure Count"), .csMaxProcedureLength,
            ]),
        event(0x31, "LE CS Subevent Result", [.parameters(HCI.LECSSubeventResult.self)]),
        event(0x32, "LE CS Subevent Result Continue", [.parameters(HCI.LECSSubeventResultContinue.self)]),
        event(0x33, "LE CS Test End Complete", [.status]),
        event(
            0x38, "LE CS Read Remote Supported Capabilities Complete [v2]",
            [.status, .connectionHandle] + HCI.Parameter.csCapabilitiesV2),
    ]
}
