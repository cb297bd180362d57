import Bluetooth
import Bytes
import Emulation
import PluginKit
import Radio
import Testing

/// One client program with several devices: discovery, and reconnection to the same device.
struct SeveralDevicesTests {
    private static let kettles = (1...3).map { Address(value: 0x0242_0000_0000 + UInt64($0)) }
    private static let client = Address(value: 0x0242_0000_0009)

    private func world(
        kettles: Int, sessions: Int, addresses: [Address] = [], peers: PeerSelection = .any()
    ) throws -> VirtualWorld {
        var world = VirtualWorld(seed: 1, pace: .air, path: Path())
        for address in Self.kettles.prefix(kettles) {
            _ = world.add(try EmulatedDevice(Kettle.profile, twin: Kettle.twin()), address: address)
        }
        var client = ConnectedClient(Kettle.profile, client: ExploringClient(Kettle.profile, dialect: nil))
        for _ in 1..<sessions { client.add(ExploringClient(Kettle.profile, dialect: nil)) }
        client.look(for: addresses, namePrefix: nil, peers: peers)
        let index = world.add(client, address: Self.client)
        world.perform(.task(Stimulus("explore")), client: index)
        return world
    }

    /// The connection notes of the client's sessions, with the session numbers.
    private func notes(_ events: [VirtualWorld.Event], of station: Int) -> [String] {
        events.compactMap { event in
            guard event.station == station, case .reported(.note(let note)) = event.kind else { return nil }
            return "\(event.session) \(note.name)"
        }
    }

    private func servers(_ world: VirtualWorld, _ station: Int) throws -> [Address?] {
        try #require(world.client(station)).sessions.map { $0.serverAddress?.address }
    }

    @Test func eachSessionHasADeviceOfItsOwn() throws {
        var world = try world(kettles: 3, sessions: 3)
        let notes = notes(world.advance(to: Timestamp(seconds: 20, nanoseconds: 0)), of: 3)
        for session in 0...2 {
            #expect(
                notes.filter { $0.hasPrefix("\(session) ") }
                    == ["connected", "discovered", "explored"].map {
                        "\(session) \($0)"
                    })
        }
        #expect(Set(try servers(world, 3)) == Set(Self.kettles))
    }

    /// All links drop at once; each session seeks its own device, while the others wait for the controller.
    @Test func eachSessionComesBackToItsDevice() throws {
        var world = try world(kettles: 3, sessions: 3)
        _ = world.advance(to: Timestamp(seconds: 20, nanoseconds: 0))
        let before = try servers(world, 3)
        for device in 0...2 { world.perform(EmulatedDevice.Input.dropLink, device: device) }
        #expect(
            notes(world.advance(to: Timestamp(seconds: 40, nanoseconds: 0)), of: 3).sorted()
                == (0...2).map {
                    "\($0) disconnected"
                })
        world.perform(.task(Stimulus("explore")), client: 3)
        let notes = notes(world.advance(to: Timestamp(seconds: 60, nanoseconds: 0)), of: 3)
        #expect(notes.count { $0.hasSuffix(" explored") } == 3)
        #expect(try servers(world, 3) == before)
    }

    /// The last session keeps scanning while the others have their devices, and finds one that is switched on later.
    @Test func aDeviceThatComesLaterIsFoundBesides() throws {
        var world = try world(kettles: 1, sessions: 2)
        #expect(
            notes(world.advance(to: Timestamp(seconds: 20, nanoseconds: 0)), of: 1) == [
                "0 connected", "0 discovered", "0 explored",
            ])
        _ = world.add(try EmulatedDevice(Kettle.profile, twin: Kettle.twin()), address: Self.kettles[1])
        #expect(
            notes(world.advance(to: Timestamp(seconds: 30, nanoseconds: 0)), of: 1) == [
                "1 connected", "1 discovered", "1 explored",
            ])
        #expect(try servers(world, 1) == [Self.kettles[0], Self.kettles[1]])
    }

    @Test func sessionsLookForTheAddressesThatAreGiven() throws {
        var world = try world(kettles: 3, sessions: 2, addresses: [Self.kettles[2], Self.kettles[1]])
        _ = world.advance(to: Timestamp(seconds: 20, nanoseconds: 0))
        #expect(try servers(world, 3) == [Self.kettles[2], Self.kettles[1]])
    }

    /// Beside a session for each known device, one looks for a device that is not known, and keeps to it.
    @Test func aNewDeviceIsTakenBesideThoseThatAreKnown() throws {
        let absent = Address(value: 0x0242_0000_00FF)
        var world = try world(
            kettles: 3, sessions: 3, addresses: [absent, Self.kettles[0]],
            peers: .new(except: [absent, Self.kettles[0]]))
        _ = world.advance(to: Timestamp(seconds: 20, nanoseconds: 0))
        let servers = try servers(world, 3)
        #expect(servers[0] == nil && servers[1] == Self.kettles[0])
        let new = try #require(servers[2])
        #expect(Self.kettles.dropFirst().contains(new))
        let number = try #require(Self.kettles.firstIndex(of: new))
        world.perform(EmulatedDevice.Input.dropLink, device: number)
        _ = world.advance(to: Timestamp(seconds: 40, nanoseconds: 0))
        world.perform(.task(Stimulus("explore")), client: 3)
        _ = world.advance(to: Timestamp(seconds: 60, nanoseconds: 0))
        #expect(try self.servers(world, 3) == [nil, Self.kettles[0], new])
    }

    /// An absent device does not delay the connection to another.
    @Test func aDeviceThatIsAwayIsInNobodysWay() throws {
        let absent = Address(value: 0x0242_0000_00FF)
        var world = try world(kettles: 1, sessions: 2, addresses: [absent, Self.kettles[0]])
        let notes = notes(world.advance(to: Timestamp(seconds: 40, nanoseconds: 0)), of: 1)
        #expect(notes == ["1 connected", "1 discovered", "1 explored", "0 not_found"])
    }
}
