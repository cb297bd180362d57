import Bytes
import Captures
import Foundation
import Testing
import Transports

/// The monitor protocol of a firmware on a serial port, played on a pseudo-terminal.
@Suite(.serialized, .enabled(if: FirmwarePlayer.canRun, "python3 is missing"))
struct FirmwareCaptureTests {
    /// What a capture of a player delivers.
    private struct Outcome {
        var packets: [CapturedPacket] = []
        /// Sequence numbers of the notifications.
        var numbers: [Int] = []
        var texts: [String] = []
        var reported: [String] = []
    }

    /// Captures from a player until its last packet has arrived, or until the terminal is hung up.
    private func capture(_ player: FirmwarePlayer, untilHangUp: Bool = false) throws -> Outcome {
        var outcome = Outcome()
        try CaptureSource("tty:\(player.path)").open().run(
            CaptureSink(
                take: { batch in
                    for packet in batch.packets {
                        let bytes = Array(batch.bytes(of: packet))
                        outcome.packets.append(packet)
                        if packet.recordType == MonitorOpcode.aclReceived.rawValue, bytes.count >= 15 {
                            outcome.numbers.append((11..<15).reversed().reduce(0) { $0 << 8 | Int(bytes[$1]) })
                        } else if packet.adapter == MonitorRecord.noAdapter {
                            outcome.texts.append(String(decoding: bytes.filter { $0 >= 0x20 }, as: UTF8.self))
                        }
                    }
                    guard outcome.numbers.last == player.expected.last else { return true }
                    if untilHangUp { player.end() }
                    return untilHangUp
                }, report: { outcome.reported.append($0) }))
        return outcome
    }

    private static let whole = ["clean", "full", "split", "noise", "boot"]
    private static let damaging = ["lost", "doubled", "reset"]

    @Test(arguments: whole, ["zephyr", "nimble"])
    func allPacketsAreCaptured(scenario: String, stack: String) throws {
        let player = try FirmwarePlayer(scenario, stack: stack)
        let outcome = try capture(player)
        #expect(!player.expected.isEmpty)
        #expect(outcome.numbers == player.expected)
        #expect(outcome.packets.map(\.number) == Array(1...outcome.packets.count))
        #expect(outcome.texts.contains { $0.hasSuffix("bt_attnotification 15") })
        #expect(outcome.texts.contains("packets: 15"))
        #expect(zip(outcome.packets, outcome.packets.dropFirst()).allSatisfy { $0.time <= $1.time })
        // One packet in ten reports a drop.
        #expect(outcome.packets.contains { $0.drops == 1 })
        #expect(outcome.reported.contains { $0.hasSuffix("packets before they reached the link") })
        let hasGarbage = outcome.reported.contains { $0.contains("bytes outside frames") }
        #expect(hasGarbage == (scenario == "noise" || scenario == "boot"))
        if scenario == "boot" {
            #expect(outcome.reported.contains { $0.contains("“*** Booting Zephyr OS build v3.7.0 ***”") })
        }
    }

    @Test(arguments: damaging, ["zephyr", "nimble"])
    func damageCostsOnlyThePacketsThatItTouches(scenario: String, stack: String) throws {
        let player = try FirmwarePlayer(scenario, stack: stack)
        let outcome = try capture(player)
        #expect(player.expected.count > 100)
        var found = outcome.numbers[...]
        for number in player.expected {
            guard let place = found.firstIndex(of: number) else {
                Issue.record("packet \(number) is missing")
                break
            }
            found = found[(place + 1)...]
        }
    }

    @Test func aPortThatIsHungUpEndsTheCapture() throws {
        let player = try FirmwarePlayer("clean", stack: "zephyr")
        let outcome = try capture(player, untilHangUp: true)
        #expect(outcome.numbers == player.expected)
        #expect(outcome.reported.first == "tty:\(player.path): connected")
    }

    @Test func aMissingPortIsAnError() throws {
        let source = try CaptureSource("tty:/nowhere/ttyACM0")
        #expect(throws: TransportError.self) { try source.open() }
    }

    /// BlueZ's reader of the same protocol agrees about what the player writes.
    @Test(.enabled(if: FirmwarePlayer.isInstalled("btmon"), "btmon is missing"), arguments: ["zephyr", "nimble"])
    func btmonReadsThePlayer(stack: String) throws {
        let player = try FirmwarePlayer("clean", stack: stack)
        let btmon = Process()
        let output = Pipe()
        btmon.executableURL = URL(filePath: "/usr/bin/env")
        btmon.arguments = ["btmon", "--tty", player.path]
        btmon.standardOutput = output
        try btmon.run()
        player.waitUntilRead()
        // It writes what it has read when it ends.
        btmon.terminate()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        btmon.waitUntilExit()
        #expect(text.split(separator: "ATT: Handle Value Notification").count == player.expected.count + 1)
        #expect(text.contains("bt_att: notification 15"))
        #expect(text.contains("Note: packets: 15"))
        #expect(text.contains("Drops: cmd 0 evt 1"))
    }
}
