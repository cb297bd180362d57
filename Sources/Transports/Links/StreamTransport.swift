import Bytes

/// A link over an open descriptor: a connection to a server, a serial port, a terminal, an adapter.
final class StreamTransport: Transport {
    let name: String
    private var stream: PacketStream?
    private var isNew = true
    /// Cleanup on closing; also retains resources while the link is open.
    private let onClose: () -> Void

    init(_ name: String, _ stream: PacketStream, onClose: @escaping () -> Void = {}) {
        self.name = name
        self.stream = stream
        self.onClose = onClose
    }

    deinit {
        close()
    }

    var interests: [Interest] { stream.map { [$0.interest] } ?? [] }
    /// The link is connected from the start.
    var nextEvent: Timestamp? { isNew ? Timestamp(nanoseconds: .min) : nil }

    func advance(_ ready: [Readiness], to now: Timestamp) -> [TransportEvent] {
        guard let stream else { return [] }
        let first: [TransportEvent] = isNew ? [.connected] : []
        isNew = false
        do throws(PacketStream.Ended) {
            return first + (try stream.advance(ready))
        } catch {
            return first + end(error)
        }
    }

    func send(_ packet: [UInt8], at now: Timestamp) -> [TransportEvent] {
        do throws(PacketStream.Ended) {
            try stream?.send(packet)
            return []
        } catch {
            return end(error)
        }
    }

    private func end(_ reason: PacketStream.Ended) -> [TransportEvent] {
        close()
        return [.closed(reason.text)]
    }

    func close() {
        guard stream != nil else { return }
        stream = nil
        onClose()
    }
}
