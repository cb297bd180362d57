import Bluetooth
package import Bytes
package import Emulation
package import PluginKit
import Profile

/// Handles the requests of a program that controls an emulated device. Requests and replies are lines of JSON;
/// docs/controlling.md describes them.
package struct ControlSession: Sendable {
    private let plugin: DevicePlugin
    private let words: ScenarioVocabulary
    private var reader: EventReader
    package var player: ControlPlayer
    /// Replies not sent yet.
    private var replies: [String] = []
    /// Failed expectations.
    private(set) var failures: [ScenarioPlayer.Failure] = []
    /// Whether the link is closed, so that no more requests follow.
    package var isClosed = false
    private var isStopped = false

    init(_ plugin: DevicePlugin) {
        self.plugin = plugin
        words = plugin.vocabulary
        reader = EventReader(plugin.profile)
        player = ControlPlayer(plugin.profile)
    }

    /// Whether the emulation is to end.
    var isOver: Bool { isStopped || isClosed && player.isIdle }

    /// Whether it waits only for the next request.
    var isIdle: Bool { player.isIdle && !isClosed && !isStopped }

    /// Handles a request line; returns the actions to perform now. `hasClient` states whether the plugin's client is
    /// emulated too.
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
                if step.needsVirtualRadio, !hasClient {
                    refuse(request.id, "only the virtual radio has attenuation and distance; use radio:")
                    return []
                }
                if let refusal = device?.refusal(of: step) {
                    refuse(request.id, refusal)
                    return []
                }
                return player.add(step, id: request.id, at: now)
            case .state: reply(to: request.id, ("state", state(of: device, at: now)))
            case .stimuli: reply(to: request.id, ("stimuli", stimuli))
            case .display:
                let lines = device?.display.map { Value.list($0.map { .text($0) }) }
                reply(to: request.id, ("display", lines ?? .absent))
            case .stop:
                isStopped = true
                reply(to: request.id)
            }
        } catch {
            refuse(error.id, error.text)
        }
        return []
    }

    /// Updates the state that the decoding of later values depends on.
    mutating func follow(_ event: EmulationEvent) { reader.follow(event) }

    /// Queues the ready line for a program that has just connected, if the device can be found.
    mutating func greet(_ line: String?) { if let line { replies.append(line) } }

    /// Replies that a line could not be read.
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

// MARK: - Queries

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

    /// The fields of a value, or its bytes where no type decodes it.
    private func fields(of name: String, _ value: [UInt8]) -> Value {
        let readings = [OperationKind.read, .notify, .indicate].lazy.map {
            reader.fields(of: .value($0, name, value))
        }
        return readings.first { $0 != .absent } ?? .bytes(value)
    }

    /// The device's stimuli and the client's tasks, each with the range of its amount.
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
