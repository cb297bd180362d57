import Bluetooth
import Bytes
import Emulation
import Host
import PluginKit
import Radio
import Testing

/// A device that consists of its profile, and a client, on two controllers of the virtual radio.
@Suite struct VirtualWorldTests {
    /// A world with a kettle, station 0, and its client, station 1, which starts at once.
    private func world(
        _ actions: [ClientAction], seed: UInt64 = 1, pace: Radio.Pace = .air, path: Path = Path()
    ) throws -> VirtualWorld {
        var world = VirtualWorld(seed: seed, pace: pace, path: path)
        _ = world.add(
            try EmulatedDevice(Kettle.profile, twin: Kettle.twin()), address: Address(value: 0x0242_0000_0001))
        let client = ConnectedClient(Kettle.profile, client: ScriptedClient(actions: actions))
        let index = world.add(client, address: Address(value: 0x0242_0000_0002))
        world.perform(ConnectedClient.Input.task(Stimulus("go")), client: index)
        return world
    }

    private func seconds(_ count: Double) -> Timestamp { Timestamp(nanoseconds: 0) + .seconds(count) }

    /// The events of a station up to a time, without its packets.
    private func reported(_ world: inout VirtualWorld, by station: Int, until seconds: Double) -> [EmulationEvent] {
        world.advance(to: self.seconds(seconds)).compactMap { event in
            guard event.station == station, case .reported(let reported) = event.kind else { return nil }
            return reported
        }
    }

    private func names(_ events: [EmulationEvent]) -> [String] { events.map(\.name) }

