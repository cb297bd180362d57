import Bluetooth
import Bytes
import Emulation
import PluginKit
import Radio
import Testing

/// Attributes that change while a client is connected: the client discovers them anew on the same connection.
struct ServiceChangeTests {
    /// A kettle, station 0, and a client that is connected to it, station 1.
    private struct Fixture {
        private var world = VirtualWorld(seed: 1)
        private var seconds: Int64 = 0

        init(watchesServices: Bool) throws {
            _ = world.add(
                try EmulatedDevice(Kettle.profile, twin: Kettle.twin()), address: Address(value: 0x0242_0000_0001))
            var client = ConnectedClient(Kettle.profile, client: ReadingClient())
            client.watchesServices = watchesServices
            _ = world.add(client, address: Address(value: 0x0242_0000_0002))
            read()
            wait(10)
        }

        mutating func perform(_ input: EmulatedDevice.Input) { world.perform(input, device: 0) }

        mutating func read() { world.perform(ConnectedClient.Input.task(Stimulus("read")), client: 1) }

        /// The client's events during the next seconds, by name.
        @discardableResult
        mutating func wait(_ seconds: Int64) -> [String] {
            self.seconds += seconds
            return world.advance(to: Timestamp(seconds: self.seconds, nanoseconds: 0)).compactMap { event in
                guard event.station == 1, case .reported(let reported) = event.kind else { return nil }
                return reported.name
            }
        }

        var handle: Handle? { world.client(1)?.table["status"] }
    }

    /// The client makes no request; the server indicates Service Changed.
    @Test func serviceChangedLeadsToANewDiscovery() throws {
        var fixture = try Fixture(watchesServices: true)
        let before = try #require(fixture.handle)
        fixture.perform(.changeServices)
        #expect(fixture.wait(10) == ["services_changed", "discovered", "read status"])
        #expect(fixture.handle?.rawValue == before.rawValue + 16)
    }

    /// Without the subscription, the client learns of the change by its next request.
    @Test func anInvalidHandleLeadsToANewDiscovery() throws {
        var fixture = try Fixture(watchesServices: false)
        let before = try #require(fixture.handle)
        fixture.perform(.changeServices)
        #expect(fixture.wait(10) == [])
        fixture.read()
        #expect(fixture.wait(10) == ["services_changed", "discovered", "read status"])
        #expect(fixture.handle?.rawValue == before.rawValue + 16)
    }

    @Test(arguments: [ATT.ErrorCode.invalidHandle, .readNotPermitted])
    func anErrorOfUnchangedAttributesIsAnAnswer(code: ATT.ErrorCode) throws {
        var fixture = try Fixture(watchesServices: false)
        var fault = ValueFault(.refuse, of: "status", count: 3)
        fault.code = code.rawValue
        fixture.perform(.fault(fault))
        fixture.read()
        #expect(fixture.wait(10) == ["services_changed", "discovered", "refused"])
        fixture.read()
        #expect(fixture.wait(10) == ["refused"])
    }

    @Test func databaseOutOfSyncLeadsToANewDiscovery() throws {
        var fixture = try Fixture(watchesServices: false)
        var fault = ValueFault(.refuse, of: "status", count: 1)
        fault.code = ATT.ErrorCode.databaseOutOfSync.rawValue
        fixture.perform(.fault(fault))
        fixture.read()
        #expect(fixture.wait(10) == ["services_changed", "discovered", "read status"])
    }

    /// The fourth change ends the connection.
    @Test func aServerThatChangesWithoutEndIsLeft() throws {
        var fixture = try Fixture(watchesServices: true)
        for _ in 1...3 {
            fixture.perform(.changeServices)
            #expect(fixture.wait(10) == ["services_changed", "discovered", "read status"])
        }
        fixture.perform(.changeServices)
        #expect(fixture.wait(10) == ["discovery_failed", "disconnected"])
        // The next connection begins to count anew.
        fixture.read()
        #expect(fixture.wait(10).contains("read status"))
        fixture.perform(.changeServices)
        #expect(fixture.wait(10) == ["services_changed", "discovered", "read status"])
    }
}

/// A client that reads the status whenever it is connected, and for each task.
private struct ReadingClient: DeviceClient {
    private var isConnected = false

    var deadline: Timestamp? { nil }

    mutating func handle(_ input: ClientInput, at now: Timestamp) -> [ClientAction] {
        switch input {
        case .task: return isConnected ? [.read("status")] : [.connect]
        case .connected:
            isConnected = true
            return [.read("status")]
        case .disconnected:
            isConnected = false
            return []
        case .read(_, .failure): return [.event(TwinNote("refused"))]
        case .read, .written, .notified, .committed, .time: return []
        }
    }
}
