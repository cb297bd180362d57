import Bluetooth
package import Bytes
package import Emulation
package import PluginKit
import Profile

/// The requests of a program that controls an emulated device, and their replies, as lines of JSON; docs/controlling.md
/// describes them.
package struct ControlSession: Sendable {
    private let plugin: DevicePlugin
    private let words: ScenarioVocabulary
    private var reader: EventReader
    package var player: ControlPlayer
    /// Replies that were not sent yet.
    private var replies: [String] = []
    /// What was expected and did not come.
    private(set) var failures: [ScenarioPlayer.Failure] = []
    /// Whether no more requests come.
    package var isClosed = false
    private var isStopped = false

    init(_ plugin: DevicePlugin) {
        self.plugin = plugin
        words = plugin.vocabulary
        reader = EventReader(plugin.profile)
        player = ControlPlayer(plugin.profile)
    }

    /// Whether the emulation ends.
    var isOver: Bool { isStopped || isClosed && player.isIdle }

    /// Whether it waits for the next request alone.
    var isIdle: Bool { player.isIdle && !isClosed && !isStopped }

    /// Takes a line; returns what is to be done now. `hasClient` says whether the plugin's client is there too.
    package mutating func take(
        _ line: [UInt8], _ device: EmulatedDevice?, hasClient: Bool, at now: Timestamp
    ) -> [Scenario.Action] {
        let text = String(decoding: line, as: UTF8.self)
        if text.allSatisfy(\.isWhitespace) { return [] }
        do throws(ControlLine.Fault) {
            let request = try ControlLine(reading: text, words: words)
            switch request.content {
            case .step(let step):
                let isForClient = step.actions.contains { if case .client = $0 { true } else { false } }
                if isForClient, !hasClient {
                    refuse(request.id, "the client is an external one here; the plugin's own is on radio:")
                    return []
                }
                if let refusal = device?.refusal(of: step) {
                    refuse(request.id, refusal)
                    return []
                }
                return player.add(step, id: request.id, at: now)
            case .state: reply(to: request.id, ("state", state(of: device, at: now)))
            case .stimuli: reply(to: request.id, ("stimuli", stimuli))
            case .stop:
                isStopped = true
                reply(to: request.id)
            }
        } catch {
            refuse(error.id, error.text)
        }
        return []
    }

    /// Takes note of what later values depend on.
    mutating func follow(_ event: EmulationEvent) { reader.follow(event) }

    /// Says to a program that has come that the device can be found, if it can.
    mutating func greet(_ line: String?) { if let line { replies.append(line) } }

    /// Says that a line could not be read.
    package mutating func refuse(_ text: String) { refuse("null", text) }

    /// The replies since the last call.
    package mutating func takeReplies() -> [String] {
        for outcome in player.takeOutcomes() {
            failures += outcome.failures
            if !outcome.failures.isEmpty {
                refuse(outcome.id, outcome.failures.map(\.text).joined(separator: "; "))
            } else if let (event, source, time) = outcome.event {
                let entry = EmulationLogEntry(
                    time: time, source: source, event: event, fields: reader.fields(of: event))
                replies.append(#"{"id":\#(outcome.id),"ok":true,"event":\#(entry.json)}"#)
            } else {
                reply(to: outcome.id)
            }
        }
        defer { replies = [] }
        return replies
    }

    private mutating func reply(to id: String, _ content: (name: String, value: Value)? = nil) {
        let more = content.map { #","\#($0.name)":\#($0.value.json)"# } ?? ""
        replies.append(#"{"id":\#(id),"ok":true\#(more)}"#)
    }

    private mutating func refuse(_ id: String, _ text: String) {
        replies.append(#"{"id":\#(id),"ok":false,"error":\#(Value.text(text).json)}"#)
    }
}

// MARK: - What is asked for

extension ControlSession {
    private func state(of device: EmulatedDevice?, at now: Timestamp) -> Value {
        guard let device else { return .absent }
        var values = Record()
        values.fields = device.values(at: now).map { name, value in (name, fields(of: name, value)) }
        let storage = device.storage.flatMap { try? JSONValue(reading: $0) }.map { Value($0) }
        return .record([
            "time": .text(Value.text(ofTime: now.nanoseconds)), "advertising": .boolean(device.isAdvertising),
            "connections": .integer(Int64(device.connections)), "values": .record(values),
            "storage": storage ?? .absent,
        ])
    }

    /// The fields of a value, or its bytes where it has none.
    private func fields(of name: String, _ value: [UInt8]) -> Value {
        let readings = [OperationKind.read, .notify, .indicate].lazy.map {
            reader.fields(of: .value($0, name, value))
        }
        return readings.first { $0 != .absent } ?? .bytes(value)
    }

    /// What can happen to the device and what its client can do, each with what its amount may be.
    private var stimuli: Value {
        func list(_ definitions: [StimulusDefinition]) -> Value {
            .list(
                definitions.map { one in
                    .record([
                        "name": .text(one.name), "title": .text(one.title),
                        "unit": one.amount.map { .text($0.unit) } ?? .absent,
                        "from": one.amount.map { .real($0.range.lowerBound) } ?? .absent,
                        "to": one.amount.map { .real($0.range.upperBound) } ?? .absent,
                        "usual": one.amount?.usual.map { .real($0) } ?? .absent,
                    ])
                })
        }
        return .record(["device": list(words.stimuli), "client": list(words.tasks)])
    }
}
