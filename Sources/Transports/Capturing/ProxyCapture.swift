package import Captures

/// Captures between a host and a controller, forwarding the packets of each unchanged.
package final class ProxyCapture: LiveCapture {
    package let name = "proxy"
    package let encapsulation: Encapsulation? = .h4
    package let canWait = false
    package let lost = 0
    /// Name of the link where the host attaches; for a server, it includes the actual port.
    package var hostName: String { host.name }

    private var loop = TransportLoop()
    private let host: any Transport
    private let controller: any Transport
    private var number = 0
    /// Notes about changes to packets, for the comment of the next packet.
    private var notes: [String] = []

    /// `host` is the link to the host, `controller` the link to the controller. Faults are injected by a decorator
    /// around `controller`.
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

    /// Forwards an event; returns whether an end was closed permanently.
    private func pass(
        _ event: TransportEvent, from direction: Direction, _ batch: inout PacketBatch, _ notify: (String) -> Void
    ) -> Bool {
        let (from, to) = direction == .sent ? (host, controller) : (controller, host)
        switch event {
        case .packet(let packet, let comment):
            let now = loop.now
            var hasEnded = false
            for event in to.send(packet, at: now) {
                hasEnded = pass(event, from: direction.opposite, &batch, notify) || hasEnded
            }
            let note = (notes + [comment].compactMap { $0 }).joined(separator: "; ")
            notes = []
            number += 1
            batch.append(
                h4: packet, direction: direction, number: number, time: now, comment: note.isEmpty ? nil : note)
            return hasEnded
        case .connected: notify("\(from.name): connected")
        case .note(let text):
            notify("\(from.name): \(text)")
            notes.append(text)
        case .disconnected(let text): notify("\(from.name): \(text)")
        case .closed(let text):
            notify("\(from.name): \(text)")
            return true
        }
        return false
    }
}
