import Bytes
import Emulation
import PluginKit
import Transports

/// The link to the program that controls an emulated device: it receives request lines, and sends replies and events.
struct ControlChannel {
    /// Index among the loop's transports.
    let link: Int
    /// Whether the link is a socket; otherwise replies are printed where events are.
    private let isSocket: Bool
    /// The event that reports that the device can be found; a program that connects later receives it first.
    private var readyLine: String?

    init(_ control: ControlLink, _ link: Int) {
        self.link = link
        isSocket = control != .standardStreams
    }

    /// Handles an event of the link; returns the actions to perform now.
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
        // A socket accepts the next program.
        case .disconnected: break
        }
        return []
    }

    /// Sends a reply.
    func send(_ line: String, through loop: TransportLoop, _ notify: (EmulateOutput) throws -> Void) throws {
        if isSocket { write(line, loop) } else { try notify(.reply(line)) }
    }

    /// Sends an event to a socket; standard output prints every event anyway.
    func notify(_ entry: EmulationLogEntry, through loop: TransportLoop) {
        if isSocket { write(entry.json, loop) }
    }

    /// Reports that the device can be found.
    mutating func ready(_ line: String, through loop: TransportLoop) {
        guard isSocket else { return }
        readyLine = line
        write(line, loop)
    }

    private func write(_ line: String, _ loop: TransportLoop) {
        // A program that has stopped reading is reported as disconnected by the next wait.
        _ = loop.transports[link].send(Array(line.utf8) + [UInt8(ascii: "\n")], at: loop.now)
    }
}
