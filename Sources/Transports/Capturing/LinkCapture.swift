package import Captures

/// Captures passively on an H4 link; never sends.
package final class LinkCapture: LiveCapture {
    package var name: String { link.name }
    package let encapsulation: Encapsulation? = .h4
    package let canWait = true
    package let lost = 0

    private let link: any Transport
    private var number = 0

    package init(_ link: any Transport) {
        self.link = link
    }

    package func run(_ sink: CaptureSink) throws {
        defer { link.close() }
        var loop = TransportLoop()
        loop.add(link)
        var hasEnded = false
        while !hasEnded {
            var batch = PacketBatch()
            for (_, event) in loop.wait(until: nil) {
                switch event {
                case .packet(let packet, let comment):
                    number += 1
                    // The link does not indicate the direction of data packets.
                    batch.append(h4: packet, direction: .unknown, number: number, time: loop.now, comment: comment)
                case .connected: sink.report("\(name): connected")
                case .note(let text), .disconnected(let text): sink.report("\(name): \(text)")
                case .closed(let text):
                    sink.report("\(name): \(text)")
                    hasEnded = true
                }
            }
            guard try sink.take(batch) else { return }
        }
    }
}
