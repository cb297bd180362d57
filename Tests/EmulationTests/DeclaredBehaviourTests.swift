import Bluetooth
import Bytes
import Emulation
import PluginKit
import Profile
import Testing

/// Advertising, faults and pairing declared in a profile, without a Bluetooth stack.
struct DeclaredBehaviourTests {
    private static let beacon = """
        profile: {id: tag, title: Tag, version: "1", format: 1}
        match: [{manufacturer: {company: 0xFFFF, data: 05}, weight: 60}]
        types:
          sample: {fields: [{name: kind, type: u8}, {name: count, type: u8}]}
        advertising: [{manufacturer_data: 0xFFFF, value: sample}]
        emulate:
          name: Tag
          interval: 1 s
          advertising:
            - {manufacturer_data: 0xFFFF, value: {kind: 5, count: 7}}
            - {structure: 0x0A, bytes: FC}
          reactions:
            - every: 2 s
              do: [{advertise: {manufacturer_data: 0xFFFF, generator: {field: count, ramp: {from: 8, to: 255, step: 1}}}}]
        """

    private static let lock = """
        profile: {id: lock, title: Lock, version: "1", format: 1}
        types: {level: {type: u8}}
        gatt:
          - service: 4B455454-4C45-0000-8000-000000000000
            name: lock
            characteristics:
              - {uuid: 4B455454-4C45-0000-8000-000000000001, name: state, properties: [read, notify], value: level,
                 security: authenticated}
              - {uuid: 4B455454-4C45-0000-8000-000000000002, name: command, properties: [write], value: level}
        emulate:
          values: [{characteristic: state, value: 1}]
          reactions:
            - {on: connect, do: [{pair: true}, {delay: 10 s}, {disconnect: true}]}
            - {on: subscribe state, do: [{notify: state}]}
            - {on: unsubscribe state, do: [{set: state, value: 9}]}
            - {on: read state, times: 1, do: [{error: 0x0E}]}
            - {on: write command, where: u8(0) == 1, do: [{delay: 3 s}, {respond: true}]}
            - {on: write command, where: u8(0) == 2, do: [{respond: false}]}
            - {on: write command, chance: 0, do: [{notify: state}]}
            - {on: disconnect, do: [{set: state, value: 0}]}
        """

    private let client = TwinClient(64)
    private func time(_ seconds: Double) -> Timestamp { Timestamp(nanoseconds: 0) + .seconds(seconds) }

    // MARK: - Advertising

    @Test func aBeaconAdvertisesItsDataAndCannotBeConnectedTo() throws {
        var twin = ProfileTwin(try CompiledProfile(ProfileReader.read(Self.beacon, file: "tag.yaml")), TwinSettings())
        let expected = TwinAdvertising(
            data: [2, 0x01, 0x06, 5, 0xFF, 0xFF, 0xFF, 5, 7, 2, 0x0A, 0xFC, 4, 0x09] + Array("Tag".utf8),
            interval: .seconds(1), isConnectable: false)
        #expect(twin.handle(.powerOn, at: time(0)) == [.advertise(expected)])
    }

    @Test func withoutAnIntervalItAdvertisesEvery100Milliseconds() throws {
        var twin = ProfileTwin(try CompiledProfile(ProfileReader.read(Self.lock, file: "lock.yaml")), TwinSettings())
        let intervals = twin.handle(.powerOn, at: time(0)).compactMap { action in
            if case .advertise(let advertising) = action { advertising.interval } else { nil }
        }
        #expect(intervals == [.milliseconds(100)])
    }

    @Test func advertisedDataChangeWithTime() throws {
        var twin = ProfileTwin(try CompiledProfile(ProfileReader.read(Self.beacon, file: "tag.yaml")), TwinSettings())
        _ = twin.handle(.powerOn, at: time(0))
        var counts: [UInt8] = []
        for round in 1...3 {
            #expect(twin.deadline == time(2 * Double(round)))
            let actions = twin.handle(.time, at: time(2 * Double(round)))
            guard case .advertise(let advertising)? = actions.last else { continue }
            counts.append(advertising.data[8])
        }
        #expect(counts == [8, 9, 10])
    }

