import Bytes
import Captures
import Conversation
import Emulation
import FoundationEssentials
import HTTPTypes
import PluginKit
import Synchronization
import Transports
import Workbench

/// A plugin's twin and its client on a virtual radio in real time, with the traffic shown as a live capture. Requests
/// from pages use the control interface for other programs (docs/controlling.md).
final class TwinSession: Sendable {
    let plugin: String
    private let control: String
    private let source: LiveSource
    private let count = Mutex(0)
    /// Serializes requests: the twin accepts one program at a time.
    private let turn = Mutex(())

    /// Maximum time to wait for the twin, in seconds.
    private static let patience = 10.0

    /// Starts the twin, which ends when its tab is closed or the session ends.
    init(_ id: String, in session: WebSession, report: @escaping @Sendable (String) -> Void) throws {
        guard let plugin = session.options.plugins.plugins.first(where: { $0.id == id }) else {
            throw UnknownPlugin(name: id, known: session.options.plugins.plugins.map(\.id))
        }
        self.plugin = id
        control = WebSession.socketPath()
        var options = EmulateOptions(plugin: plugin, transport: .radio)
        options.control = .unixServer(path: control)
        let source = try session.makeLiveSource()
        self.source = source
        let work = TwinWork(job: try WorldJob(options, keyboard: nil), writer: try TwinWork.writer(source))
        guard
            SystemThread.start({
                do { try work.run { session.isOver || source.isClosed } } catch { report("\(id): \(error)") }
                source.end()
            })
        else { throw WebFault(.internalServerError, "the system gives no thread") }
        try session.add(name: "\(id) (twin)", live: source)
        Task {
            do { try await begin(plugin) } catch { report("\(id): \(error)") }
        }
    }

    /// Whether the session has ended or is about to end.
    var isOver: Bool { source.isOver || source.isClosed }

    /// Starts the client's first task.
    func begin(_ plugin: DevicePlugin) async throws {
        guard let task = plugin.tasks.first else { return }
        var event = JSONValue.string(task.name)
        if let amount = task.amount, let usual = amount.usual {
            event = Self.event(task.name, [(amount.unit, .number(usual))])
        }
        _ = try await ask([("do", .object(of: [("client", event)]))])
    }

    /// Stimuli of the twin and tasks of its client.
    func stimuli() async throws -> JSONValue {
        let known = try await ask([("get", .string("stimuli"))])["stimuli"]
        let device = (known?["device"]?.elements ?? []).map { Self.describe($0, prefix: "") }
        let client = (known?["client"]?.elements ?? []).map { Self.describe($0, prefix: "client ") }
        return .members(["plugin": .string(plugin), "stimuli": .array(device + client)])
    }

    /// The lines of the twin's display; null for a twin without one.
    func display() async throws -> JSONValue {
        let reply = try await ask([("get", .string("display"))])
        return .members(["lines": reply["display"] ?? .null])
    }

    /// Describes a stimulus, whose amount becomes a parameter named after its unit.
    private static func describe(_ one: JSONValue, prefix: String) -> JSONValue {
        var parameters: [JSONValue] = []
        if let unit = one["unit"]?.string {
            let usual = one["usual"]?.number.map { JSONValue.number($0).line }
            parameters.append(
                .members([
                    "name": .string(unit), "type": .string("number"), "default": usual.map { .string($0) } ?? .null,
                ]))
        }
        return .members([
            "name": .string(prefix + (one["name"]?.string ?? "")), "text": .string(one["title"]?.string ?? ""),
            "parameters": .array(parameters),
        ])
    }

    /// Triggers a stimulus, task or fault: `{"sip": {"ml": 40}}`, `{"refill": {}}`, `{"client sync": {}}`, `{"fault":
    /// …}`.
    func drive(_ step: JSONValue) async throws {
        guard case .object(let members) = step, members.count == 1, let one = members.first else {
            throw WebFault(.badRequest, "expected one thing that is to happen, like {\"sip\": {\"ml\": 40}}")
        }
        if one.name == "fault" {
            _ = try await ask([("fault", one.value)])
            return
        }
        let words = one.name.split(separator: " ").map(String.init)
        guard let name = words.last, words.count == 1 || words.count == 2 && words[0] == "client" else {
            throw WebFault(.badRequest, "there is no “\(one.name)”")
        }
        var event = JSONValue.object(of: [(name, one.value)])
        if case .object(let amounts) = one.value {
            event = amounts.isEmpty ? .string(name) : Self.event(name, amounts.map { ($0.name, $0.value) })
        }
        if words.count == 2 { event = .object(of: [("client", event)]) }
        _ = try await ask([("do", event)])
    }

    /// A stimulus with an amount in its unit or as a bare number: `{"sip": {"ml": 40}}`, `{"history": 20}`.
    private static func event(_ name: String, _ amounts: [(name: String, value: JSONValue)]) -> JSONValue {
        let bare = amounts.first { $0.name.isEmpty }?.value
        return .object(of: [(name, bare ?? .object(of: amounts))])
    }

    private func ask(_ members: [(name: String, value: JSONValue)]) async throws -> JSONValue {
        let id = count.withLock { count in
            count += 1
            return count
        }
        let line = JSONValue.object(of: [("id", .integer(id))] + members).line
        let reply = try await withCheckedThrowingContinuation { (result: CheckedContinuation<JSONValue, any Error>) in
            let isStarted = SystemThread.start { [self] in
                result.resume(with: Result { try turn.withLock { _ in try Self.ask(line, id: id, control) } })
            }
            if !isStarted { result.resume(throwing: WebFault(.internalServerError, "the system gives no thread")) }
        }
        if case .boolean(true)? = reply["ok"] { return reply }
        throw WebFault(.unprocessableContent, reply["error"]?.string ?? "the twin refuses it")
    }

    private static func ask(_ line: String, id: Int, _ control: String) throws -> JSONValue {
        let client = try ControlClient(path: control)
        defer { client.close() }
        let reply = try client.ask(line, within: patience) { reply in
            guard let value = try? JSONValue(reading: reply), value["ok"] != nil else { return false }
            return value["id"]?.number.map { Int($0) } == id || value["id"]?.number == nil
        }
        return try JSONValue(reading: reply)
    }
}

/// Runs a twin and writes its traffic to a file. After the start, used by its thread only.
private final class TwinWork: @unchecked Sendable {
    private var job: WorldJob
    private let writer: CaptureWriter

    init(job: WorldJob, writer: CaptureWriter) {
        (self.job, self.writer) = (job, writer)
    }

    static func writer(_ source: LiveSource) throws -> CaptureWriter {
        var target = CaptureTarget(source.format, holding: .h4)
        target.hasNanoseconds = true
        let writer = try CaptureWriter(path: source.path, target: target)
        try writer.flush()
        return writer
    }

    func run(until isOver: () -> Bool) throws {
        _ = try job.run(isInterrupted: isOver) { output in
            guard case .packet(let packet, let isSent, let owner, let time) = output else { return }
            let adapter: UInt16 = owner == .device ? 0 : 1
            try writer.write(h4: packet, direction: isSent ? .sent : .received, adapter: adapter, time: time)
            try writer.flush()
        }
    }
}
