import Bytes
import Hummingbird
import NIOCore

/// Server-sent events: changes since the last event.
struct EventRoutes {
    let session: WebSession

    /// Polling interval for changes.
    private static let interval = Duration.milliseconds(200)
    /// Polls between two comments, which detect disconnected clients.
    private static let patience = 75

    func add(to router: RouterGroup<BasicRequestContext>) {
        router.get("events") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "text/event-stream"],
                body: ResponseBody { writer in
                    try await send(to: &writer)
                    try await writer.finish(nil)
                })
        }
    }

    private func send(to writer: inout any ResponseBodyWriter) async throws {
        var sent: [String: String] = [:]
        var silence = 0
        try await writer.write(ByteBuffer(string: "retry: 1000\n\n"))
        while !Task.isCancelled {
            if session.isOver { return try await writer.write(ByteBuffer(string: "event: end\ndata: {}\n\n")) }
            let events = session.events
            var text = ""
            for event in events where sent[event.key] != event.data {
                text += "event: \(event.name)\ndata: \(event.data)\n\n"
                sent[event.key] = event.data
            }
            let keys = Set(events.map(\.key))
            for key in sent.keys where !keys.contains(key) {
                sent[key] = nil
                if key.hasPrefix("file ") { text += "event: closed\ndata: {\"file\":\"\(key.dropFirst(5))\"}\n\n" }
            }
            silence = text.isEmpty ? silence + 1 : 0
            if silence == Self.patience {
                text = ": nothing new\n\n"
                silence = 0
            }
            if !text.isEmpty { try await writer.write(ByteBuffer(string: text)) }
            try await Task.sleep(for: Self.interval)
        }
    }
}

/// An observable item and its current state.
struct WebEvent {
    let key: String
    let name: String
    let data: String

    init(_ key: String, _ name: String, _ value: JSONValue) {
        self.key = key
        self.name = name
        // The data of an event must be one line.
        data = value.line
    }
}

extension WebSession {
    /// Current state of all observable items.
    var events: [WebEvent] {
        files.flatMap { file in
            [WebEvent("file \(file.id)", "file", file.json)]
                + file.filters.map { filter in
                    var members = filter.json()
                    if case .object(let list) = members {
                        members = .object(of: [("file", .string(file.id))] + list.map { ($0.name, $0.value) })
                    }
                    return WebEvent("filter \(file.id) \(filter.id)", "filter", members)
                }
                + file.work.map { work in
                    WebEvent(
                        "work \(file.id) \(work.name)", "progress",
                        .members([
                            "file": .string(file.id), "what": .string(work.name),
                            "state": .string(work.state.rawValue), "scanned": .integer(work.scanned),
                        ]))
                }
        }
    }
}
