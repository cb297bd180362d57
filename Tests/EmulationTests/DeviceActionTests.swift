import Bluetooth
import Bytes
import Emulation
import PluginKit
import Profile
import Testing

/// Actions of a scenario or another program on a device that consists of its profile only.
@Suite struct DeviceActionTests {
    private func value(_ device: EmulatedDevice, _ name: String) -> [UInt8]? {
        device.values(at: Timestamp(nanoseconds: 0)).first { $0.name == name }?.value
    }

    private func step(_ text: String) throws -> Scenario.Step {
        var words = ScenarioVocabulary(DevicePlugin(Kettle.profile), stimuli: [], tasks: [])
        words.profile = Kettle.profile
        let request = try ControlLine(reading: "{\"do\": \(text)}", words: words)
        guard case .step(let step) = request.content else { throw NoInput() }
        return step
    }

    private func action(_ text: String) throws -> EmulatedDevice.Input {
        guard let action = try step(text).actions.first, let input = EmulatedDevice.Input(action) else {
            throw NoInput()
        }
        return input
    }

    private struct NoInput: Error {}

    @Test func oneFieldChangesAndTheOthersStay() throws {
        var world = VirtualWorld(seed: 1)
        let device = try EmulatedDevice(Kettle.profile, twin: Kettle.twin())
        let index = world.add(device, address: Address(value: 0x0242_0000_0001))
        _ = world.advance(to: Timestamp(nanoseconds: 1_000_000_000))
        #expect(try value(#require(world.device(index)), "status") == [0xD7, 0, 60])
        try world.perform(action(#"{"set": "status.level", "value": 61}"#), device: index)
        #expect(try value(#require(world.device(index)), "status") == [0xD7, 0, 61])
        try world.perform(action(#"{"set": "status.temperature", "value": 30}"#), device: index)
        #expect(try value(#require(world.device(index)), "status") == [0x2C, 1, 61])
        try world.perform(action(#"{"set": "owner", "bytes": "41 42"}"#), device: index)
        #expect(try value(#require(world.device(index)), "owner") == [0x41, 0x42])
        #expect(world.device(index)?.isAdvertising == true && world.device(index)?.connections == 0)
    }

    /// Vol 3, Part F, 3.2.9: an attribute value has at most 512 octets.
    @Test func whatTheDeviceCannotDoIsRefused() throws {
        var world = VirtualWorld(seed: 1)
        let index = world.add(
            try EmulatedDevice(Kettle.profile, twin: Kettle.twin()), address: Address(value: 0x0242_0000_0001))
        _ = world.advance(to: Timestamp(nanoseconds: 1_000_000_000))
        func refusal(_ text: String) throws -> String? { try #require(world.device(index)).refusal(of: step(text)) }
        let tooLong = "owner: expected a value of 512 bytes at most, found 600"
        let long = Scenario.Action.act(
            .set(characteristic: "owner", .bytes([UInt8](repeating: 0x41, count: 600))))
        var whole = Scenario.Step(place: SourcePlace(line: 1, column: 1))
        whole.actions = [long]
        #expect(try refusal("{\"set\": \"owner\", \"bytes\": \"\(String(repeating: "41", count: 512))\"}") == nil)
        for value in [
            "\"bytes\": \"\(String(repeating: "41", count: 600))\"",
            "\"value\": \"\(String(repeating: "A", count: 600))\"",
        ] {
            let fault = #expect(throws: ControlLine.Fault.self) { try step("{\"set\": \"owner\", \(value)}") }
            #expect(fault?.text == "column 8: \(tooLong)")
        }
        #expect(try #require(world.device(index)).refusal(of: whole) == tooLong)
        try world.perform(#require(EmulatedDevice.Input(long)), device: index)
        let reported = world.advance(to: Timestamp(nanoseconds: 2_000_000_000)).compactMap { event -> EmulationEvent? in
            if case .reported(let reported) = event.kind { reported } else { nil }
        }
        #expect(reported.contains(.note(TwinNote("value_too_long", ["name": .text("owner"), "length": .number(600)]))))
        #expect(try value(#require(world.device(index)), "owner") == Array("Joe".utf8))
        #expect(try refusal(#"{"set": "status.level", "value": 61}"#) == nil)
        try world.perform(action(#"{"set": "status", "bytes": "01"}"#), device: index)
        #expect(
            try refusal(#"{"set": "status.level", "value": 61}"#)
                == "status: its value now has no such field; set all of it")
    }

    @Test func aSubscriberGetsTheValueAndIsDisconnected() throws {
        var world = VirtualWorld(seed: 1)
        let device = try EmulatedDevice(Kettle.profile, twin: Kettle.twin())
        let index = world.add(device, address: Address(value: 0x0242_0000_0001))
        let client = ConnectedClient(Kettle.profile, client: ExploringClient(Kettle.profile, dialect: nil), seed: 2)
        let other = world.add(client, address: Address(value: 0x0242_0000_0002))
        world.perform(.task(Stimulus("explore")), client: other)
        _ = world.advance(to: Timestamp(nanoseconds: 10_000_000_000))
        #expect(world.device(index)?.connections == 1)
        try world.perform(action(#"{"notify": "status.level", "value": 7}"#), device: index)
        let reported = world.advance(to: Timestamp(nanoseconds: 11_000_000_000)).compactMap {
            event -> EmulationEvent? in
            if event.station == other, case .reported(let reported) = event.kind { reported } else { nil }
        }
        #expect(reported.contains(.value(.notify, "status", [0xD7, 0, 7])))
        try world.perform(action(#""disconnect""#), device: index)
        _ = world.advance(to: Timestamp(nanoseconds: 12_000_000_000))
        #expect(world.device(index)?.connections == 0)
    }
}
