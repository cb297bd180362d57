/// The decoded values of the test vectors, copied from the tables of the protocol document, section 13; T0 is
/// 1769947200.
///
/// The notation is that of `ValueText`: it omits flags that are not set and fields that are absent.
enum DecodedValues {
    static let all: [(id: String, text: String)] =
        information + currentState + configuration + sync + commands + activity + calibration + storage + required
        + legacy

    private static let information = [
        (
            "V-ADV",
            """
            structures=[size=2 kind=flags data=06; size=3 kind=complete_16_bit_services data=0f18; \
            size=17 kind=complete_128_bit_services data=000000000000002d657461766b61756f; \
            size=5 kind=connection_interval_range data=06000600]
            """
        ),
        ("V-SR", "structures=[size=14 kind=complete_local_name data=41717561766174652d41334632]"),
        ("V-DIS-MANUFACTURER", "Aquavate"),
        ("V-DIS-MODEL", "Puck v1.0"),
        ("V-DIS-FIRMWARE-HEAD", "0.1.0"),
        ("V-DIS-SERIAL", "24:0A:C4:12:A3:F2"),
        ("V-BATTERY", "83"),
    ]

    private static let currentState = [
        ("V-CS-BOOT", "timestamp=0 weight=0 level=0 daily_total=0 battery=0 flags=() unsynced=0"),
        (
            "V-CS-NORMAL",
            """
            timestamp=1769947200 weight=412 level=412 daily_total=1250 battery=83 \
            flags=(time_valid calibrated stable) unsynced=3
            """
        ),
        (
            "V-CS-NEGATIVE-LOWBAT",
            """
            timestamp=1769947260 weight=-12 level=0 daily_total=1250 battery=24 \
            flags=(time_valid calibrated stable low_battery) unsynced=0
            """
        ),
        (
            "V-CS-CAL-MEASURING",
            """
            timestamp=1769947320 weight=412 level=412 daily_total=1250 battery=83 \
            flags=(time_valid calibrated stable cal_measuring) unsynced=0
            """
        ),
        (
            "V-CS-CAL-RESULT",
            """
            timestamp=1769947326 raw_adc=432188 daily_total=1250 battery=83 \
            flags=(time_valid calibrated stable cal_result) unsynced=0
            """
        ),
        (
            "V-CS-CAL-RESULT-NEG",
            """
            timestamp=1769947326 raw_adc=-70000 daily_total=1250 battery=83 \
            flags=(time_valid calibrated stable cal_result) unsynced=0
            """
        ),
    ]

    private static let configuration = [
        ("V-CFG-UNCALIBRATED", "scale=1.0 tare=0 capacity=830 goal=2500"),
        ("V-CFG-READ", "scale=435.96 tare=271 capacity=830 goal=2500"),
        ("V-CFG-WRITE-GOAL3000", "scale=435.96 tare=271 capacity=830 goal=3000"),
        ("V-SET-OFF", "flags=() reserved1=0 reserved2=0"),
        ("V-SET-ON", "flags=(shake_to_empty) reserved1=0 reserved2=0"),
    ]

    private static let drinks = [
        "record_id=101 timestamp=1769943600 amount=45 level_after=785 type=gulp flags=()",
        "record_id=102 timestamp=1769945400 amount=150 level_after=635 type=pour flags=()",
        "record_id=103 timestamp=1769946900 amount=223 level_after=412 type=pour flags=()",
    ]

    private static let sync = [
        ("V-SYNC-READ-IDLE3", "start_index=0 count=3 command=0 status=idle chunk_size=20"),
        ("V-SYNC-START-APP", "start_index=0 count=3 command=start status=0 chunk_size=20"),
        ("V-SYNC-START-42-17", "start_index=0 count=42 command=start status=0 chunk_size=17"),
        ("V-SYNC-START-3-2", "start_index=0 count=3 command=start status=0 chunk_size=2"),
        ("V-SYNC-ACK", "start_index=0 count=0 command=ack status=0 chunk_size=0"),
        ("V-SYNC-QUERY", "start_index=0 count=0 command=query status=0 chunk_size=0"),
        ("V-SYNC-READ-RUNNING", "start_index=0 count=3 command=0 status=in_progress chunk_size=20"),
        ("V-DRINK-EMPTY", "chunk_index=0 total_chunks=0 record_count=0 reserved=0 records=[]"),
        (
            "V-DRINK-3REC",
            """
            chunk_index=0 total_chunks=1 record_count=3 reserved=0 \
            records=[\(drinks[0]); \(drinks[1]); \(drinks[2])]
            """
        ),
        (
            "V-DRINK-CHUNK0OF2",
            "chunk_index=0 total_chunks=2 record_count=2 reserved=0 records=[\(drinks[0]); \(drinks[1])]"
        ),
        ("V-DRINK-CHUNK1OF2", "chunk_index=1 total_chunks=2 record_count=1 reserved=0 records=[\(drinks[2])]"),
        (
            "V-DRINK-NEGLEVEL",
            """
            chunk_index=0 total_chunks=1 record_count=1 reserved=0 \
            records=[record_id=104 timestamp=1769947140 amount=419 level_after=-7 type=pour flags=()]
            """
        ),
    ]

