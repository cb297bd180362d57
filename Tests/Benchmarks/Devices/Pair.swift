import Bluetooth
import Bytes
import Emulation
import Foundation
import PDUTestKit
import PluginKit
import Profile
import Radio
import TestKit

/// A device and its client, on a radio without air time.
struct Pair {
    private var world = VirtualWorld(seed: 1, pace: .immediate)
    private let device: Int
    private let client: Int
    /// Events that the client has reported and nothing has awaited yet.
    private var said: [String] = []

    /// An event that did not happen in a minute of virtual time.
    struct Failure: Error, CustomStringConvertible {
        var awaited: String
        var description: String { "“\(awaited)” did not happen" }
    }

    /// Adds both with their controllers; the device advertises.
    init(_ profile: CompiledProfile, _ twin: any DeviceTwin, _ client: any DeviceClient) throws {
        device = world.add(try EmulatedDevice(profile, twin: twin, .shipped), address: Address(value: 0x0242_0000_0001))
        self.client = world.add(
            ConnectedClient(profile, client: client), address: Address(value: 0x0242_0000_0002))
        while let events = world.step(notAfter: world.now + .seconds(60)) {
            if events.contains(where: { if case .reported(.advertising) = $0.kind { true } else { false } }) { return }
        }
        throw Failure(awaited: "advertising")
    }

    /// The client finds the device, connects and discovers its attributes.
    mutating func begin(with task: String = "go") throws {
        want(task)
        try goOn(until: "discovered")
    }

    mutating func want(_ task: String) {
        world.perform(ConnectedClient.Input.task(Stimulus(task)), client: client)
    }

    /// Applies a stimulus to the device.
    mutating func happen(_ stimulus: Stimulus) {
        world.perform(EmulatedDevice.Input.stimulus(stimulus), device: device)
    }

    /// Runs until the client reports the event.
    mutating func goOn(until name: String) throws {
        let limit = world.now + .seconds(60)
        while true {
            if let index = said.firstIndex(of: name) { return said.removeSubrange(...index) }
            guard let events = world.step(notAfter: limit) else { throw Failure(awaited: name) }
            for event in events where event.station == client {
                if case .reported(.note(let note)) = event.kind { said.append(note.name) }
            }
        }
    }
}

/// A device that notifies a number of 14-byte values to a subscribed client.
struct Flood: DeviceTwin {
    let count: Int
    private var reported = 0
    private var isWanted = false
    private(set) var deadline: Timestamp?

    /// The service UUID of the puck.
    private static let service = UUID(value: 0x6F75616B_7661_7465_2D00_000000000000)
    /// Values per millisecond.
    private static let burst = 100

    init(count: Int) {
        self.count = count
    }

    mutating func handle(_ input: TwinInput, at now: Timestamp) -> [TwinAction] {
        switch input {
        case .powerOn:
            let advertising = TwinAdvertising(
                services: [Self.service], name: "Aquavate-F100", interval: .milliseconds(100))
            return [.advertise(advertising)]
        case .subscribed:
            isWanted = true
            deadline = now
            return []
        case .time where isWanted && reported < count:
            let burst = min(Self.burst, count - reported)
            reported += burst
            deadline = reported < count ? now + .milliseconds(1) : nil
            let value = [UInt8](repeating: UInt8(truncatingIfNeeded: reported), count: 14)
            return (0..<burst).map { _ in .notify("current_state", value) }
        default: return []
        }
    }
}

/// A client that counts notifications, or reads one value repeatedly.
struct Watcher: DeviceClient {
    /// Name of the final event.
    static let finished = "finished"

    var subscribes = false
    var notifications = 0
    var reads = 0
    private(set) var deadline: Timestamp?

    init(subscribes: Bool = false, notifications: Int = 0, reads: Int = 0) {
        self.subscribes = subscribes
        self.notifications = notifications
        self.reads = reads
    }

    mutating func handle(_ input: ClientInput, at now: Timestamp) -> [ClientAction] {
        switch input {
        case .task: return [.connect]
        case .connected:
            if subscribes { return [.subscribe("current_state", true)] }
            return reads > 0 ? [.read("current_state")] : []
        case .notified:
            notifications -= 1
            return notifications == 0 ? [.event(TwinNote(Self.finished))] : []
        case .read:
            reads -= 1
            return [reads == 0 ? .event(TwinNote(Self.finished)) : .read("current_state")]
        case .disconnected, .written, .committed, .time: return []
        }
    }
}

extension EmulatedDevice.Settings {
    /// The measured dialect of the puck.
    static var shipped: Self {
        var settings = Self()
        settings.dialect = "shipped"
        return settings
    }
}

/// Two Bumble devices in one Python process, for comparison.
struct BumblePair: Decodable {
    /// Seconds from the connection request until discovery is complete.
    var connecting: Double
    /// Sequential reads per second.
    var reads: Double
    /// Notifications a second.
    var notifications: Double

    /// Nil if no Python on this machine has Bumble.
    static func measured() -> Self? {
        let script = Repository.path("Tests/Benchmarks/Devices/bumble_speed.py")
        for python in [Repository.path(".build/python/bin/python3"), "python3"] {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = [python, script]
            let output = Pipe()
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            guard (try? process.run()) != nil else { continue }
            let text = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            if let pair = try? JSONDecoder().decode(Self.self, from: text) { return pair }
        }
        return nil
    }
}
