import PDUTestKit
import PluginKit
import Profile
import TestKit
import Testing

/// The devices of docs/serial-devices.md, with messages in a stream, and Bumble's central as the client on our radio.
@Suite(.serialized, .enabled(if: Bumble.python != nil, "\(Bumble.isMissing)"))
struct BumbleSerialTests {
    /// Loads the plugin from the profile in a folder of `captures/`.
    private func plugin(_ folder: String) throws -> DevicePlugin {
        let path = "captures/\(folder)/profile.yaml"
        return DevicePlugin(try CompiledProfile(ProfileReader.read(Repository.text(path), file: path)))
    }

    /// A request in two writes, and answers in as many notifications as necessary.
    @Test func aBatteryAnswersRequests() async throws {
        let visit = try await Visit(
            to: try plugin("jbd-battery"), name: "xiaoxiang BMS",
            steps: [
                "subscribe:FF01", "write:FF02=DDA50300FFFD77", "await:FF01", "await:FF01", "write:FF02=DDA504",
                "write:FF02=00FFFC77", "await:FF01",
            ])
        let reported = visit.output.filter { $0.hasPrefix("notified") }.map { String($0.dropFirst(14)) }
        #expect(
            reported == [
                "dd03001b052ffe5c222e2710000c312e00000000", "000020570304020b860b8bfbbe77",
                "dd0400080cf60cf50cf70cf4fbf277",
            ])
    }

    /// The adapter's answer depends on the command.
    @Test func anAdapterAnswersInASCII() async throws {
        let visit = try await Visit(
            to: try plugin("obd-adapter"), name: "OBDBLE",
            steps: [
                "subscribe:FFF1", "write:FFF2=415445300D", "await:FFF1", "write:FFF2=303130430D", "await:FFF1",
                "write:FFF2=3031", "write:FFF2=32300D", "await:FFF1",
            ])
        let reported = visit.output.filter { $0.hasPrefix("notified") }.map { hex(String($0.dropFirst(14))) }
        #expect(
            reported.map { String(decoding: $0, as: UTF8.self) } == [
                "OK\r\r>", "410C1AF8\r\r>", "NO DATA\r\r>",
            ])
    }
}
