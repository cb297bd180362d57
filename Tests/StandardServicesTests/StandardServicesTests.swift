import Bluetooth
import Bytes
import PDUTestKit
import Profile
import TestKit
import Testing

@Test(arguments: examples)
func valueIsReadAsSpecified(example: Example) throws {
    let read = try fields(of: example.type, example.bytes)
    #expect(read == example.fields, "\(read)")
}

@Test func everyVectorPasses() throws {
    let profile = try profile.get()
    for vector in profile.profile.vectors {
        let failure = profile.failure(of: vector)
        #expect(failure == nil, "\(vector.id): \(failure ?? "")")
    }
}

@Test func strictLintFindsNothing() throws {
    let lint = try profile.get().lint
    #expect(lint.findings == [])
    #expect(lint.accepted == [])
}

/// Vectors that conform to the specification decode without a diagnostic.
@Test func nothingInTheVectorsIsRemarkable() throws {
    let profile = try profile.get()
    for vector in profile.profile.vectors {
        guard case .value = vector.expectation else { continue }
        let layout = try #require(profile.compiled.types[vector.type])
        let warnings = try layout.diagnostics(on: vector.bytes).filter { $0.severity == .warning }
        #expect(warnings.map(\.text) == [], "\(vector.id)")
    }
}

/// A truncated value gives an error, or a value that encodes to the remaining bytes.
@Test func everyVectorSurvivesTruncation() throws {
    let profile = try profile.get()
    for vector in profile.profile.vectors {
        guard case .value = vector.expectation else { continue }
        let layout = try #require(profile.compiled.types[vector.type])
        for count in vector.bytes.indices {
            let short = Array(vector.bytes[..<count])
            do {
                #expect(try layout.encode(layout.decode(short)) == short, "\(vector.id) cut to \(count) bytes")
            } catch let error as DecodeError {
                #expect(error.offset <= count, "\(vector.id) cut to \(count) bytes: \(error)")
            }
        }
    }
}

@Test func everyTypeOfAValueHasAVector() throws {
    let profile = try profile.get()
    let covered = Set(profile.profile.vectors.map(\.type))
    for (type, attribute) in profile.compiled.attributes {
        for layout in OperationKind.allCases.flatMap({ attribute.layouts(for: $0) }) {
            #expect(covered.contains(layout.name), "\(type): \(layout.name)")
        }
    }
}

@Test func everyTypeHasItsAssignedName() throws {
    for (type, attribute) in try profile.get().compiled.attributes {
        guard type.uuid16 != nil else { continue }
        let assigned = AssignedNumbers.name(type).map { $0.hasSuffix(" String") ? String($0.dropLast(7)) : $0 }
        #expect(assigned == attribute.title)
    }
}

@Test func fieldsOfOneNameAreOfOneKind() throws {
    for (name, fields) in Dictionary(grouping: try profile.get().compiled.fields, by: \.name) {
        #expect(Set(fields.map(\.format)).count == 1, "\(name)")
        #expect(Set(fields.map(\.label)).count == 1, "\(name)")
        #expect(Set(fields.map(\.unit)).count == 1, "\(name)")
        #expect(Set(fields.map(\.scale)).count == 1, "\(name)")
    }
}

// MARK: - Leniency

@Test func textMayBeEmpty() throws {
    #expect(try fields(of: 0x2A00, []) == [])
    #expect(try layout(of: 0x2A00).decode([]).brief == "text=")
}

@Test func textEndsAtItsNULAndTheRestIsKept() throws {
    #expect(
        try fields(of: 0x2A29, hex("41 42 00 ff 00")) == [
            "manufacturer_name.text=AB", "manufacturer_name.text_padding=00ff00",
        ])
}

@Test func featuresOfTheFutureAreKept() throws {
    #expect(
        try fields(of: 0x2B29, hex("08 01")) == [
            "client_supported_features.features=0x08", "client_supported_features.features.robust_caching=0",
            "client_supported_features.features.enhanced_bearer=0",
            "client_supported_features.features.multiple_notifications=0", "client_supported_features.further=01",
        ])
    #expect(try layout(of: 0x2B29).diagnostics(on: hex("08 01")) == [])
}

@Test func unknownValuesHaveNoName() throws {
    #expect(try fields(of: 0x2A06, [9]) == ["alert_level.level=9"])
    #expect(try fields(of: 0x2A38, [200]) == ["body_sensor_location.location=200"])
    #expect(
        try fields(of: 0x2902, hex("0400")).first == "btatt.characteristic_configuration_client=0x0004")
    #expect(try fields(of: 0x2A0F, hex("39 03")).first == "local_time_information.time_zone=855.0 min")
}

@Test func reservedBitsAreRemarked() throws {
    #expect(
        try layout(of: 0x2902).diagnostics(on: hex("0400")).map(\.text) == ["Reserved: 1; expected 0"])
}

@Test func descriptionsOfOtherNamespacesHaveNoName() throws {
    #expect(
        try fields(of: 0x2904, hex("04 00 ad27 02 0601")).last
            == "btatt.characteristic_presentation.namespace_description=0x0106")
    #expect(
        try fields(of: 0x2904, hex("04 00 ad27 01 0300")).last
            == "btatt.characteristic_presentation.namespace_description=0x0003")
}

// MARK: - Faults

@Test func cutValuesTellWhatIsMissing() throws {
    #expect(
        try fields(of: 0x2902, [1]) == ["! Configuration: needs 2 bytes, 1 left"])
    #expect(try fields(of: 0x2A37, hex("10 48 00")).last == "! RR-Interval: needs 2 bytes, 1 left")
    #expect(try fields(of: 0x2B2A, [1, 2, 3]) == ["! Hash: needs 16 bytes, 3 left"])
    #expect(try fields(of: 0x2A19, []) == ["! Battery Level: needs 1 byte, 0 left"])
}

// MARK: - Messages without a condition

/// A management message is recognized by its header; the continuation of an earlier value is not mistaken for one.
@Test func managementMessagesAreToldFromTheirContinuations() throws {
    let characteristic = try #require(UUID("DA2E7828-FBCE-4E01-AE9E-261174997C48"))
    let attribute = try #require(profile.get().compiled.attributes[characteristic])
    func name(_ bytes: String) -> String? {
        attribute.layout(for: .notify, value: hex(bytes).span.bytes, in: NoContext())?.name
    }
    #expect(name("02 00 00 09 00 00 42 00 A1 61 64 65 68 65 6C 6C 6F") == "mcumgr")
    #expect(name("09 00 01 02 00 01 07 00 BF") == "mcumgr")
    #expect(name("09 00 00 02 00 01 07 00 BF 01 02 03") == "mcumgr_continuation")
    #expect(name("68 65 6C 6C 6F 20 77 6F 72 6C 64") == "mcumgr_continuation")
    #expect(name("FF") == "mcumgr_continuation")
}
