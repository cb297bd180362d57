import Bluetooth
import Bytes
import Emulation
import PluginKit
import Profile
import Radio
import Testing

/// A client's sessions with devices of different dialects.
struct DialectRecognitionTests {
    private static let profile: CompiledProfile = {
        do {
            return try CompiledProfile(ProfileReader.read(text, file: "box.yaml"))
        } catch {
            preconditionFailure("\(error)")
        }
    }()

    private static let text = """
        profile:
          {id: box, title: Box, version: "1", format: 1, dialects: {old: {title: Old}, new: {title: New}}}
        match:
          - {name: '^Box', weight: 60}
          - {service: 4B455454-4C45-0000-8000-000000001000, weight: 60, dialect: old}
          - {service: 4B455454-4C45-0000-8000-000000002000, weight: 60, dialect: new}
        types:
          level: {type: u8}
        gatt:
          - service: 4B455454-4C45-0000-8000-000000001000
            name: old_box
            dialect: old
            characteristics:
              - {uuid: 4B455454-4C45-0000-8000-000000001001, name: old_level, properties: [read], value: level}
          - service: 4B455454-4C45-0000-8000-000000002000
            name: new_box
            dialect: new
            characteristics:
              - {uuid: 4B455454-4C45-0000-8000-000000002001, name: new_level, properties: [read], value: level}
        emulate: {name: Box, interval: 100 ms}
        """

    private static func device(_ dialect: String) throws -> EmulatedDevice {
        var settings = EmulatedDevice.Settings()
        settings.dialect = dialect
        return try EmulatedDevice(profile, twin: ProfileTwin(profile, TwinSettings(dialect: dialect)), settings)
    }

    /// Each session reads the characteristics of its device's dialect, whichever the clients assume.
    @Test(arguments: ["old", "new"]) func eachSessionSpeaksTheDialectOfItsDevice(assumed: String) throws {
        var world = VirtualWorld(seed: 1)
        let dialects = ["old", "new"]
        for (index, dialect) in dialects.enumerated() {
            _ = world.add(try Self.device(dialect), address: Address(value: 0x0242_0000_0001 + UInt64(index)))
        }
        var client = ConnectedClient(Self.profile, client: ExploringClient(Self.profile, dialect: assumed))
        client.add(ExploringClient(Self.profile, dialect: assumed))
        client.recognizeDialects(assuming: assumed)
        let station = world.add(client, address: Address(value: 0x0242_0000_0009))
        world.perform(ConnectedClient.Input.task(Stimulus("explore")), client: station)
        var read: [Int: String] = [:]
        for event in world.advance(to: Timestamp(seconds: 20, nanoseconds: 0)) where event.station == station {
            if case .reported(.value(.read, let name, _)) = event.kind { read[event.session] = name }
        }
        let sessions = try #require(world.client(station)).sessions
        for (index, session) in sessions.enumerated() {
            let number = try #require(session.serverAddress).address.value - 0x0242_0000_0001
            #expect(read[index] == "\(dialects[Int(number)])_level")
        }
    }

    /// The tasks of the recognized dialect follow those that do not depend on it, in the first connection only.
    @Test func aSessionReceivesTheTasksOfItsDialectOnce() throws {
        var world = VirtualWorld(seed: 1)
        let box = world.add(try Self.device("new"), address: Address(value: 0x0242_0000_0001))
        var client = ConnectedClient(Self.profile, client: TaskClient())
        client.recognizeDialects(
            assuming: "old", tasks: ["old": [Stimulus("old_task")], "new": [Stimulus("new_task")]])
        let station = world.add(client, address: Address(value: 0x0242_0000_0009))
        func notes(at seconds: Int64) -> [String] {
            world.perform(ConnectedClient.Input.task(Stimulus("any_task")), client: station)
            return world.advance(to: Timestamp(seconds: seconds, nanoseconds: 0)).compactMap { event in
                guard event.station == station, case .reported(.note(let note)) = event.kind else { return nil }
                return note.name
            }
        }
        #expect(
            notes(at: 20) == ["any_task", "connected", "discovered", "dialect_recognized", "new_task", "begun new"])
        world.perform(EmulatedDevice.Input.dropLink, device: box)
        _ = world.advance(to: Timestamp(seconds: 30, nanoseconds: 0))
        #expect(notes(at: 50) == ["any_task", "connected", "discovered", "begun new"])
    }
}

/// A client that connects for any task and reports its inputs.
private struct TaskClient: DeviceClient {
    private var dialect: String?

    var deadline: Timestamp? { nil }

    mutating func select(dialect: String) { self.dialect = dialect }

    mutating func handle(_ input: ClientInput, at now: Timestamp) -> [ClientAction] {
        switch input {
        case .task(let task): [.event(TwinNote(task.name)), .connect]
        case .connected: [.event(TwinNote("begun \(dialect ?? "")"))]
        default: []
        }
    }
}
