import BluetoothTypes
import Bytes
import PluginKit
import StandardServices
import TestKit
import Testing

@Test(arguments: examples)
func valueIsReadAsSpecified(example: Example) throws {
    #expect(try fields(of: example.type, example.bytes) == example.fields)
}

@Test(arguments: examples)
func valueIsWrittenAgainAndSurvivesTruncation(example: Example) throws {
    let decoder = try #require(plugin.decoders[UUID(example.type)])
    #expect(WireFormatCheck.faults(decoder.format, example.bytes) == [])
}

@Test func everyValueHasAnExample() {
    let covered = Set(examples.map { UUID($0.type) })
    #expect(plugin.decoders.keys.filter { !covered.contains($0) }.map(\.description) == [])
}

@Test func everyTypeHasAnAssignedName() {
    #expect(plugin.decoders.keys.filter { AssignedNumbers.name($0) == nil }.map(\.description) == [])
}

@Test func messagesHaveNamesOfTheirOwn() {
    let messages = plugin.decoders.values.map(\.message)
    #expect(Set(messages).count == messages.count)
    for message in messages { #expect(message.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "_" }) }
}

@Test(arguments: examples)
func everyFieldIsListed(example: Example) throws {
    let listed = Set(plugin.fields)
    let recorder = FieldRecorder()
    let decoder = try #require(plugin.decoders[UUID(example.type)])
    _ = try decoder.format.init(decoding: example.bytes, recorder: recorder)
    for recorded in recorder.fields {
        #expect(listed.contains(recorded.field), "\(recorded.field.name) is not listed")
        #expect(recorded.field.name.hasPrefix("\(plugin.id).") || recorded.field.name.hasPrefix("btatt."))
    }
}

@Test func fieldsOfOneNameAreOfOneKind() {
    for (name, fields) in Dictionary(grouping: plugin.fields, by: \.name) {
        #expect(Set(fields.map(\.format)).count == 1, "\(name)")
        #expect(Set(fields.map(\.label)).count == 1, "\(name)")
        #expect(Set(fields.map(\.unit)).count == 1, "\(name)")
        #expect(Set(fields.map(\.scale)).count == 1, "\(name)")
    }
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
