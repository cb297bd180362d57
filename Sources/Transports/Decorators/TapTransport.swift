package import Bytes
package import Captures

/// Records the packets of a link in a capture, with directions from the host's point of view.
package final class TapTransport: Transport {
    private let inner: any Transport
    private let writer: CaptureWriter
    private let adapter: UInt16
    /// Direction of packets sent by this side; reversed if this side is the controller.
    private let outgoing: Direction
    /// Events since the last packet, for the comment of the next one.
    private var notes: [String] = []
    private var hasFailed = false

    /// - Parameter isController: whether the peer of the link is a host, as with a virtual controller.
    package init(
        _ inner: any Transport, _ writer: CaptureWriter, adapter: UInt16 = 0, isController: Bool = false
    ) {
        outgoing = isController ? .received : .sent
        self.inner = inner
        self.writer = writer
        self.adapter = adapter
    }

    package var name: String { inner.name }
    package var interests: [Interest] { inner.interests }
    package var nextEvent: Timestamp? { inner.nextEvent }

    package func advance(_ ready: [Readiness], to now: Timestamp) -> [TransportEvent] {
        let events = inner.advance(ready, to: now)
        return events + events.flatMap { note($0, now) } + flush()
    }

    package func send(_ packet: [UInt8], at now: Timestamp) -> [TransportEvent] {
        let events = inner.send(packet, at: now)
        for case .note(let text) in events { notes.append(text) }
        return events + record(packet, outgoing, now, nil) + flush()
    }

    package func close() {
        inner.close()
        _ = flush()
    }

    private func note(_ event: TransportEvent, _ now: Timestamp) -> [TransportEvent] {
        switch event {
        case .packet(let packet, let comment): return record(packet, outgoing.opposite, now, comment)
        case .note(let text), .disconnected(let text), .closed(let text):
            notes.append(text)
            return []
        case .connected: return []
        }
    }

    private func record(
        _ packet: [UInt8], _ direction: Direction, _ now: Timestamp, _ comment: String?
    ) -> [TransportEvent] {
        let text = (notes + [comment].compactMap { $0 }).joined(separator: "; ")
        notes = []
        return attempt { () throws(CaptureError) in
            try writer.write(
                h4: packet, direction: direction, adapter: adapter, time: now, comment: text.isEmpty ? nil : text)
        }
    }

    /// Flushes the file, so that no packet is lost if the program ends.
    private func flush() -> [TransportEvent] {
        attempt { () throws(CaptureError) in try writer.flush() }
    }

    /// The link continues if recording fails; the failure is reported once.
    private func attempt(_ body: () throws(CaptureError) -> Void) -> [TransportEvent] {
        if hasFailed { return [] }
        do throws(CaptureError) {
            try body()
            return []
        } catch {
            hasFailed = true
            return [.note("recording has ended: \(error)")]
        }
    }
}