    @Test func aProfileIsAWorkingPeripheral() throws {
        var world = try world([
            .subscribe("status", true), .subscribe("alarm", true), .read("status"), .read("owner"), .read("secret"),
            .write("owner", Array("Ann".utf8)), .read("owner"), .write("owner", Array("too long a name".utf8)),
            .write("command", [9]), .write("command", [2, 90]), .read("prototype"),
        ])
        let events = reported(&world, by: 1, until: 20)
        let outcomes = events.filter { $0.name != "connected" && $0.name != "discovered" }
        func written(_ name: String, _ outcome: String) -> EmulationEvent {
            .note(TwinNote("written", ["name": .text(name), "outcome": .text(outcome)]))
        }
        #expect(
            outcomes == [
                .note(TwinNote("capacity", ["bytes": .number(97)])), written("status", "fine"),
                .value(.notify, "status", [0xD7, 0, 60]), written("alarm", "fine"),
                .value(.read, "status", [0xD7, 0, 60]),
                .value(.read, "owner", Array("Joe".utf8)),
                .note(TwinNote("refused", ["name": .text("secret"), "fault": .text("refused(129)")])),
                .value(.write, "owner", Array("Ann".utf8)), written("owner", "fine"),
                .value(.read, "owner", Array("Ann".utf8)), .value(.write, "owner", Array("too long a name".utf8)),
                written("owner", "refused(13)"), .value(.write, "command", [9]), written("command", "refused(128)"),
                .value(.write, "command", [2, 90]), written("command", "fine"),
                .note(TwinNote("refused", ["name": .text("prototype"), "fault": .text("absent")])),
                .value(.notify, "status", [0xE3, 3, 60]), .value(.indicate, "alarm", [0xE8, 3, 60]),
            ])
    }

    @Test func aDeviceThatFallsSilentDoesNotAdvertise() throws {
        var world = VirtualWorld(seed: 1, pace: .air, path: Path())
        _ = world.add(
            try EmulatedDevice(Kettle.profile, twin: SilentTwin()), address: Address(value: 0x0242_0000_0001))
        #expect(names(reported(&world, by: 0, until: 5)).contains("advertising"))
        world.perform(EmulatedDevice.Input.stimulus(Stimulus("silence")), device: 0)
        #expect(!names(reported(&world, by: 0, until: 10)).contains("advertising"))
    }

    /// Two kettles advertise; the client knows the one that switches on last.
    @Test(arguments: [true, false])
    func aKnownDeviceComesFirst(_ isThere: Bool) throws {
        var world = VirtualWorld(seed: 1, pace: .air, path: Path())
        let stranger = Address(value: 0x0242_0000_0001)
        let known = Address(value: 0x0242_0000_0003)
        _ = world.add(try EmulatedDevice(Kettle.profile, twin: Kettle.twin()), address: stranger)
        var client = ConnectedClient(Kettle.profile, client: ScriptedClient(actions: []))
        client.look(for: [], namePrefix: nil, peers: .any(first: [known]))
        let index = world.add(client, address: Address(value: 0x0242_0000_0002))
        world.perform(ConnectedClient.Input.task(Stimulus("go")), client: index)
        #expect(!names(reported(&world, by: index, until: 3)).contains("connected"))
        if isThere { _ = world.add(try EmulatedDevice(Kettle.profile, twin: Kettle.twin()), address: known) }
        _ = world.advance(to: seconds(10))
        #expect(world.client(index)?.sessions[0].serverAddress?.address == (isThere ? known : stranger))
    }

    /// A stranger advertises; the client waits for the device that it knows, and stays with it.
    @Test func aStrangerIsLeftAlone() throws {
        var world = VirtualWorld(seed: 1, pace: .air, path: Path())
        let known = Address(value: 0x0242_0000_0003)
        _ = world.add(
            try EmulatedDevice(Kettle.profile, twin: Kettle.twin()), address: Address(value: 0x0242_0000_0001))
        var client = ConnectedClient(Kettle.profile, client: ScriptedClient(actions: []))
        client.look(for: [], namePrefix: nil, peers: .known([known]))
        let index = world.add(client, address: Address(value: 0x0242_0000_0002))
        world.perform(ConnectedClient.Input.task(Stimulus("go")), client: index)
        #expect(names(reported(&world, by: index, until: 20)).isEmpty)
        let kettle = world.add(try EmulatedDevice(Kettle.profile, twin: Kettle.twin()), address: known)
        _ = world.advance(to: seconds(28))
        #expect(world.client(index)?.sessions[0].serverAddress?.address == known)
        world.perform(EmulatedDevice.Input.dropLink, device: kettle)
        _ = world.advance(to: seconds(40))
        world.perform(ConnectedClient.Input.task(Stimulus("go")), client: index)
        _ = world.advance(to: seconds(60))
        #expect(world.client(index)?.sessions[0].serverAddress?.address == known)
    }

    @Test func theTableIsTheProfiles() throws {
        var world = try world([])
        _ = world.advance(to: seconds(10))
        let client = try #require(world.client(1))
        #expect(Set(client.table.keys) == ["status", "command", "owner", "alarm", "secret"])
    }

    @Test func aLostLinkIsNoticedByBothAndTakenUpAgain() throws {
        var world = try world([.subscribe("status", true)])
        #expect(
            self.names(reported(&world, by: 0, until: 10)).suffix(3) == ["connected", "subscribed", "notify status"])
        world.perform(EmulatedDevice.Input.dropLink, device: 0)
        let events = world.advance(to: seconds(20))
        func names(by station: Int) -> [String] {
            events.compactMap {
                if $0.station == station, case .reported(let reported) = $0.kind { reported.name } else { nil }
            }
        }
        #expect(names(by: 0) == ["disconnected", "advertising"])
        #expect(names(by: 1) == ["disconnected"])
        world.perform(ConnectedClient.Input.task(Stimulus("go")), client: 1)
        #expect(self.names(reported(&world, by: 0, until: 30)).contains("connected"))
    }

    @Test func aSecondClientFindsTheDeviceWhenTheFirstHasLeft() throws {
        var world = try world([.subscribe("status", true)])
        _ = world.advance(to: seconds(10))
        let client = ConnectedClient(Kettle.profile, client: ScriptedClient(actions: []))
        let second = world.add(client, address: Address(value: 0x0242_0000_0003))
        world.perform(ConnectedClient.Input.task(Stimulus("go")), client: second)
        let events = world.advance(to: seconds(100))
        func names(by station: Int) -> Set<String> {
            let reported = events.filter { $0.station == station }.compactMap { event in
                if case .reported(let reported) = event.kind { reported.name } else { nil }
            }
            return Set(reported)
        }
        // The first client still receives values.
        #expect(names(by: 1) == ["notify status"])
        #expect(names(by: second) == ["not_found"])
        world.perform(EmulatedDevice.Input.dropLink, device: 0)
        _ = world.advance(to: seconds(110))
        world.perform(ConnectedClient.Input.task(Stimulus("go")), client: second)
        #expect(self.names(reported(&world, by: second, until: 120)).prefix(2) == ["connected", "discovered"])
    }

    @Test(arguments: ValueFault.Kind.allCases)
    func faultsAffectWhatIsSent(kind: ValueFault.Kind) throws {
        var world = try world([.subscribe("status", true)])
        _ = world.advance(to: seconds(10))
        var fault = ValueFault(kind, of: "status")
        (fault.bytes, fault.offset, fault.delay) = ([7], 1, .seconds(20))
        world.perform(EmulatedDevice.Input.fault(fault), device: 0)
        let values = reported(&world, by: 1, until: 75).compactMap { event -> [UInt8]? in
            if case .value(.notify, "status", let value) = event { value } else { nil }
        }
        let (first, second): ([UInt8], [UInt8]) = ([200, 0, 60], [205, 0, 60])
        switch kind {
        case .drop: #expect(values == [second])
        case .duplicate: #expect(values == [first, first, second])
        case .corrupt:
            let differing = zip(values[0], first).map { ($0 ^ $1).nonzeroBitCount }
            #expect(differing.reduce(0, +) == 1 && values.count == 2)
        case .truncate: #expect(values.count == 2 && values[0].count < 3 && first.starts(with: values[0]))
        case .extend: #expect(values == [first + [0xEE, 0xEE, 0xEE], second])
        case .reorder: #expect(values == [second, first])
        case .flood: #expect(values == Array(repeating: first, count: 200) + [second])
        case .replace: #expect(values == [[200, 7, 60], second])
        case .refuse: #expect(values == [first, second])
        // The second value is still delayed when the test ends.
        case .delay: #expect(values == [first])
        }
    }

    @Test func refusedRequestsGetTheErrorSoOften() throws {
        var world = try world([.read("owner"), .read("owner"), .read("owner")])
        var fault = ValueFault(.refuse, of: "owner", count: 2)
        fault.code = 0x11
        world.perform(EmulatedDevice.Input.fault(fault), device: 0)
        let packets = world.advance(to: seconds(20)).compactMap { event -> [UInt8]? in
            if event.station == 1, case .packet(let bytes, isSent: false) = event.kind { bytes } else { nil }
        }
        // Error Response to a Read Request: Insufficient Resources (Vol 3, Part F, 3.4.1.1).
        let errors = packets.filter { $0.count == 14 && $0[9] == 0x01 && $0[10] == 0x0A }
        #expect(errors.count == 2 && errors.allSatisfy { $0[13] == 0x11 })
    }

    @Test func servicesThatMoveAreFoundAtTheirNewHandles() throws {
        var world = try world([.subscribe("status", true)])
        _ = world.advance(to: seconds(10))
        let before = try #require(world.client(1)?.table["status"])
        world.perform(EmulatedDevice.Input.changeServices, device: 0)
        world.perform(EmulatedDevice.Input.dropLink, device: 0)
        _ = world.advance(to: seconds(30))
        world.perform(ConnectedClient.Input.task(Stimulus("go")), client: 1)
        _ = world.advance(to: seconds(60))
        let after = try #require(world.client(1)?.table["status"])
        #expect(after.rawValue == before.rawValue + 16)
    }

    @Test func aClientThatFindsNothingSaysSo() throws {
        var world = VirtualWorld(seed: 1)
        let client = ConnectedClient(Kettle.profile, client: ScriptedClient(actions: []))
        let index = world.add(client, address: Address(value: 0x0242_0000_0002))
        world.perform(ConnectedClient.Input.task(Stimulus("go")), client: index)
        #expect(names(reported(&world, by: 0, until: 60)) == ["not_found"])
    }

    @Test(arguments: [Radio.Pace.air, .immediate])
    func theSameSeedGivesTheSamePacketsAtTheSameTimes(pace: Radio.Pace) throws {
        func run(_ seed: UInt64) throws -> [VirtualWorld.Event] {
            var world = try world(
                [.subscribe("status", true), .read("owner"), .write("command", [2, 90])], seed: seed, pace: pace,
                path: Path(loss: 0.1))
            return world.advance(to: seconds(300))
        }
        let first = try run(42)
        #expect(first.count > 200)
        #expect(try run(42) == first)
        #expect(try run(43) != first)
    }

    /// A week of a device that notifies a value every half minute.
    @Test func aWeekPassesQuickly() throws {
        var world = try world([.subscribe("status", true)], pace: .immediate)
        var values = 0
        while let events = world.step(notAfter: seconds(7 * 86_400)) {
            values += events.count {
                if case .reported(.value(.notify, _, _)) = $0.kind { $0.station == 1 } else { false }
            }
        }
        #expect(values == 20_161)
    }
}

/// Advertises on power-on, and falls silent at any stimulus.
private struct SilentTwin: DeviceTwin {
    func handle(_ input: TwinInput, at now: Timestamp) -> [TwinAction] {
        switch input {
        case .powerOn: [.advertise(TwinAdvertising(data: [2, 0x01, 0x06], interval: .milliseconds(100)))]
        case .stimulus: [.fallSilent]
        default: []
        }
    }
}
