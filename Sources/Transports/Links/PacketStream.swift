import Bytes

/// Sends and receives packets over an open descriptor.
final class PacketStream {
    /// Framing of packets in the byte stream.
    enum Framing {
        case h4(H4Framer)
        case lines(LineFramer)
        /// Each read and write is a packet.
        case datagrams
        /// A stream of bytes without packets: what a read returns is delivered as one.
        case bytes
    }

    private let descriptor: Descriptor
    private var framing: Framing
    /// Bytes not yet written.
    private var output: [UInt8] = []
    /// Lengths of the packets not yet written, if each must be written as a whole.
    private var datagrams: [Int] = []

    /// Maximum number of bytes queued for writing; exceeds what a host ever has in flight.
    private static let outputLimit = 4 * 1024 * 1024
    /// Maximum number of consecutive reads, so that a busy sender does not starve others; one if a second read could
    /// block.
    private var readsAtOnce: Int { descriptor.canWait ? 1 : 8 }

    init(_ descriptor: Descriptor, _ framing: Framing = .h4(H4Framer())) {
        self.descriptor = descriptor
        self.framing = framing
    }

    private var isDatagram: Bool { if case .datagrams = framing { true } else { false } }

    var interest: Interest { Interest(descriptor.number, writing: !output.isEmpty) }

    /// Reason for the end of a stream.
    struct Ended: Error {
        var text: String
    }

    /// Receives and sends what is possible without blocking.
    func advance(_ ready: [Readiness]) throws(Ended) -> [TransportEvent] {
        guard let state = ready.first(where: { $0.descriptor == descriptor.number }) else { return [] }
        if state.writing { try flush() }
        return state.reading ? try receive() : []
    }

    private func receive() throws(Ended) -> [TransportEvent] {
        var events: [TransportEvent] = []
        for _ in 0..<readsAtOnce {
            switch descriptor.read() {
            case .done(let bytes): events += elements(bytes)
            case .wouldWait: return events
            // Deliver earlier input first; the next read returns the same outcome.
            case .end:
                events += lastLine()
                if events.isEmpty { throw Ended(text: ending("the other end has closed")) }
                return events
            case .failed(let failure) where events.isEmpty: throw Ended(text: ending(failure.text))
            case .failed: return events
            }
        }
        return events
    }

    /// The last line, completed by the end of input.
    private func lastLine() -> [TransportEvent] {
        guard case .lines(var framer) = framing, let line = framer.finish() else { return [] }
        framing = .lines(framer)
        return [.packet(line, comment: nil)]
    }

    private func ending(_ text: String) -> String {
        switch framing {
        case .h4(let framer) where framer.pending > 0: "\(text), in the middle of a packet"
        case .lines(let framer) where framer.pending > 0: "\(text), in the middle of a line"
        default: text
        }
    }

    private func elements(_ bytes: [UInt8]) -> [TransportEvent] {
        switch framing {
        case .datagrams, .bytes: return [.packet(bytes, comment: nil)]
        case .lines(var framer):
            let lines = framer.take(bytes)
            framing = .lines(framer)
            return lines.map { $0.map { .packet($0, comment: nil) } ?? .note(LineFramer.tooLong) }
        case .h4(var framer):
            let elements = framer.take(bytes)
            framing = .h4(framer)
            return elements.map { element in
                switch element {
                case .packet(let packet): .packet(packet, comment: nil)
                case .garbage(let garbage):
                    .note(
                        "expected a packet indicator, 1 to 5, and got \(garbage.first): \(garbage.count) bytes skipped")
                }
            }
        }
    }

    /// Sends a packet and queues the bytes that cannot be written immediately.
    func send(_ packet: [UInt8]) throws(Ended) {
        guard output.count + packet.count <= Self.outputLimit else {
            throw Ended(text: "the other end does not read: \(output.count) bytes wait for it")
        }
        output += packet
        if isDatagram { datagrams.append(packet.count) }
        try flush()
    }

    func flush() throws(Ended) {
        var done = 0
        defer { output.removeFirst(done) }
        while done < output.count {
            let count = isDatagram ? datagrams.first ?? 0 : output.count - done
            switch descriptor.write(output[done..<(done + count)]) {
            case .done(let written):
                done += written
                if isDatagram { datagrams.removeFirst() }
            case .wouldWait, .end: return
            case .failed(let failure): throw Ended(text: failure.text)
            }
        }
    }
}
