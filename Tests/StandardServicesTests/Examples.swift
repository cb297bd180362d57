/// Examples of every value, encoded by hand from the GATT Specification Supplement and the Core specification.
let examples =
    descriptorExamples + genericExamples + deviceExamples + timeExamples + healthExamples + otherExamples

private let descriptorExamples = [
    Example(
        0x2900, "0300",
        [
            "btatt.characteristic_extended_properties=0x0003",
            "btatt.characteristic_extended_properties.reliable_write=1",
            "btatt.characteristic_extended_properties.writable_auxiliaries=1",
        ]),
    Example(0x2901, "4f7574736964652054656d70", ["btatt.characteristic_user_description=Outside Temp"]),
    Example(
        0x2902, "0100",
        [
            "btatt.characteristic_configuration_client=0x0001",
            "btatt.characteristic_configuration_client.reserved=0x0000",
            "btatt.characteristic_configuration_client.indication=0",
            "btatt.characteristic_configuration_client.notification=1",
        ]),
    Example(
        0x2903, "0100",
        [
            "btatt.characteristic_configuration_server=0x0001",
            "btatt.characteristic_configuration_server.reserved=0x0000",
            "btatt.characteristic_configuration_server.broadcast=1",
        ]),
    Example(
        0x2904, "0e fe 2f27 01 0601",
        [
            "btatt.characteristic_presentation.format=0x0e (sint16)", "btatt.characteristic_presentation.exponent=-2",
            "btatt.characteristic_presentation.unit=0x272f (Celsius temperature (degree Celsius))",
            "btatt.characteristic_presentation.namespace=0x01 (Bluetooth SIG)",
            "btatt.characteristic_presentation.namespace_description=0x0106 (main)",
        ]),
    Example(0x2905, "1200 2000", ["aggregate_format.handle=0x0012", "aggregate_format.handle=0x0020"]),
    Example(0x2906, "0a00 6400", ["valid_range.range=0a006400"]),
    Example(
        0x2908, "02 01", ["btatt.report_reference.report_id=0x02", "btatt.report_reference.report_type=0x01 (input)"]),
]

private let genericExamples = [
    Example(0x2A00, "417175617661746520e29895", ["device_name.text=Aquavate ☕"]),
    Example(0x2A01, "c100", ["appearance.appearance=0x00c1 (Sports Watch)"]),
    Example(
        0x2A04, "0600 2800 0000 9001",
        [
            "preferred_connection_parameters.interval_min=7.5 ms",
            "preferred_connection_parameters.interval_max=50.0 ms",
            "preferred_connection_parameters.latency=0 events",
            "preferred_connection_parameters.supervision_timeout=4000.0 ms",
        ]),
    Example(0x2A05, "0a00 ffff", ["service_changed.start_handle=0x000a", "service_changed.end_handle=0xffff"]),
    Example(0x2AA6, "01", ["central_address_resolution.support=1 (supported)"]),
    Example(
        0x2AC9, "00",
        ["resolvable_private_address_only.use=0 (only resolvable private addresses after bonding)"]),
    Example(
        0x2B29, "05",
        [
            "client_supported_features.features=0x05",
            "client_supported_features.features.robust_caching=1",
            "client_supported_features.features.enhanced_bearer=0",
            "client_supported_features.features.multiple_notifications=1",
        ]),
    Example(0x2B2A, "f1ca2d48ecf58bac8a8830bbb9fba990", ["database_hash.hash=f1ca2d48ecf58bac8a8830bbb9fba990"]),
    Example(
        0x2B3A, "01",
        [
            "server_supported_features.features=0x01",
            "server_supported_features.features.enhanced_bearer=1",
        ]),
]

