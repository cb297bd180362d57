import Bluetooth
import Bytes
import PDUTestKit
import PluginKit
import Profile
import TestKit
import Testing

@testable import LifeCount

/// The profile's vectors, against the engine and the examples of the protocol document.
struct VectorTests {
    private static let counter = Result { try ProfileUnderTest(plugin: "LifeCount") }

    @Test func everyVectorPasses() throws {
        let counter = try Self.counter.get()
        #expect(counter.profile.vectors.count >= 24)
        for vector in counter.profile.vectors {
            let fault = counter.failure(of: vector)
            #expect(fault == nil, "\(vector.id): \(fault ?? "")")
        }
    }

    /// Bytes and texts copied from the description; the device is 1E0FA5C3.
    @Test(
        arguments: [
            (
                "count_event", "11 01 2a000000 3e2aa469 f401 c3a50f1e 0700",
                """
                header=(version=1 timestamp_valid) delta=1 sequence_number=42 timestamp_s=1772366398 timestamp_ms=500 \
                device_id=504341955 location_id=7
                """
            ),
            (
                "count_event", "01 ff 2b000000 00000000 0000 c3a50f1e 0000",
                """
                header=(version=1) delta=-1 sequence_number=43 timestamp_s=no_device_time timestamp_ms=0 device_id=504341955 \
                location_id=unset
                """
            ),
            (
                "count_event", "51 01 00000000 7a2aa469 0000 c3a50f1e 0700",
                """
                header=(version=1 timestamp_valid first_since_boot) delta=1 sequence_number=0 timestamp_s=1772366458 \
                timestamp_ms=0 device_id=504341955 location_id=7
                """
            ),
            (
                "counter_info", "01 01 0201 c3a50f1e 0700 03000000 0002",
                """
                version=1 hardware_revision=1 firmware=258 device_id=504341955 location_id=7 boot_count=3 \
                replay_capacity=512
                """
            ),
            (
                "counter_status", "100e0000 2a000000 57 01 0000",
                """
                uptime_s=3600 last_sequence_number=42 battery_percent=87 flags=(time_valid) buffered_events=0
                """
            ),
        ])
    func valuesAreThoseOfTheExamples(_ type: String, _ bytes: String, _ expected: String) throws {
        let counter = try Self.counter.get()
        let layout = try #require(counter.compiled.types[type])
        #expect(try layout.decode(hex(bytes)).brief == expected)
        #expect(try layout.encode(layout.decode(hex(bytes))) == hex(bytes))
        #expect(try layout.diagnostics(on: hex(bytes)) == [])
        #expect(counter.profile.vectors.contains { $0.type == type && $0.bytes == hex(bytes) })
    }

    @Test func lintFindsNothing() throws {
        let lint = try Self.counter.get().lint
        #expect(lint.findings == [])
        #expect(lint.accepted == [])
    }

    @Test func whatIsNotAsDescribedIsRemarked() throws {
        let layout = try #require(Self.counter.get().compiled.types["count_event"])
        // Profile version 2, the reserved bit, a delta of 2 and 1000 ms.
        let diagnostics = try layout.diagnostics(on: hex("92 02 2a000000 3e2aa469 e803 c3a50f1e 0700"))
        #expect(diagnostics.count == 4)
    }

    @Test func everyRuleOfTheDescriptionIsDeclared() throws {
        let all = try Self.counter.get().profile.rules
        let rules = all.filter { !$0.asksOracle }
        let expected = (1...18).map { "LC-0" + ($0 < 10 ? "0" : "") + "\($0)" } + (20...25).map { "LC-0\($0)" }
        #expect(rules.map(\.id) == expected)
        #expect(rules.filter { $0.role == .client }.map(\.id) == Array(expected.suffix(6)))
        #expect(
            rules.filter { $0.severity == .warning }.map(\.id)
                == ["004", "005", "006", "010", "012", "013", "014", "020", "021", "023", "024"].map { "LC-" + $0 })
    }

    @Test func theAttributeTableIsThatOfTheProfile() throws {
        let service = try #require(Self.counter.get().profile.services.first)
        #expect(service.uuid.description.lowercased() == "4c434e54-0001-4c69-6665-436f756e7400")
        #expect(service.characteristics.map(\.properties.rawValue) == [0x10, 0x02, 0x12, 0x28])
    }

    /// The generated types read single fields by path and decode complete values: both agree.
    @Test func generatedTypesReadWhatTheyDecode() throws {
        let counter = try Self.counter.get()
        for vector in counter.profile.vectors {
            let layout = try #require(counter.compiled.types[vector.type])
            let reading = ValueReading(layout)
            reading.reset(to: ValueBytes(vector.bytes))
            func expectSame<Value: ProfileValue>(_ read: Value?, _: Value.Type = Value.self) {
                let decoded: Value? = counter.compiled.value(of: vector.bytes)
                #expect(read == decoded, "\(vector.id)")
                if let decoded { #expect(counter.compiled.bytes(of: decoded) == vector.bytes, "\(vector.id)") }
            }
            switch vector.type {
            case CountEvent.typeName: expectSame(CountEvent(reading))
            case CounterInfo.typeName: expectSame(CounterInfo(reading))
            case CounterStatus.typeName: expectSame(CounterStatus(reading))
            case ControlRequest.typeName: expectSame(ControlRequest(reading))
            case ControlResponse.typeName: expectSame(ControlResponse(reading))
            default: continue
            }
        }
    }

    @Test func requestsHaveTheFieldsOfTheirOpcode() throws {
        let compiled = try Self.counter.get().compiled
        func request(_ bytes: String) -> ControlRequest? { compiled.value(of: hex(bytes)) }
        #expect(request("01 3E2AA469 F401") == .setTime(time: 1_772_366_398, milliseconds: 500))
        #expect(request("05 2A000000") == .ack(sequenceNumber: 42))
        #expect(request("04") == .identify)
        #expect(request("05 2A00") == ControlRequest(opcode: .ack, parameters: [0x2A, 0]))
        #expect(request("7F") == ControlRequest(opcode: .unnamed(0x7F), parameters: []))
        #expect(request("") == nil)
    }
}
