package import Captures

/// Stands between a host and a controller: hands on what each sends, byte for byte, and captures it.
package final class ProxyCapture: LiveCapture {
    package let name = "proxy"
    package let encapsulation: Encapsulation? = .h4
    package let canWait = false
    package let lost = 0
    /// Where the host attaches; a server's name tells the port that it has.
    package var hostName: String { host.name }

    private var loop = TransportLoop()
    private let host: any Transport
    private let controller: any Transport
    private var number = 0
    /// What was done to packets on the way, for the comment of the one at hand.
    private var notes: [String] = []

    /// `host` is where the host attaches, `controller` where the controller is; harm is done by a decorator around
    /// `controller`.
    package init(host: any Transport, controller: any Transport) {
        self.host = host
        self.controller = controller
        loop.add(host)
        loop.add(controller)
    }

    package func run(_ sink: CaptureSink) throws {
        defer { loop.close() }
        while true {
            var batch = PacketBatch()
            var hasEnded = false
            for (link, event) in loop.wait(until: nil) {
                hasEnded = pass(event, from: link == 0 ? .sent : .received, &batch, sink.report) || hasEnded
            }
            guard try sink.take(batch), !hasEnded else { return }
        }
    }

    /// Hands on what came in; returns whether an end is gone for good.
    private func pass(
        _ event: TransportEvent, from direction: Direction, _ batch: inout PacketBatch, _ tell: (String) -> Void
    ) -> Bool {
        let (from, to) = direction == .sent ? (host, controller) : (controller, host)
        switch event {
        case .packet(let packet, let comment):
            let now = loop.now
            var hasEnded = false
            for event in to.send(packet, at: now) {
                hasEnded = pass(event, from: direction.opposite, &batch, tell) || hasEnded
            }
            let note = (notes + [comment].compactMap { $0 }).joined(separator: "; ")
            notes = []
            number += 1
            batch.append(
                h4: packet, direction: direction, number: number, time: now, comment: note.isEmpty ? nil : note)
            return hasEnded
        case .connected: tell("\(from.name): connected")
        case .note(let text):
            tell("\(from.name): \(text)")
            notes.append(text)
        case .disconnected(let text): tell("\(from.name): \(text)")
        case .closed(let text):
            tell("\(from.name): \(text)")
            return true
        }
        return false
    }
}