private let deviceExamples = [
    Example(
        0x2A23, "0123456789 abcdef",
        [
            "system_id.manufacturer_identifier=0x8967452301",
            "system_id.organizationally_unique_identifier=0xefcdab",
        ]),
    Example(0x2A24, "5055434b2d31", ["model_number.text=PUCK-1"]),
    Example(
        0x2A25, "3030343200",
        [
            "serial_number.text=0042",
            "serial_number.text_padding=00",
        ]),
    Example(0x2A26, "312e342e32", ["firmware_revision.text=1.4.2"]),
    Example(0x2A27, "42", ["hardware_revision.text=B"]),
    Example(0x2A28, "302e39", ["software_revision.text=0.9"]),
    Example(0x2A29, "4c69666520496e632e", ["manufacturer_name.text=Life Inc."]),
    Example(0x2A2A, "0000 0000", ["regulatory_certification.list=00000000"]),
    Example(
        0x2A50, "01 5900 3412 3102",
        [
            "pnp_id.vendor_id_source=1 (Bluetooth SIG)",
            "pnp_id.vendor_id=0x0059 (Nordic Semiconductor ASA)",
            "pnp_id.product_id=0x1234",
            "pnp_id.product_version=0x0231",
            "pnp_id.product_version.major=2",
            "pnp_id.product_version.minor=3",
            "pnp_id.product_version.sub_minor=1",
        ]),
    Example(
        0x2A50, "02 6d04 2bb0 0100",
        [
            "pnp_id.vendor_id_source=2 (USB Implementers Forum)",
            "pnp_id.vendor_id=0x046d",
            "pnp_id.product_id=0xb02b",
            "pnp_id.product_version=0x0001",
            "pnp_id.product_version.major=0",
            "pnp_id.product_version.minor=0",
            "pnp_id.product_version.sub_minor=1",
        ]),
    Example(0x2A19, "55", ["battery_level.level=85 %"]),
    Example(
        0x2BED, "07 a300 0601 55 04",
        [
            "battery_level_status.flags=0x07",
            "battery_level_status.flags.identifier_present=1",
            "battery_level_status.flags.level_present=1",
            "battery_level_status.flags.additional_status_present=1",
            "battery_level_status.power_state=0x00a3",
            "battery_level_status.power_state.battery_present=1",
            "battery_level_status.power_state.wired_power=1 (connected)",
            "battery_level_status.power_state.wireless_power=0 (not connected)",
            "battery_level_status.power_state.charge_state=1 (charging)",
            "battery_level_status.power_state.charge_level=1 (good)",
            "battery_level_status.power_state.charging_type=0 (unknown or none)",
            "battery_level_status.power_state.battery_fault=0",
            "battery_level_status.power_state.power_source_fault=0",
            "battery_level_status.power_state.other_fault=0",
            "battery_level_status.identifier=0x0106",
            "battery_level_status.level=85 %",
            "battery_level_status.additional_status=0x04",
            "battery_level_status.additional_status.service_required=0 (no)",
            "battery_level_status.additional_status.fault=1",
        ]),
]

private let timeExamples = [
    Example(
        0x2A2B, "ea07 03 01 0c 1e 0f 07 80 01",
        [
            "current_time.time.year=2026",
            "current_time.time.month=3 (March)",
            "current_time.time.day=1",
            "current_time.time.hours=12",
            "current_time.time.minutes=30",
            "current_time.time.seconds=15",
            "current_time.day_of_week=7 (Sunday)",
            "current_time.fractions256=0.5 s",
            "current_time.adjust_reason=0x01",
            "current_time.adjust_reason.manual_update=1",
            "current_time.adjust_reason.reference_update=0",
            "current_time.adjust_reason.time_zone_change=0",
            "current_time.adjust_reason.dst_change=0",
        ]),
    Example(
        0x2A2B, "0000 00 00 00 00 00 00 00 00",
        [
            "current_time.time.year=0 (unknown)",
            "current_time.time.month=0 (unknown)",
            "current_time.time.day=0 (unknown)",
            "current_time.time.hours=0",
            "current_time.time.minutes=0",
            "current_time.time.seconds=0",
            "current_time.day_of_week=0 (unknown)",
            "current_time.fractions256=0.0 s",
            "current_time.adjust_reason=0x00",
            "current_time.adjust_reason.manual_update=0",
            "current_time.adjust_reason.reference_update=0",
            "current_time.adjust_reason.time_zone_change=0",
            "current_time.adjust_reason.dst_change=0",
        ]),
    Example(
        0x2A0F, "ea 04",
        [
            "local_time_information.time_zone=-330.0 min",
            "local_time_information.dst_offset=60.0 min",
        ]),
    Example(
        0x2A0F, "80 ff",
        [
            "local_time_information.time_zone=-1920.0 min (unknown)",
            "local_time_information.dst_offset=3825.0 min (unknown)",
        ]),
    Example(
        0x2A14, "01 08 02 17",
        [
            "reference_time_information.source=1 (Network Time Protocol)",
            "reference_time_information.accuracy=1.0 s",
            "reference_time_information.days_since_update=2 d",
            "reference_time_information.hours_since_update=23 h",
        ]),
]

private let heartRateFlags = [
    "heart_rate_measurement.rate_is_16_bits", "heart_rate_measurement.contact_detected",
    "heart_rate_measurement.contact_supported", "heart_rate_measurement.energy_present",
    "heart_rate_measurement.intervals_present",
]

/// The lines of a byte of flags, lowest bit first: the byte, then each flag.
private func flags(_ names: [String], _ values: [Int]) -> [String] {
    let byte = values.enumerated().reduce(0) { $0 | $1.element << $1.offset }
    let digits = String(byte, radix: 16)
    let message = names[0].prefix { $0 != "." }
    return ["\(message).flags=0x\(digits.count == 1 ? "0" : "")\(digits)"]
        + zip(names, values).map { "\(message).flags.\($0.split(separator: ".")[1])=\($1)" }
}

