import Bluetooth
import Bytes
import Captures
import Emulation
import Foundation
import Host
import PDUTestKit
import PluginKit
import Profile
import Radio
import TestKit

/// Devices with messages in a stream of bytes, made by the virtual devices of their profiles.
extension CaptureCase {
    static let streams: [CaptureCase] = [
        CaptureCase(
            name: "jbd-battery",
            title: "Messages with delimiters, a length and a checksum",
            shows: """
                A phone asks a JBD battery for its basic information, its cell voltages and its version; each answer
                comes in as many notifications as it needs. `profile.yaml` is written after public descriptions of the
                protocol, and the battery is the virtual one of its section `emulate`. One request comes in two writes.
                The last answer has a bit that is wrong, which its checksum tells.
                """,
            source: "docs/writing-a-plugin.md", file: "capture.btsnoop", options: ["--plugin", "profile.yaml"]
        ) {
            try SerialSession("jbd-battery", requests: "requests").capture([
                .write("DD A5 03 00 FF FD 77"), .write("DD A5 04 00"), .write("FF FC 77"),
                .write("DD A5 05 00 FF FB 77"), .fault("answers"), .write("DD A5 04 00 FF FC 77"),
            ])
        },
        CaptureCase(
            name: "obd-adapter",
            title: "Messages in ASCII that mean what was asked",
            shows: """
                A phone speaks to an OBD adapter in the ELM327's commands: each command ends with a return, each answer
                with two and a prompt, and numbers are hexadecimal digits. Which type an answer has is decided by the
                command that it answers. `profile.yaml` is written by hand, and the adapter is the virtual one of its
                section `emulate`. The last command asks for something that the car does not have.
                """,
            source: "docs/writing-a-plugin.md", file: "capture.btsnoop", options: ["--plugin", "profile.yaml"]
        ) {
            try SerialSession("obd-adapter", requests: "commands").capture([
                .text("ATE0\r"), .text("0105\r"), .text("010C\r"), .text("01"),
                .text("0D\r"), .text("0120\r"),
            ])
        },
    ]
}

/// A client of a virtual device that writes to one characteristic and is told by another.
private struct SerialSession {
    private let profile: CompiledProfile
    private let requests: String

    /// What happens, half a second after what came before.
    enum Step {
        case write(String)
        case text(String)
        /// The next value that the device tells has a bit that is wrong.
        case fault(String)
    }

    /// The device of the profile in a folder of `captures/`.
    init(_ folder: String, requests: String) throws {
        let text = try Repository.text("captures/\(folder)/profile.yaml")
        profile = try CompiledProfile(ProfileReader.read(text, file: "profile.yaml"))
        self.requests = requests
    }

    /// The client's packets as a btsnoop file.
    func capture(_ steps: [Step]) throws -> [UInt8] {
        var world = VirtualWorld(seed: 7, start: Timestamp(seconds: 1_772_366_400, nanoseconds: 0))
        let device = world.add(
            try EmulatedDevice(profile, twin: ProfileTwin(profile, TwinSettings())),
            address: Address(value: 0xC0FF_EE00_0021))
        let client = world.add(
            ConnectedClient(profile, client: SerialClient(requests: requests)),
            address: Address(value: 0xC0FF_EE00_0022))
        world.perform(ConnectedClient.Input.task(Stimulus("connect")), client: client)
        let recording = Recording(.hci)
        func advance(_ time: Duration) {
            for event in world.advance(to: world.now + time) where event.station == client {
                guard case .packet(let packet, let isSent) = event.kind else { continue }
                recording.time = event.time
                recording.record(packet, isSent ? .sent : .received)
            }
        }
        advance(.seconds(5))
        for step in steps {
            switch step {
            case .write(let digits): write(hex(digits), client, &world)
            case .text(let text): write(Array(text.utf8), client, &world)
            case .fault(let name):
                world.perform(EmulatedDevice.Input.fault(ValueFault(.corrupt, of: name)), device: device)
            }
            advance(.milliseconds(500))
        }
        world.perform(ConnectedClient.Input.task(Stimulus("leave")), client: client)
        advance(.seconds(1))
        return try recording.btsnoop()
    }

    private func write(_ bytes: [UInt8], _ client: Int, _ world: inout VirtualWorld) {
        let digits = bytes.map { String(hex: $0, digits: 2) }.joined()
        world.perform(ConnectedClient.Input.task(Stimulus(digits)), client: client)
    }
}

/// Connects, subscribes to all that is told, and writes what its tasks say in hexadecimal.
private struct SerialClient: DeviceClient {
    let requests: String

    var deadline: Timestamp? { nil }

    mutating func handle(_ input: ClientInput, at now: Timestamp) -> [ClientAction] {
        switch input {
        case .task(let task) where task.name == "connect": [.connect]
        case .task(let task) where task.name == "leave": [.disconnect]
        case .task(let task): [.write(requests, hex(task.name))]
        case .connected: [.subscribe("answers", true)]
        case .disconnected, .read, .written, .notified, .committed, .time: []
        }
    }
}
