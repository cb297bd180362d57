import BluetoothTypes
import Bytes
import PluginKit
import TestKit
import Testing

@Test(arguments: examples)
func valueIsReadAsSpecified(example: Example) throws {
    #expect(try fields(of: example.type, example.bytes) == example.fields)
}

/// The profile's own examples.
@Test func everyVectorPasses() throws {
    let profile = try ProfileUnderTest(plugin: "StandardServices")
    #expect(profile.profile.vectors.count > 100)
    for vector in profile.profile.vectors {
        #expect(profile.failure(of: vector) == nil, "\(vector.id)")
    }
}

@Test func everyTypeHasAnAssignedName() {
    let own = plugin.attributes.keys.filter { $0.uuid16 != nil }
    #expect(own.filter { AssignedNumbers.name($0) == nil }.map(\.description) == [])
}

// MARK: - Leniency

@Test func textMayBeEmpty() throws {
    #expect(try fields(of: 0x2A00, []) == ["device_name.text="])
}

@Test func textEndsAtItsNULAndTheRestIsKept() throws {
    #expect(
        try fields(of: 0x2A29, hex("41 42 00 ff 00")) == [
            "manufacturer_name.text=AB", "manufacturer_name.padding=00ff00",
        ])
}

@Test func featuresOfTheFutureAreKept() throws {
    #expect(
        try fields(of: 0x2B29, hex("08 01")) == [
            "client_supported_features.features=0x08", "client_supported_features.robust_caching=0",
            "client_supported_features.enhanced_bearer=0", "client_supported_features.multiple_notifications=0",
            "client_supported_features.further=01",
        ])
}

@Test func unknownValuesHaveNoName() throws {
    #expect(try fields(of: 0x2A06, [9]) == ["alert_level.level=9"])
    #expect(try fields(of: 0x2A38, [200]) == ["body_sensor_location.location=200"])
    #expect(
        try fields(of: 0x2902, hex("0400")).first == "btatt.characteristic_configuration_client=0x0004")
    #expect(try fields(of: 0x2A0F, hex("39 03")).first == "local_time_information.time_zone=855.0 min")
}

@Test func descriptionsOfOtherNamespacesHaveNoName() throws {
    #expect(
        try fields(of: 0x2904, hex("04 00 ad27 02 0601")).last
            == "btatt.characteristic_presentation.namespace_description=0x0106")
    #expect(
        try fields(of: 0x2904, hex("04 00 ad27 01 0300")).last
            == "btatt.characteristic_presentation.namespace_description=0x0003 (no. 3)")
}

// MARK: - Faults

@Test func cutValuesTellWhatIsMissing() throws {
    #expect(
        try fields(of: 0x2902, [1]) == ["! Configuration: needs 2 bytes, 1 left"])
    #expect(try fields(of: 0x2A37, hex("10 48 00")).last == "! RR-Interval: needs 2 bytes, 1 left")
    #expect(try fields(of: 0x2B2A, [1, 2, 3]) == ["! Hash: needs 16 bytes, 3 left"])
    #expect(try fields(of: 0x2A19, []) == ["! Battery Level: needs 1 byte, 0 left"])
}
