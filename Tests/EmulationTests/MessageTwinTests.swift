import Bytes
import Emulation
import PDUTestKit
import PluginKit
import Profile
import Testing

/// Virtual devices that answer requests with messages in a stream.
@Suite struct MessageTwinTests {
    private let client = TwinClient(64)
    private func time(_ seconds: Double) -> Timestamp { Timestamp(nanoseconds: 0) + .seconds(seconds) }

    private static let profile = """
        profile: {id: robot, title: Robot, version: 1.0.0, format: 1}
        types:
          order:
            fields:
              - {name: code, type: u8}
              - {name: tag, type: u16}
              - {name: check, type: u8, checksum: {algorithm: sum, from: code}}
          answer:
            fields:
              - {name: code, type: u8}
              - {name: tag, type: u16}
              - {name: state, type: u8, values: {0: idle, 1: moving}}
              - {name: check, type: u8, checksum: {algorithm: negated_sum, from: code}}
        gatt:
          - service: FFF0
            name: serial
            characteristics:
              - {uuid: FFF1, name: rx, properties: [notify]}
              - {uuid: FFF2, name: tx, properties: [write, write_without_response]}
        messages:
          - {name: order, characteristic: tx, operation: write, stream: {start: AA, length: 4}, type: order}
          - name: answer
            characteristic: rx
            operation: notify
            stream: {start: AA, end: 55, escape: {byte: 7D, xor: 20}}
            type: answer
            request: order
            part: 1
        emulate:
          reactions:
            - on: message order
              where: code < 16
              do:
                - {delay: 10 ms}
                - {send: answer, value: {code: request.code, tag: request.tag, state: moving}}
        """

    private func twin() throws -> ProfileTwin {
        var twin = ProfileTwin(
            try CompiledProfile(ProfileReader.read(Self.profile, file: "robot.yaml")), TwinSettings())
        _ = twin.handle(.powerOn, at: time(0))
        _ = twin.handle(.connected(client), at: time(0))
        return twin
    }

    private func reported(_ actions: [TwinAction]) -> [[UInt8]] {
        actions.compactMap { if case .notify("rx", let value, _) = $0 { value } else { nil } }
    }

    /// An order in two writes; its answer comes byte by byte, with the order's fields, escaped and with a checksum.
    @Test func anAnswerHasFieldsOfTheRequest() throws {
        var twin = try twin()
        #expect(reported(twin.handle(.written("tx", [0xAA, 0x02, 0x55], client), at: time(1))) == [])
        #expect(twin.deadline == nil)
        #expect(reported(twin.handle(.written("tx", [0xAA, 0x01], client), at: time(1))) == [])
        #expect(twin.deadline == time(1.01))
        let values = reported(twin.handle(.time, at: time(1.01)))
        #expect(values.allSatisfy { $0.count == 1 })
        #expect(values.flatMap(\.self) == hex("AA 02 7D 75 7D 8A 01 FE 55"))
    }

    @Test func otherMessagesAreNotAnswered() throws {
        var twin = try twin()
        _ = twin.handle(.written("tx", [0xAA, 0x20, 0, 0, 0x20, 1, 2, 3], client), at: time(1))
        #expect(twin.deadline == nil)
    }

    /// One client's partial message does not continue with another client's bytes.
    @Test func aMessageThatHasBegunEndsWithTheConnection() throws {
        var twin = try twin()
        _ = twin.handle(.written("tx", [0xAA, 0x02], client), at: time(1))
        _ = twin.handle(.disconnected(client), at: time(2))
        _ = twin.handle(.connected(client), at: time(3))
        _ = twin.handle(.written("tx", [0x55, 0x00, 0x01], client), at: time(3))
        #expect(twin.deadline == nil)
    }
}