    private static let commands = [
        ("V-CMD-TARE", "opcode=tare_now unused=0"),
        ("V-CMD-PING", "opcode=ping unused=0"),
        ("V-CMD-MEASURE-EMPTY", "opcode=cal_measure_point point=empty unused=0"),
        ("V-CMD-MEASURE-FULL", "opcode=cal_measure_point point=full unused=0"),
        ("V-CMD-CAL-SET", "opcode=cal_set_data empty_adc=118146 full_adc=479993 scale=435.96"),
        ("V-CMD-RESET-DAILY", "opcode=reset_daily unused=0"),
        ("V-CMD-CLEAR-HISTORY", "opcode=clear_history unused=0"),
        ("V-CMD-SET-TIME", "opcode=set_time time=1769947200"),
        ("V-CMD-SET-DAILY", "opcode=set_daily_total total=1000"),
        ("V-CMD-DELETE-102", "opcode=delete_drink record_id=102"),
        ("V-CMD-START-CAL", "opcode=start_calibration unused=0"),
        ("V-CMD-CANCEL-CAL", "opcode=cancel_calibration unused=0"),
        ("V-CMD-ACT-SUMMARY", "opcode=get_activity_summary unused=0"),
        ("V-CMD-ACT-MOTION-2", "opcode=get_motion_chunk chunk=2 unused=0"),
        ("V-CMD-ACT-BACKPACK-0", "opcode=get_backpack_chunk chunk=0 unused=0"),
    ]

    private static let activity = [
        (
            "V-ACT-BOOT",
            "motion_count=0 backpack_count=0 in_backpack=false flags=() session_start=0 timer_wakes=0 reserved=0"
        ),
        (
            "V-ACT-SUMMARY",
            """
            motion_count=23 backpack_count=2 in_backpack=false flags=(time_valid) session_start=0 timer_wakes=0 reserved=0
            """
        ),
        (
            "V-ACT-MOTION-CHUNK2OF3",
            """
            chunk_index=2 total_chunks=3 event_count=3 reserved=0 events=[\
            timestamp=1769940000 duration=47 wake_reason=motion sleep=(sleep_type=normal drink_taken); \
            timestamp=1769941800 duration=181 wake_reason=motion sleep=(sleep_type=extended); \
            timestamp=1769946300 duration=33 wake_reason=timer sleep=(sleep_type=normal)]
            """
        ),
        ("V-ACT-MOTION-EMPTY", "chunk_index=0 total_chunks=1 event_count=0 reserved=0 events=[]"),
        (
            "V-ACT-BACKPACK-CHUNK",
            """
            chunk_index=0 total_chunks=1 session_count=2 reserved=0 sessions=[\
            start=1769860800 duration=9000 timer_wakes=1 exit_reason=motion_detected flags=0; \
            start=1769941981 duration=1500 timer_wakes=0 exit_reason=motion_detected flags=0]
            """
        ),
    ]

    private static let calibration = [
        ("V-CAL-0-IDLE", "state=idle flags=() empty_adc=0 full_adc=0 reserved=0"),
        ("V-CAL-1-TRIGGERED", "state=triggered flags=() empty_adc=0 full_adc=0 reserved=0"),
        ("V-CAL-2-STARTED", "state=started flags=() empty_adc=0 full_adc=0 reserved=0"),
        ("V-CAL-3-WAIT-EMPTY", "state=wait_empty flags=() empty_adc=0 full_adc=0 reserved=0"),
        ("V-CAL-4-MEASURE-EMPTY", "state=measure_empty flags=() empty_adc=0 full_adc=0 reserved=0"),
        ("V-CAL-6-WAIT-FULL", "state=wait_full flags=() empty_adc=0 full_adc=0 reserved=0"),
        ("V-CAL-7-MEASURE-FULL", "state=measure_full flags=() empty_adc=0 full_adc=0 reserved=0"),
        ("V-CAL-9-COMPLETE", "state=complete flags=() empty_adc=118146 full_adc=479993 reserved=0"),
        ("V-CAL-10-ERROR", "state=error flags=(failed) empty_adc=0 full_adc=0 reserved=0"),
    ]

    private static let storage = [
        (
            "V-FS-RECORD",
            """
            record_id=101 timestamp=1769943600 amount=45 level_after=785 flags=(synced deleted) type=gulp reserved=0000
            """
        ),
        ("V-FS-META", "write_index=103 record_count=103 total_writes=103 next_record_id=104 reserved=0 padding=0"),
        ("V-NVS-DAILY", "baseline_adc=297980 displayed_total=1250 reserved=0"),
    ]

    private static let required = [
        (
            "V-PRD-SIP",
            "record_id=101 timestamp=1769943600 amount=45 bottle_level=785 synced=pending type=sip reserved=0"
        ),
        (
            "V-PRD-REFILL",
            "record_id=102 timestamp=1769945400 amount=-400 bottle_level=830 synced=pending type=refill reserved=0"
        ),
        (
            "V-PRD-POUR-SYNCED",
            "record_id=103 timestamp=1769946900 amount=223 bottle_level=607 synced=synced type=pour reserved=0"
        ),
        ("V-PRD-HB1-WEIGHT", "683"),
        ("V-PRD-HB2-CONFIG", "capacity=830 tare=271"),
        ("V-PRD-HB4-PENDING", "3"),
        ("V-PRD-HB4-ACK", "103"),
        ("V-PRD-HB5-STATUS", "battery=83 flags=(load_cell_ok accelerometer_ok calibrated time_valid) error=none"),
    ]

    private static let legacy = [
        (
            "V-LEGACY-10B-CHUNK",
            """
            chunk_index=0 total_chunks=1 record_count=1 reserved=0 \
            legacy_records=[timestamp=1769943600 amount=45 level_after=785 type=gulp flags=()]
            """
        )
    ]
}
