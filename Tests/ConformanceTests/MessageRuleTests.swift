import Bluetooth
import Conformance
import PDUTestKit
import PluginKit
import Profile
import TestKit
import Testing

/// Rules about messages in a stream, the requests they answer, and their checksums.
struct MessageRuleTests {
    private static let profile = """
        profile: {id: scale, title: Scale, version: "1", format: 1}
        match: [{service: 4B455454-4C45-0000-8000-000000000000, weight: 80}]
        types:
          order: {fields: [{name: code, type: u8}, {name: tag, type: u8}]}
          answer:
            fields:
              - {name: code, type: u8}
              - {name: tag, type: u8}
              - {name: weight, type: u16}
              - {name: check, type: u8, checksum: {algorithm: sum}}
          refusal: {fields: [{name: code, type: u8}, {name: tag, type: u8}]}
          state: {fields: [{name: code, type: u8}]}
        gatt:
          - service: 4B455454-4C45-0000-8000-000000000000
            name: scale
            characteristics:
              - {uuid: 4B455454-4C45-0000-8000-000000000002, name: orders, properties: [write], value: order}
              - {uuid: 4B455454-4C45-0000-8000-000000000003, name: answers, properties: [notify]}
              - uuid: 4B455454-4C45-0000-8000-000000000004
                name: state
                properties: [read]
                value: [{when: request.code == 7, type: refusal}, {type: state}]
                request: orders
        messages:
          - name: answer
            characteristic: answers
            operation: notify
            stream: {start: DD, end: 77}
            type: [{when: request.code == 9, type: refusal}, {type: answer}]
            request: orders
        rules:
          - {id: S-REPLY, text: answers, role: peripheral, severity: error,
             reply: {after: write orders, expect: message answer, expect_where: tag == request.tag, within: 2 s}}
          - {id: S-SAME, text: the same code, role: peripheral, severity: error,
             check: {on: message answer, holds: code == request.code}}
          - {id: S-STATE, text: the state is the order's, role: peripheral, severity: error,
             check: {on: read state, holds: code == request.code}}
          - {id: S-PERIOD, text: every five seconds, role: peripheral, severity: warning,
             period: {on: message answer, every: 5 s, tolerance: 1 s}}
        """

    private static func characteristic(_ number: UInt8) -> UUID {
        UUID(value: 0x4B45_5454_4C45_0000_8000_000000000000 + UInt128(number))
    }

    private static let layout = ServerLayout(
        .service(
            characteristic(0), .characteristic(characteristic(2), [.write]),
            .characteristic(characteristic(3), [.notify], descriptors: 0x2902),
            .characteristic(characteristic(4), [.read])))

    private let session = HCISession()
    private let link: HCILink

    init() throws {
        session.recording.pace = 100_000_000
        link = session.connect(to: DeviceAddress(try #require(Address("c0:00:00:00:00:07")), .random))
        link.discover(Self.layout)
        link.subscribe(Self.layout[Self.characteristic(3), 0x2902])
    }

    private func order(_ code: UInt8, _ tag: UInt8) -> Int {
        link.write(Self.layout[Self.characteristic(2)], [code, tag])
        return session.recording.packets.count - 1
    }

    /// Notifies bytes of the stream. Returns the last frame number.
    @discardableResult
    private func emit(_ pieces: String...) -> Int {
        for piece in pieces { link.notify(Self.layout[Self.characteristic(3)], hex(piece)) }
        return session.recording.packets.count
    }

    private func checked() throws -> CheckedCapture {
        link.disconnect()
        let plugin = DevicePlugin(try CompiledProfile(ProfileReader.read(Self.profile, file: "scale.yaml")))
        return CheckedCapture(session.recording, plugins: [plugin])
    }

    @Test func answersInPiecesObeyTheRules() throws {
        _ = order(1, 10)
        emit("DD 01", "0A 05 00 10 77")
        link.read(Self.layout[Self.characteristic(4)], [1])
        let checked = try checked()
        #expect(
            ["S-REPLY", "S-SAME", "S-STATE", "SCALE-CHECKSUM"].map { checked.verdicts($0) } == [
                [.pass], [.pass], [.pass], [.pass],
            ])
        #expect(checked.broken == [])
    }

    /// Two orders are pending; the answer belongs to one of them, and the other has none.
    @Test func anAnswerServesTheRequestThatItNames() throws {
        let first = order(1, 10)
        _ = order(1, 11)
        emit("DD 01 0B 05 00 11 77")
        session.recording.wait(milliseconds: 5000)
        emit("DD 01 0B 05 00 11 77")
        let checked = try checked()
        #expect(checked.verdicts("S-REPLY") == [.fail] && checked.frames("S-REPLY") == [first])
        #expect(checked.broken == ["S-REPLY"])
    }

    /// Messages arrive as notifications of the characteristic that carries them.
    @Test func nothingIsDueToAClientThatHasUnsubscribed() throws {
        _ = order(1, 10)
        emit("DD 01 0A 05 00 10 77")
        _ = order(1, 11)
        link.write(Self.layout[Self.characteristic(3), 0x2902], [0, 0])
        session.recording.wait(milliseconds: 60_000)
        link.read(Self.layout[Self.characteristic(4)], [1])
        let checked = try checked()
        #expect(checked.verdicts("S-REPLY") == [.pass])
        #expect(checked.verdicts("S-PERIOD").map(\.name) == ["not_applicable"])
    }

    @Test func aConditionKnowsTheRequest() throws {
        _ = order(2, 10)
        let frame = emit("DD 01 0A 05 00 10 77")
        let checked = try checked()
        #expect(checked.frames("S-SAME") == [frame])
        #expect(checked.findings("S-SAME").map(\.observed) == ["code = 1, request.code = 2"])
        #expect(checked.broken == ["S-SAME"])
    }

    /// The request determines the type of the answer.
    @Test func theTypeIsTheRequests() throws {
        _ = order(9, 10)
        emit("DD 09 0A 77")
        _ = order(7, 11)
        emit("DD 07 0B 00 00 12 77")
        link.read(Self.layout[Self.characteristic(4)], [7, 1])
        #expect(try checked().broken == [])
    }

    /// A wrong checksum is always a finding, whatever the profile's rules.
    @Test func wrongChecksumsAreFindings() throws {
        _ = order(1, 10)
        let frame = emit("DD 01 0A", "05 00 11 77")
        let checked = try checked()
        #expect(checked.frames("SCALE-CHECKSUM") == [frame])
        #expect(checked.findings("SCALE-CHECKSUM").map(\.observed) == ["Check: is 0x11; the bytes have 0x10"])
        #expect(checked.broken == ["SCALE-CHECKSUM"])
    }
}
