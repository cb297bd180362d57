package import BluetoothTypes
package import Bytes
package import PluginKit

/// The characteristics and descriptors that the Bluetooth SIG has defined and that everyone meets, on any device.
///
/// Their values are specified in the GATT Specification Supplement (GSS), those of descriptors in the Core
/// specification; each type names its place.
package struct StandardServices: DevicePlugin {
    package let id = "standard"
    package let title = "Characteristics and descriptors of the Bluetooth SIG"

    package init() {}

    package var fields: [Field] { Self.values.flatMap { $0.type.fields } }

    package var decoders: [UUID: ValueDecoder] {
        Dictionary(
            Self.values.map { (UUID($0.uuid), ValueDecoder($0.message, $0.type)) },
            uniquingKeysWith: { first, _ in first })
    }

    /// A row of the table: an attribute type, what its value is called, and its form.
    struct Row {
        let uuid: UInt32
        let message: String
        let type: any StandardValue.Type

        init(_ uuid: UInt32, _ message: String, _ type: any StandardValue.Type) {
            self.uuid = uuid
            self.message = message
            self.type = type
        }
    }

    /// Everything that is read, in the order of the UUIDs.
    static let values: [Row] = [
        Row(0x2900, "extended_properties", ExtendedProperties.self),
        Row(0x2901, "user_description", UserDescription.self),
        Row(0x2902, "client_configuration", ClientConfiguration.self),
        Row(0x2903, "server_configuration", ServerConfiguration.self),
        Row(0x2904, "presentation_format", PresentationFormat.self),
        Row(0x2905, "aggregate_format", AggregateFormat.self),
        Row(0x2906, "valid_range", ValidRange.self),
        Row(0x2908, "report_reference", ReportReference.self),
        Row(0x2A00, "device_name", DeviceName.self),
        Row(0x2A01, "appearance", AppearanceValue.self),
        Row(0x2A04, "preferred_connection_parameters", PreferredConnectionParameters.self),
        Row(0x2A05, "service_changed", ServiceChanged.self),
        Row(0x2A06, "alert_level", AlertLevel.self),
        Row(0x2A07, "tx_power_level", TxPowerLevel.self),
        Row(0x2A0F, "local_time_information", LocalTimeInformation.self),
        Row(0x2A14, "reference_time_information", ReferenceTimeInformation.self),
        Row(0x2A19, "battery_level", BatteryLevel.self),
        Row(0x2A1C, "temperature_measurement", TemperatureMeasurement.self),
        Row(0x2A1D, "temperature_type", TemperatureType.self),
        Row(0x2A1E, "intermediate_temperature", TemperatureMeasurement.self),
        Row(0x2A21, "measurement_interval", MeasurementInterval.self),
        Row(0x2A23, "system_id", SystemID.self),
        Row(0x2A24, "model_number", ModelNumber.self),
        Row(0x2A25, "serial_number", SerialNumber.self),
        Row(0x2A26, "firmware_revision", FirmwareRevision.self),
        Row(0x2A27, "hardware_revision", HardwareRevision.self),
        Row(0x2A28, "software_revision", SoftwareRevision.self),
        Row(0x2A29, "manufacturer_name", ManufacturerName.self),
        Row(0x2A2A, "regulatory_certification", RegulatoryCertification.self),
        Row(0x2A2B, "current_time", CurrentTime.self),
        Row(0x2A37, "heart_rate_measurement", HeartRateMeasurement.self),
        Row(0x2A38, "body_sensor_location", BodySensorLocation.self),
        Row(0x2A39, "heart_rate_control_point", HeartRateControlPoint.self),
        Row(0x2A4A, "hid_information", HIDInformation.self),
        Row(0x2A4B, "report_map", ReportMap.self),
        Row(0x2A4C, "hid_control_point", HIDControlPoint.self),
        Row(0x2A4D, "report", Report.self),
        Row(0x2A4E, "protocol_mode", ProtocolMode.self),
        Row(0x2A50, "pnp_id", PnPID.self),
        Row(0x2A6D, "pressure", Pressure.self),
        Row(0x2A6E, "temperature", Temperature.self),
        Row(0x2A6F, "humidity", Humidity.self),
        Row(0x2A9D, "weight_measurement", WeightMeasurement.self),
        Row(0x2AA6, "central_address_resolution", CentralAddressResolution.self),
        Row(0x2AC9, "resolvable_private_address_only", ResolvablePrivateAddressOnly.self),
        Row(0x2B29, "client_supported_features", ClientSupportedFeatures.self),
        Row(0x2B2A, "database_hash", DatabaseHash.self),
        Row(0x2B3A, "server_supported_features", ServerSupportedFeatures.self),
        Row(0x2BED, "battery_level_status", BatteryLevelStatus.self),
    ]
}
