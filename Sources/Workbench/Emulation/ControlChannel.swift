import Bytes
import Emulation
import PluginKit
import Transports

/// The link to the program that controls an emulated device: its lines come in, replies and events go out.
struct ControlChannel {
    /// Its number among the links.
    let link: Int
    /// Whether it is a socket; else replies go where events are printed.
    private let isSocket: Bool
    /// Tells that the device can be found; a program that comes later gets it first.
    private var readyLine: String?

    init(_ control: ControlLink, _ link: Int) {
        self.link = link
        isSocket = control != .standardStreams
    }

    /// Takes what has happened on the link; returns what is to be done now.
    func take(
        _ event: TransportEvent, for session: inout EmulationSession, _ device: EmulatedDevice?, hasClient: Bool,
        at now: Timestamp
    ) -> [Scenario.Action] {
        switch event {
        case .packet(let line, _):
            return session.control?.take(line, device, hasClient: hasClient, at: now) ?? []
        case .note(let text): session.control?.refuse(text)
        case .closed: session.control?.isClosed = true
        case .connected: session.control?.greet(readyLine)
        // Of a socket, the next program may come.
        case .disconnected: break
        }
        return []
    }

    /// Sends a reply.
    func send(_ line: String, through loop: TransportLoop, _ tell: (EmulateOutput) throws -> Void) throws {
        if isSocket { write(line, loop) } else { try tell(.reply(line)) }
    }

    /// Sends an event. Standard output gets it anyway.
    func tell(_ entry: EmulationLogEntry, through loop: TransportLoop) {
        if isSocket { write(entry.json, loop) }
    }

    /// The device can be found.
    mutating func ready(_ line: String, through loop: TransportLoop) {
        guard isSocket else { return }
        readyLine = line
        write(line, loop)
    }

    private func write(_ line: String, _ loop: TransportLoop) {
        // A program that does not read any more is gone at the next look.
        _ = loop.transports[link].send(Array(line.utf8) + [UInt8(ascii: "\n")], at: loop.now)
    }
}
