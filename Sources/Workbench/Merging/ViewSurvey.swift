import Bluetooth
import Bytes
import Captures
import Conversation
import PluginKit

/// The first pass over a capture that is merged: the PDUs of its connections, and the adapters that its packets are of.
struct ViewSurvey: Sendable {
    private(set) var view = ViewMatching.View(
        sightings: [], side: .host, times: Timestamp.latest...Timestamp.latest)
    /// Adapters, or interfaces of a sniffer, in order of their first packet.
    private(set) var adapters: [UInt16] = []
    /// The encapsulation of the first packet; nil without packets.
    private(set) var encapsulation: Encapsulation?
    /// Whether there are packets of a host and packets from the air.
    private(set) var isMixed = false
    /// Whether there were more PDUs than are compared.
    private(set) var isCut = false

    private var links: [Key: LinkState] = [:]
    /// Packets that controllers have not completed yet, by handle, with the adapter in the high bits.
    private var queues: [UInt32: Queue] = [:]
    private var advertising = AdvertisingChanges()

    /// PDUs that are compared.
    static let sightingLimit = 1 << 20
    /// Interfaces that a capture may have.
    static let adapterLimit = 32
    /// Packets that a controller may hold, and connections that are followed at one time.
    private static let (queueLimit, linkLimit) = (1024, 1024)
    /// Bytes of an L2CAP PDU, with its header, from which on it is compared for the clocks: shorter ones are all alike.
    private static let distinctLength = 7

    private struct Key: Hashable {
        let connection: Int32
        let direction: Direction
    }

    /// What a direction of a connection is in the middle of.
    private struct LinkState {
        /// Time of the first fragment of a PDU in progress.
        var begin: Timestamp?
        /// On the air: the last PDU and its sequence number, until it is acknowledged.
        var sequenceNumber: UInt8?
        var sighting: Int?
    }

    /// The packets of a connection that a host gave to its controller, by the sightings that end with them; nil for
    /// parts of PDUs.
    private struct Queue {
        let connection: Int32
        var sightings: [Int?] = []
    }

    /// Adds a tracked batch with the connections and devices that its frames refer to.
    mutating func add(_ batch: borrowing TrackedBatch) {
        for index in batch.metadata.indices { add(batch.metadata[index], batch) }
    }

    private mutating func add(_ metadata: FrameMetadata, _ batch: borrowing TrackedBatch) {
        let packet = metadata.packet
        if let encapsulation {
            if encapsulation.isLinkLayer != packet.encapsulation.isLinkLayer { isMixed = true }
            view.times = min(view.times.lowerBound, packet.time)...max(view.times.upperBound, packet.time)
        } else {
            encapsulation = packet.encapsulation
            view.side = packet.encapsulation.isLinkLayer ? .air : .host
            view.times = packet.time...packet.time
        }
        let adapter = metadata.hci?.adapter ?? packet.adapter
        if adapters.last != adapter, adapters.count < Self.adapterLimit, !adapters.contains(adapter),
            !packet.encapsulation.isMonitor || adapter != MonitorRecord.noAdapter
        {
            adapters.append(adapter)
        }
        addConnection(metadata, batch)
        switch metadata.kind {
        case .acl: addData(metadata, batch)
        case .event:
            complete(metadata, batch)
            addAdvertising(metadata, batch)
        case .advertising: addAdvertising(metadata, batch)
        case .data, .control, .empty: addAir(metadata, batch)
        default: break
        }
    }

    // MARK: - PDUs

    private mutating func addData(_ metadata: FrameMetadata, _ batch: borrowing TrackedBatch) {
        guard metadata.connection >= 0, metadata.notes.isDisjoint(with: [.duplicate, .vendorData]) else { return }
        let sighting = addPDU(metadata, batch)
        guard metadata.direction == .sent, let hci = metadata.hci, hci.count >= HCI.ACLHeader.size else { return }
        let header = HCI.ACLHeader(packed: batch.packets.bytes.span.rawBytes.littleEndian(at: hci.start))
        let key = UInt32(hci.adapter) << 16 | UInt32(header.handle.rawValue)
        var queue = queues.removeValue(forKey: key) ?? Queue(connection: metadata.connection)
        if queue.connection != metadata.connection { queue = Queue(connection: metadata.connection) }
        if queue.sightings.count < Self.queueLimit { queue.sightings.append(sighting) }
        if queues.count < Self.linkLimit { queues[key] = queue }
    }

    /// Adds the PDU that ends with a frame; returns the index of its sighting.
    private mutating func addPDU(_ metadata: FrameMetadata, _ batch: borrowing TrackedBatch) -> Int? {
        let key = Key(connection: metadata.connection, direction: metadata.direction)
        if links.count >= Self.linkLimit, links[key] == nil { links.removeAll() }
        guard metadata.pdu.isPresent, !metadata.packet.isCut else {
            if metadata.notes.contains(.fragment), links[key]?.begin == nil || metadata.notes.contains(.unfinished) {
                links[key, default: LinkState()].begin = metadata.packet.time
            }
            return nil
        }
        let begin = links[key]?.begin ?? metadata.packet.time
        links[key]?.begin = nil
        let bytes = batch.bytes(of: metadata.pdu)
        return append(
            Sighting(
                fingerprint: bytes.span.rawBytes.hash, isDistinct: bytes.count >= Self.distinctLength, time: begin,
                frame: metadata.packet.number, connection: metadata.connection, direction: metadata.direction))
    }