private let thermometerFlags = [
    "temperature_measurement.is_fahrenheit", "temperature_measurement.time_present",
    "temperature_measurement.type_present",
]

private let scaleFlags = [
    "weight_measurement.is_imperial", "weight_measurement.time_present", "weight_measurement.user_present",
    "weight_measurement.body_present",
]

private let healthExamples = [
    Example(0x2A37, "06 48", flags(heartRateFlags, [0, 1, 1, 0, 0]) + ["heart_rate_measurement.heart_rate=72 bpm"]),
    Example(
        0x2A37, "19 4800 0a00 0004 0002",
        flags(heartRateFlags, [1, 0, 0, 1, 1]) + [
            "heart_rate_measurement.heart_rate=72 bpm", "heart_rate_measurement.energy_expended=10 kJ",
            "heart_rate_measurement.rr_interval=1.0 s", "heart_rate_measurement.rr_interval=0.5 s",
        ]),
    Example(0x2A38, "01", ["body_sensor_location.location=1 (chest)"]),
    Example(0x2A39, "01", ["heart_rate_control_point.command=1 (reset energy expended)"]),
    Example(
        0x2A1C, "00 6c0100ff", flags(thermometerFlags, [0, 0, 0]) + ["temperature_measurement.celsius=36.4 °C"]),
    Example(
        0x2A1C, "07 d6030000 ea07 03 01 0c 1e 0f 06",
        flags(thermometerFlags, [1, 1, 1]) + [
            "temperature_measurement.fahrenheit=982.0 °F", "temperature_measurement.time.year=2026",
            "temperature_measurement.time.month=3 (March)", "temperature_measurement.time.day=1",
            "temperature_measurement.time.hours=12", "temperature_measurement.time.minutes=30",
            "temperature_measurement.time.seconds=15", "temperature_measurement.type=6 (mouth)",
        ]),
    Example(
        0x2A1E, "00 ffff7f00",
        flags(thermometerFlags, [0, 0, 0]) + ["temperature_measurement.celsius=nan °C (not a number)"]),
    Example(0x2A1D, "09", ["temperature_type.type=9 (eardrum)"]),
    Example(0x2A21, "3c00", ["measurement_interval.interval=60 s"]),
    Example(
        0x2A9D, "00 6036", flags(scaleFlags, [0, 0, 0, 0]) + ["weight_measurement.weight_kg=69.60000000000001 kg"]),
    Example(
        0x2A9D, "0f ffff ea07 03 01 0c 1e 0f ff e000 bc02",
        flags(scaleFlags, [1, 1, 1, 1]) + [
            "weight_measurement.weight_lb=655.35 lb (measurement unsuccessful)", "weight_measurement.time.year=2026",
            "weight_measurement.time.month=3 (March)", "weight_measurement.time.day=1",
            "weight_measurement.time.hours=12",
            "weight_measurement.time.minutes=30", "weight_measurement.time.seconds=15",
            "weight_measurement.user_id=255 (unknown user)", "weight_measurement.bmi=22.400000000000002 kg/m²",
            "weight_measurement.height_in=70.0 in",
        ]),
]

private let otherExamples = [
    Example(0x2A06, "02", ["alert_level.level=2 (high alert)"]),
    Example(0x2A07, "fc", ["tx_power_level.level=-4 dBm"]),
    Example(0x2A6D, "20 78 0f 00", ["pressure.pressure=101379.20000000001 Pa"]),
    Example(0x2A6E, "1afb", ["temperature.temperature=-12.540000000000001 °C"]),
    Example(0x2A6E, "0080", ["temperature.temperature=-327.68 °C (unknown)"]),
    Example(0x2A6F, "8813", ["humidity.humidity=50.0 %"]),
    Example(0x2A6F, "ffff", ["humidity.humidity=655.35 % (unknown)"]),
    Example(
        0x2A4A, "1101 00 02",
        [
            "hid_information.version=0x0111",
            "hid_information.version.major=1",
            "hid_information.version.minor=1",
            "hid_information.version.sub_minor=1",
            "hid_information.country_code=0 (not localized)",
            "hid_information.flags=0x02",
            "hid_information.flags.remote_wake=0",
            "hid_information.flags.normally_connectable=1",
        ]),
    Example(
        0x2A4B, "05010906",
        [
            "report_map.descriptor=05010906"
        ]),
    Example(0x2A4C, "00", ["hid_control_point.command=0 (suspend)"]),
    Example(
        0x2A4D, "0200000400000000",
        [
            "report.data=0200000400000000"
        ]),
    Example(0x2A4E, "01", ["protocol_mode.mode=1 (report protocol)"]),
]
