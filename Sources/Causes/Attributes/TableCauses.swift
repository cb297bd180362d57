import Bluetooth
import Conformance
import PluginKit

extension Session {
    /// The server that a failure concerns, if its client used a handle of another table.
    fileprivate func server(of refusal: Refusal) -> ServerUse? { attributes.servers[refusal.server] }

    /// The attribute that an earlier connection of the two devices had at a handle, and the number of that connection.
    func earlierAttribute(of refusal: Refusal) -> (name: String, connection: Int)? {
        guard let server = capture.earlier(than: self)?.server.servers[refusal.server] else { return nil }
        return server.attribute(at: refusal.handle)
    }

    /// Whether a request used a handle that Service Changed has invalidated.
    func isAfterChange(_ refusal: Refusal) -> Bool { server(of: refusal)?.tableUse.isIgnored(refusal) == true }

    /// Why the error of a refused request does not name its cause: the client used a wrong handle. Nil if it does.
    func reasonAgainstError(_ failure: Failure, _ refusal: Refusal) -> String? {
        if misdirected(failure) != nil { return "the client wrote a configuration to a wrong handle" }
        return isAfterChange(refusal) ? "Service Changed had changed the handle" : nil
    }
}

extension ServerHistory.Server {
    /// The attribute at a handle in words, and the connection that showed it; nil if none is known.
    fileprivate func attribute(at handle: Handle) -> (name: String, connection: Int)? {
        guard let attribute = table.attribute(at: handle), attribute.kind != .unknown else { return nil }
        var names = AttributeNames()
        let name = attribute.nameableType.map { names.attribute($0) } ?? "an attribute"
        return (name, connection)
    }
}

/// The client uses handles of a table that the server no longer has.
enum StaleHandles: Cause {
    static let info = CauseInfo(
        "stale_handles", "The client uses handles of an earlier table, which are others on this server now.",
        explains: Failure.Kind.ofRequests,
        evidence: """
            Certain: the server refuses the request with Database Out Of Sync (0x12); or the client, without discovery \
            on this complete connection, uses a handle that an earlier connection discovered, and the server refuses \
            it with Invalid Handle (0x01), or later discovery shows another attribute there. Likely: the same with \
            gaps; Invalid Handle for a client that discovered nothing on a complete connection, so that it must have a \
            table from before the capture. Possible: the same where the beginning of the connection was not captured.
            """,
        against: """
            Discovery on this connection came before the request; Service Changed had come before; the client \
            discovered the table again after Database Out Of Sync.
            """,
        advice: """
            Discover again after each change of the firmware: compare the Database Hash, and enable the indications of \
            Service Changed. On a phone, forget the device or switch Bluetooth off and on to clear its cache.
            """,
        source: "Vol 3, Part G, 2.5.2 and 7.1")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        if let refusal = session.refusal(failure) { return assess(refusal, in: session) }
        guard case .attribute(let handle) = failure.detail, failure.kind == .procedureFailed else { return nil }
        for (direction, server) in session.attributes.servers {
            guard let use = server.tableUse.stale, use.sent == failure.frames.last else { continue }
            let before = session.capture.earlier(than: session)?.server.servers[direction]?.attribute(at: handle)
            let old = before.map { "\($0.name) on connection \($0.connection)" } ?? "another attribute before"
            return .found(
                session.connection.isGapless ? .certain : .likely, frames: failure.frames,
                text: "\(use.text) came before discovery, by an old table: the handle was \(old)")
        }
        return nil
    }

    private static func assess(_ refusal: Refusal, in session: Session) -> Assessment? {
        if refusal.error == .databaseOutOfSync {
            return .found(refusal.confidence(in: session), frames: refusal.frames, text: refusal.text)
        }
        let use = session.server(of: refusal)?.tableUse.stale
        let isOther = use.map { $0.handle == refusal.handle && $0.sent <= refusal.refused } ?? false
        guard refusal.error == .invalidHandle || isOther else { return nil }
        if session.isAfterChange(refusal) { return .excluded("Service Changed had come before the request") }
        let connection = session.connection
        if let before = session.earlierAttribute(of: refusal) {
            let isCertain = connection.isComplete && !refusal.followsDiscovery
            let now = isOther ? ", and discovery shows another one now" : ""
            return .found(
                isCertain ? refusal.confidence(in: session) : .likely, frames: refusal.frames,
                text: "\(refusal.text); connection \(before.connection) had \(before.name) at the handle\(now)")
        }
        if refusal.followsDiscovery {
            guard refusal.isDiscovered else { return .excluded("discovery on this connection came before the request") }
            return .found(
                .likely, frames: refusal.frames,
                text: "\(refusal.text), although discovery on this connection had shown the attribute")
        }
        return .found(
            connection.isComplete ? .likely : .possible, frames: refusal.frames,
            text:
                "\(refusal.text); the client discovered nothing on this connection, so the handle is from an old table")
    }
}

/// The client goes on with handles that the server has declared invalid.
enum ServiceChangedIgnored: Cause {
    static let info = CauseInfo(
        "service_changed_ignored", "The client confirmed Service Changed, and went on with the old handles.",
        explains: Failure.Kind.ofRequests,
        evidence: """
            Certain: after it had confirmed Service Changed, the client used a handle of the range without discovery, \
            and the server refused it with Invalid Handle (0x01) or Database Out Of Sync (0x12); nothing is missing. \
            Likely: the server refused it with another error, or accepted it, or the connection has gaps. Possible: \
            accepted, with gaps.
            """,
        against: "The client discovered the range again; the request was sent before the client's confirmation.",
        advice: """
            When Service Changed comes, drop the cached attributes of its range and discover them again before any \
            other request; write the configurations again.
            """,
        source: "Vol 3, Part G, 2.5.2 and 7.1")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        if let refusal = session.refusal(failure) {
            guard session.isAfterChange(refusal), let ignored = session.server(of: refusal)?.tableUse.ignored else {
                return nil
            }
            let isNamed = refusal.error == .invalidHandle || refusal.error == .databaseOutOfSync
            return .found(
                isNamed ? refusal.confidence(in: session) : .likely, frames: [ignored.change] + refusal.frames,
                text: "\(refusal.text); Service Changed in frame \(ignored.change.frame) had changed the handles "
                    + "\(Handle(ignored.range.start)) to \(Handle(ignored.range.end))")
        }
        guard case .attribute = failure.detail, failure.kind == .procedureFailed else { return nil }
        for server in session.attributes.servers.values {
            guard let ignored = server.tableUse.ignored, ignored.use.sent == failure.frames.last else { continue }
            return .found(
                session.connection.isGapless ? .likely : .possible, frames: failure.frames,
                text: "\(ignored.use.text) uses a handle that Service Changed in frame \(ignored.change.frame) had "
                    + "changed, and the client discovered nothing after it")
        }
        return nil
    }
}