    // MARK: - Client behaviour

    private func lock() throws -> ProfileTwin {
        var twin = ProfileTwin(try CompiledProfile(ProfileReader.read(Self.lock, file: "lock.yaml")), TwinSettings())
        _ = twin.handle(.powerOn, at: time(0))
        return twin
    }

    @Test func aConnectionStartsAReaction() throws {
        var twin = try lock()
        #expect(twin.handle(.connected(client), at: time(1)) == [.secure(client)])
        #expect(twin.deadline == time(11))
        #expect(twin.handle(.time, at: time(11)) == [.disconnect(client)])
        let end = twin.handle(.disconnected(client), at: time(11))
        #expect(end.last == .set("state", [0]))
    }

    @Test func subscribingAndUnsubscribingStartReactions() throws {
        var twin = try lock()
        _ = twin.handle(.connected(client), at: time(1))
        #expect(twin.handle(.subscribed("state", .notifications, client), at: time(2)) == [.notify("state", [1])])
        #expect(twin.handle(.subscribed("state", [], client), at: time(3)) == [.set("state", [9])])
    }

    @Test func aFaultHappensAsOftenAsItMay() throws {
        var twin = try lock()
        let answers = (1...2).map { twin.handle(.read("state", client, TwinTicket($0)), at: time(1)).first }
        #expect(answers == [.answer(TwinTicket(1), .refused(0x0E)), .answer(TwinTicket(2), .value([1]))])
    }

    @Test func anAnswerCanBeLateOrMissing() throws {
        var twin = try lock()
        _ = twin.handle(.connected(client), at: time(0))
        #expect(twin.handle(.write("command", [1], client, TwinTicket(1)), at: time(1)) == [])
        #expect(twin.handle(.time, at: time(4)) == [.answer(TwinTicket(1), .accepted)])
        #expect(twin.handle(.write("command", [2], client, TwinTicket(2)), at: time(5)) == [])
        let answer = twin.handle(.write("command", [3], client, TwinTicket(3)), at: time(6))
        #expect(answer == [.answer(TwinTicket(3), .accepted)])
    }

    private static let valve = """
        profile: {id: valve, title: Valve, version: "1", format: 1}
        types:
          command:
            switch: {name: opcode, type: u8}
            cases:
              - {value: 1, name: open, fields: [{name: turns, type: u8}]}
              - {value: 2, name: close}
        gatt:
          - service: 4B455454-4C45-0000-8000-000000000000
            name: valve
            characteristics:
              - {uuid: 4B455454-4C45-0000-8000-000000000001, name: command, properties: [write], value: {write: command}}
        emulate:
          reactions:
            - {on: write command, where: opcode == 9, do: [{error: 0x81}]}
            - {on: write command, where: opcode > 2, do: [{error: 0x80}]}
        """

    /// The answer depends on the request's opcode, even if the profile's `switch` has no case for it.
    @Test(
        arguments: [
            ([1, 3], TwinAnswer.accepted), ([2], .accepted), ([3], .refused(0x80)), ([9], .refused(0x81)),
            ([0xFF, 1, 2], .refused(0x80)), ([], .accepted),
        ] as [([UInt8], TwinAnswer)])
    func anOpcodeOutsideOfTheSwitchIsRefused(value: [UInt8], answer: TwinAnswer) throws {
        let profile = try CompiledProfile(ProfileReader.read(Self.valve, file: "valve.yaml"))
        var twin = ProfileTwin(profile, TwinSettings())
        _ = twin.handle(.powerOn, at: time(0))
        _ = twin.handle(.connected(client), at: time(0))
        let actions = twin.handle(.write("command", value, client, TwinTicket(1)), at: time(1))
        #expect(actions == [.answer(TwinTicket(1), answer)])
    }
}
