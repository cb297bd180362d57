import Bluetooth
import Bytes
import Conformance
import DeviceTesting
import PluginKit
import Profile
import Testing
import Workbench

/// One fault in an otherwise conforming device.
struct Mutation: Sendable, CustomStringConvertible {
    var description: String
    /// Changes the twin's actions.
    var actions: @Sendable ([TwinAction]) -> [TwinAction] = { $0 }
    /// Changes an input to the twin; nil drops it.
    var input: @Sendable (TwinInput) -> TwinInput? = { $0 }
    /// Delay of the twin's timers.
    var delay = Duration.zero
    /// Changes the twin's attributes.
    var profile: @Sendable (inout Profile) -> Void = { _ in }
}

private struct MutantTwin: DeviceTwin {
    var twin: any DeviceTwin
    let mutation: Mutation

    var answered: Set<String> { twin.answered }
    var deadline: Timestamp? { twin.deadline.map { $0 + mutation.delay } }
    var address: Address? { twin.address }
    var deviceName: String? { twin.deviceName }
    var storage: [UInt8]? { twin.storage }

    mutating func handle(_ input: TwinInput, at now: Timestamp) -> [TwinAction] {
        guard let input = mutation.input(input) else {
            // A dropped request is still answered.
            if case .write(_, _, _, let ticket?) = input { return [.answer(ticket, .accepted)] }
            return []
        }
        return mutation.actions(twin.handle(input, at: now))
    }
}

/// A plugin's behaviour with a faulty twin.
private struct MutantBehaviour: PluginBehaviour {
    let base: any PluginBehaviour
    let mutation: Mutation

    func makeRules(dialect: String?) -> [any Rule] { base.makeRules(dialect: dialect) }
    func makeTwin(_ settings: TwinSettings) throws(TwinFault) -> (any DeviceTwin)? {
        try base.makeTwin(settings).map { MutantTwin(twin: $0, mutation: mutation) }
    }
    var stimuli: [StimulusDefinition] { base.stimuli }
    var quirks: [QuirkDefinition] { base.quirks }
    var tasks: [StimulusDefinition] { base.tasks }
}