    private mutating func append(_ sighting: Sighting) -> Int? {
        guard view.sightings.count < Self.sightingLimit else {
            isCut = true
            return nil
        }
        view.sightings.append(sighting)
        return view.sightings.count - 1
    }

    // MARK: - Connections

    /// Adds the start of a connection, by its peripheral, its central and its parameters: a host shows one of both.
    private mutating func addConnection(_ metadata: FrameMetadata, _ batch: borrowing TrackedBatch) {
        guard metadata.connection >= 0, metadata.kind == .event || metadata.kind.isAdvertising,
            let changes = batch.reassembly.linkChanges[metadata.packet.number],
            case .timing(let timing)? = changes.first,
            metadata.kind.isAdvertising || metadata.packet.time == batch.connections[metadata.connection]?.start
        else { return }
        let remote = batch.connections[metadata.connection]?.receiver ?? -1
        for peer in metadata.hci == nil ? [metadata.sender, metadata.receiver] : [remote] {
            guard let address = batch.devices[peer]?.address?.address else { continue }
            let parts = [address.value, UInt64(timing.interval), UInt64(timing.latency), UInt64(timing.timeout)]
            let bytes = parts.flatMap { part in (0..<8).map { UInt8(truncatingIfNeeded: part >> (8 * UInt64($0))) } }
            _ = append(
                Sighting(
                    kind: .connection, fingerprint: bytes.span.rawBytes.hash, time: metadata.packet.time,
                    frame: metadata.packet.number, connection: metadata.connection,
                    direction: metadata.hci == nil ? .sent : .received))
        }
    }

    private mutating func addAdvertising(_ metadata: FrameMetadata, _ batch: borrowing TrackedBatch) {
        for sighting in advertising.sightings(in: metadata, batch) { _ = append(sighting) }
    }

    // MARK: - Completed packets

    /// Assigns the packets that a controller reports as completed to those that the host sent first.
    private mutating func complete(_ metadata: FrameMetadata, _ batch: borrowing TrackedBatch) {
        guard !queues.isEmpty, let hci = metadata.hci, !metadata.packet.isCut, hci.count > 2,
            batch.packets.bytes[hci.start] == HCI.EventCode.numberOfCompletedPackets.rawValue,
            let event = try? HCI.NumberOfCompletedPackets(decoding: Array(batch.packets.bytes[hci.range].dropFirst(2)))
        else { return }
        for entry in event.entries {
            let key = UInt32(hci.adapter) << 16 | UInt32(entry.handle.rawValue)
            guard var queue = queues.removeValue(forKey: key) else { continue }
            let done = queue.sightings.prefix(Int(entry.count))
            for case let sighting? in done {
                let span: TimeSpan = metadata.packet.time - view.sightings[sighting].time
                // Negative where the recorder's clock was set back.
                if span >= .zero { view.sightings[sighting].completion = span }
            }
            queue.sightings.removeFirst(done.count)
            if !queue.sightings.isEmpty { queues[key] = queue }
        }
    }

    // MARK: - The air

    /// Adds a packet of a connection on the air: its PDU, what it acknowledges, and what stays closed.
    private mutating func addAir(_ metadata: FrameMetadata, _ batch: borrowing TrackedBatch) {
        guard metadata.connection >= 0 else { return }
        let isClosed = !metadata.notes.isDisjoint(with: [.encrypted, .undecidedEncryption])
        if isClosed, view.closed[metadata.connection] == nil { view.closed[metadata.connection] = metadata.packet.time }
        if metadata.notes.contains(.decrypted) { view.closed[metadata.connection] = nil }
        guard metadata.direction != .unknown, let packet = batch.linkLayer(of: metadata) else {
            _ = addPDU(metadata, batch)
            return
        }
        let header = LL.DataHeader(bits: packet.header.header)
        acknowledge(metadata, header)
        let key = Key(connection: metadata.connection, direction: metadata.direction)
        if metadata.notes.contains(.retransmission) {
            guard links[key]?.sequenceNumber == header.sequenceNumber, let last = links[key]?.sighting else { return }
            let count = view.sightings[last].transmissions
            view.sightings[last].transmissions = count < .max ? count + 1 : count
            return
        }
        // Its sender goes on only when the PDU before was acknowledged.
        if let last = links[key]?.sighting, links[key]?.sequenceNumber != header.sequenceNumber {
            view.sightings[last].isAcknowledged = true
        }
        let sighting = addPDU(metadata, batch)
        links[key, default: LinkState()].sequenceNumber = header.sequenceNumber
        links[key]?.sighting = sighting
    }

    /// Notes that a packet acknowledges the last PDU of the other side (Vol 6, Part B, 4.5.9).
    private mutating func acknowledge(_ metadata: FrameMetadata, _ header: LL.DataHeader) {
        let key = Key(connection: metadata.connection, direction: metadata.direction.opposite)
        guard let last = links[key], let sighting = last.sighting, let number = last.sequenceNumber,
            header.nextExpectedSequenceNumber != number
        else { return }
        view.sightings[sighting].isAcknowledged = true
        links[key]?.sighting = nil
    }
}
