import Bytes

/// Fields of control PDUs for isochronous streams and periodic advertising.
extension LL.Fields {
    static let cigID = control("cig_id", "CIG_ID", .decimal)
    static let cisID = control("cis_id", "CIS_ID", .decimal)
    static let centralSDUBits = [
        control("max_sdu_m_to_s", "Max_SDU_C_To_P", .decimal, unit: "bytes", mask: 0x0FFF),
        control("rfu.1", "Reserved", .decimal, mask: 0x7000),
        bit("btle.control.framed", "Framed", 0x8000),
    ]
    static let peripheralSDUBits = [
        control("max_sdu_s_to_m", "Max_SDU_P_To_C", .decimal, unit: "bytes", mask: 0x0FFF),
        control("rfu.2", "Reserved", .decimal, mask: 0xF000),
    ]
    static let centralSDUIntervalBits = [
        control("sdu_interval_m_to_s", "SDU_Interval_C_To_P", .decimal, unit: "µs", mask: 0x0F_FFFF),
        control("rfu.3", "Reserved", .decimal, mask: 0xF0_0000),
    ]
    static let peripheralSDUIntervalBits = [
        control("sdu_interval_s_to_m", "SDU_Interval_P_To_C", .decimal, unit: "µs", mask: 0x0F_FFFF),
        control("rfu.4", "Reserved", .decimal, mask: 0xF0_0000),
    ]
    static let centralMaxPDU = control("max_pdu_m_to_s", "Max_PDU_C_To_P", .decimal, unit: "bytes")
    static let peripheralMaxPDU = control("max_pdu_s_to_m", "Max_PDU_P_To_C", .decimal, unit: "bytes")
    static let cisSubeventCount = control("num_sub_events", "NSE", .decimal)
    static let subInterval = control("sub_interval", "Sub_Interval", .decimal, unit: "µs")
    static let burstNumberBits = [
        control("bn_m_to_s", "BN_C_To_P", .decimal, mask: 0x0F),
        control("bn_s_to_m", "BN_P_To_C", .decimal, mask: 0xF0),
    ]
    static let centralFlushTimeout = control("ft_m_to_s", "FT_C_To_P", .decimal)
    static let peripheralFlushTimeout = control("ft_s_to_m", "FT_P_To_C", .decimal)
    static let isoInterval = control("iso_interval", "ISO_Interval", .decimal, unit: "ms", scale: 1.25)
    static let cisOffsetMinimum = control("cis_offset_min", "CIS_Offset_Min", .decimal, unit: "µs")
    static let cisOffsetMaximum = control("cis_offset_max", "CIS_Offset_Max", .decimal, unit: "µs")
    static let connectionEventCount = control("conn_event_count", "connEventCount", .decimal)
    static let cisAccessAddress = control("access_address", "Access Address", .hex(8))
    static let cisOffset = control("cis_offset", "CIS_Offset", .decimal, unit: "µs")
    static let cigSyncDelay = control("cig_sync_delay", "CIG_Sync_Delay", .decimal, unit: "µs")
    static let cisSyncDelay = control("cis_sync_delay", "CIS_Sync_Delay", .decimal, unit: "µs")
    static let isochronous: [Field] = [
        [
            cigID, cisID, centralMaxPDU, peripheralMaxPDU, cisSubeventCount, subInterval, centralFlushTimeout,
            peripheralFlushTimeout, isoInterval, cisOffsetMinimum, cisOffsetMaximum, connectionEventCount,
            cisAccessAddress, cisOffset, cigSyncDelay, cisSyncDelay,
        ],
        centralSDUBits, peripheralSDUBits, centralSDUIntervalBits, peripheralSDUIntervalBits, burstNumberBits,
    ]
    .flatMap(\.self)

    static let syncID = control("sync.id", "ID", .hex(4))
    static let controlSyncInfo = syncInfoNames("btle.control.sync_info")
    static let syncConnectionEventCount = control("sync.conn_event_count", "connEventCount", .decimal)
    static let syncLastEventCounter = control("sync.last_pa_event_counter", "lastPaEventCounter", .decimal)
    static let syncSetBits = [
        control("sync.sid", "SID", .hex(2), mask: 0x0F),
        control("sync.atype", "AType", .decimal, mask: 0x10, names: ValueNames([0: "Public", 1: "Random"])),
        control(
            "sync.sleep_clock_accuracy", "Sleep Clock Accuracy", .decimal, mask: 0xE0,
            names: LL.SleepClockAccuracy.valueNames),
    ]
    static let syncEventCount = control("sync.sync_conn_event_count", "syncConnEventCount", .decimal)
    static let responseAccessAddress = control("rsp_aa", "RspAA", .hex(8))
    static let subeventCount = control("num_subevents", "Number of Subevents", .decimal)
    static let subeventInterval = milliseconds("btle.control.subevent_interval", "Subevent Interval", 1.25)
    static let responseSlotDelay = milliseconds("btle.control.response_slot_delay", "Response Slot Delay", 1.25)
    static let responseSlotSpacing = milliseconds(
        "btle.control.response_slot_spacing", "Response Slot Spacing", 0.125)
    static let periodic: [Field] = [
        [
            syncID, syncConnectionEventCount, syncLastEventCounter, syncEventCount, responseAccessAddress,
            subeventCount, subeventInterval, responseSlotDelay, responseSlotSpacing,
        ],
        controlSyncInfo.all, syncSetBits,
    ]
    .flatMap(\.self)
}