extension Mutation {
    /// Changes every value of a characteristic that the device sends or returns.
    static func value(
        _ name: String, _ what: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> Mutation {
        Mutation(
            description: "\(name): \(what)",
            actions: { actions in
                actions.map { action in
                    switch action {
                    case .set(name, let bytes): .set(name, change(bytes))
                    case .notify(name, let bytes, let client): .notify(name, change(bytes), to: client)
                    case .indicate(name, let bytes, let client): .indicate(name, change(bytes), to: client)
                    default: action
                    }
                }
            })
    }

    /// Changes the value in every read response.
    static func answers(_ what: String, _ change: @escaping @Sendable (TwinAnswer) -> TwinAnswer) -> Mutation {
        Mutation(
            description: what,
            actions: { actions in
                actions.map { action in
                    if case .answer(let ticket, let answer) = action { .answer(ticket, change(answer)) } else { action }
                }
            })
    }

    /// Replaces each value that the device sends from a characteristic with several or none.
    static func sends(
        _ name: String, _ what: String, _ change: @escaping @Sendable (TwinAction) -> [TwinAction]
    ) -> Mutation {
        Mutation(
            description: "\(name): \(what)",
            actions: { actions in
                actions.flatMap { action in
                    switch action {
                    case .notify(name, _, _), .indicate(name, _, _): change(action)
                    default: [action]
                    }
                }
            })
    }

    /// Drops writes to a characteristic that have this byte at an offset.
    static func ignores(_ name: String, at offset: Int, _ byte: UInt8, _ what: String) -> Mutation {
        Mutation(
            description: what,
            input: { input in
                guard case .write(name, let bytes, _, _) = input, bytes.indices.contains(offset), bytes[offset] == byte
                else { return input }
                return nil
            })
    }

    static func advertising(_ what: String, _ change: @escaping @Sendable (inout TwinAdvertising) -> Void) -> Mutation {
        Mutation(
            description: what,
            actions: { actions in
                actions.map { action in
                    guard case .advertise(var advertising) = action else { return action }
                    change(&advertising)
                    return .advertise(advertising)
                }
            })
    }

    /// Changes the properties of a characteristic.
    static func properties(
        _ name: String, _ what: String, _ change: @escaping @Sendable (inout CharacteristicDefinition) -> Void
    ) -> Mutation {
        Mutation(
            description: "\(name): \(what)",
            profile: { profile in
                for service in profile.services.indices {
                    for place in profile.services[service].characteristics.indices
                    where profile.services[service].characteristics[place].name == name {
                        change(&profile.services[service].characteristics[place])
                    }
                }
            })
    }

    private static func adding(_ number: UInt8, at offset: Int) -> @Sendable ([UInt8]) -> [UInt8] {
        { bytes in
            var bytes = bytes
            if bytes.indices.contains(offset) { bytes[offset] &+= number }
            return bytes
        }
    }

    static let puck: [Mutation] = [
        .value("current_state", "one byte short") { Array($0.dropLast()) },
        .value("current_state", "one byte long") { $0 + [0] },
        .value("current_state", "daily total off by one", adding(1, at: 8)),
        .value("current_state", "level off by one", adding(1, at: 6)),
        .value("current_state", "unsynced off by one", adding(1, at: 12)),
        .value("current_state", "flag calibrated stuck at 0") { $0.count > 11 ? Self.masked($0, at: 11, 0xFD) : $0 },
        .value("battery_level", "above 100") { _ in [200] },
        .value("battery_level", "two bytes") { $0 + [0] },
        .value("drink_data", "chunk index off by one", adding(1, at: 0)),
        .value("drink_data", "one chunk too many", adding(1, at: 2)),
        .value("drink_data", "record count off by one", adding(1, at: 4)),
        .value("drink_data", "record ID off by one", adding(1, at: 6)),
        .value("drink_data", "cut by one byte") { Array($0.dropLast()) },
        .value("drink_data", "amount off by one", adding(1, at: 14)),
        .value("calibration_state", "state off by one", adding(1, at: 0)),
        .value("calibration_state", "one byte short") { Array($0.dropLast()) },
        .value("activity_stats", "one byte short") { Array($0.dropLast()) },
        .sends("drink_data", "sent twice") { [$0, $0] },
        .sends("drink_data", "not sent") { _ in [] },
        .sends("current_state", "not sent") { _ in [] },
        .sends("calibration_state", "not sent") { _ in [] },
        .ignores("sync_control", at: 4, 2, "ACK is lost"),
        .ignores("sync_control", at: 4, 1, "START is lost"),
        .ignores("command", at: 0, 0x12, "DELETE_DRINK is lost"),
        .ignores("command", at: 0, 0x10, "SET_TIME is lost"),
        .ignores("command", at: 0, 0x06, "CLEAR_HISTORY is lost"),
        .ignores("command", at: 0, 0x02, "PING is lost"),
        .answers("a read of too many bytes") { if case .value(let bytes) = $0 { .value(bytes + [0]) } else { $0 } },
        .answers("a read is refused as not authorized") { if case .value = $0 { .refused(0x08) } else { $0 } },
        .answers("a write is refused as not found") { if case .accepted = $0 { .refused(0x0A) } else { $0 } },
        .properties("command", "can be read") { $0.properties.insert(.read) },
        .properties("bottle_config", "cannot be written") { $0.properties.remove(.write) },
        .properties("drink_data", "has no configuration") { $0.hasConfiguration = false },
        .advertising("not connectable") { $0.isConnectable = false },
        Mutation(description: "timers are 3 s late", delay: .seconds(3)),
    ]

    static let counter: [Mutation] = [
        .value("count_event", "delta 2", { bytes in bytes.count > 1 ? [bytes[0], 2] + bytes.dropFirst(2) : bytes }),
        .value("count_event", "sequence number stuck") { Self.replaced($0, at: 2, with: [7, 0, 0, 0]) },
        .value("count_event", "one byte short") { Array($0.dropLast()) },
        .sends("count_event", "sent twice") { [$0, $0] },
        .sends("count_event", "not sent") { _ in [] },
        .sends("control_point", "not answered") { _ in [] },
        .value("control_point", "wrong opcode in the answer", adding(1, at: 1)),
        .value("counter_status", "battery above 100") { Self.replaced($0, at: 8, with: [150]) },
        .ignores("control_point", at: 0, 5, "ACK is lost"),
        .properties("counter_info", "cannot be read") { $0.properties = [.notify] },
    ]

    private static func masked(_ bytes: [UInt8], at offset: Int, _ mask: UInt8) -> [UInt8] {
        var bytes = bytes
        bytes[offset] &= mask
        return bytes
    }

    private static func replaced(_ bytes: [UInt8], at offset: Int, with other: [UInt8]) -> [UInt8] {
        guard bytes.count >= offset + other.count else { return bytes }
        var bytes = bytes
        bytes.replaceSubrange(offset..<(offset + other.count), with: other)
        return bytes
    }
}

/// A device with a single fault fails.
@Suite struct MutantTwinTests {
    private struct Caught: Error {}

    /// The first failing case; nil if all pass.
    private func catching(_ mutation: Mutation, of plugin: String) throws -> String? {
        var run = try TwinRun(plugin)
        var profile = run.options.plugin.profile.profile
        mutation.profile(&profile)
        let behaviour = try #require(run.options.plugin.behaviour)
        run.options.selection.tags = ["table", "read", "cccd", "script"]
        run.options.twin = DevicePlugin(
            try CompiledProfile(profile), behaviour: MutantBehaviour(base: behaviour, mutation: mutation))
        var failed: String?
        do {
            _ = try run.job().run(hands: NoUpperTester("a test")) { result in
                guard result.verdict == .fail else { return }
                failed = result.id
                throw Caught()
            }
        } catch is Caught {}
        return failed
    }

    @Test func deviceWithoutAFaultPasses() throws {
        let mutation = Mutation(description: "none")
        #expect(try catching(mutation, of: "aquavate") == nil)
        #expect(try catching(mutation, of: "lifecount") == nil)
    }

    @Test(arguments: Mutation.puck) func faultsOfAPuckAreCaught(_ mutation: Mutation) throws {
        #expect(try catching(mutation, of: "aquavate") != nil)
    }

    @Test(arguments: Mutation.counter) func faultsOfACounterAreCaught(_ mutation: Mutation) throws {
        #expect(try catching(mutation, of: "lifecount") != nil)
    }
}
