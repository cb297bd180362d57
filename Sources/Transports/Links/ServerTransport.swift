import Bytes

/// A server link that accepts one connection at a time; after a disconnection, it accepts the next.
final class ServerTransport: Transport {
    let name: String
    private var listener: Descriptor?
    private var stream: PacketStream?
    private let isTCP: Bool
    private let framing: PacketStream.Framing
    private let onClose: () -> Void

    init(
        _ name: String, _ listener: Descriptor, isTCP: Bool, _ framing: PacketStream.Framing = .h4(H4Framer()),
        onClose: @escaping () -> Void = {}
    ) {
        self.name = name
        self.listener = listener
        self.isTCP = isTCP
        self.framing = framing
        self.onClose = onClose
    }

    deinit {
        close()
    }

    /// During a connection, other clients wait in the backlog.
    var interests: [Interest] {
        if let stream { return [stream.interest] }
        return listener.map { [Interest($0.number)] } ?? []
    }

    var nextEvent: Timestamp? { nil }

    func advance(_ ready: [Readiness], to now: Timestamp) -> [TransportEvent] {
        if let stream {
            do throws(PacketStream.Ended) {
                return try stream.advance(ready)
            } catch {
                return end(error)
            }
        }
        guard let listener, ready.contains(where: { $0.descriptor == listener.number }), let peer = listener.accept()
        else { return [] }
        if isTCP { peer.disableDelay() }
        stream = PacketStream(peer, framing)
        return [.connected]
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
        stream = nil
        return [.disconnected(reason.text)]
    }

    func close() {
        guard listener != nil else { return }
        listener = nil
        stream = nil
        onClose()
    }
}
