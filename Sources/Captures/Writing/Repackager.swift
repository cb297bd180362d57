import Bytes

/// A packet prepared for a target's writer.
struct OutgoingPacket {
    var number: Int
    var time: Timestamp
    var direction: Direction
    var adapter: UInt16
    /// Linux monitor opcode or PacketLogger record type, for targets that store one outside the bytes.
    var recordType: UInt16 = 0
    /// Offset in the batch of the first byte written after the header.
    var start: Int
    /// Number of bytes from `start` on.
    var count: Int
    /// Bytes of the packet that were not captured.
    var missing: Int
    var comments: [String] = []
    /// Packets that the capture tool dropped since the last written packet.
    var drops = 0
}

/// Converts packets from any encapsulation to the target's, and counts losses.
struct Repackager {
    private let encapsulation: Encapsulation
    /// Whether the target stores the direction.
    private let statesDirection: Bool
    /// Bytes written before the bytes of the batch: an H4 type, a direction or a pseudo-header.
    private(set) var header: [UInt8] = []

    /// Whether the target's packets begin with their adapter.
    var isMonitor: Bool { encapsulation == .monitorWithHeader }

    init(to target: CaptureTarget) {
        encapsulation = target.encapsulation
        statesDirection = target.linkType != .h4 || target.format == .btsnoop || target.format == .packetLogger
        header.reserveCapacity(16)
    }

    /// The packet for the target; nil if the target cannot hold it.
    mutating func repack(_ packet: CapturedPacket, _ bytes: RawSpan, _ losses: inout LossCounter) -> OutgoingPacket? {
        header.removeAll(keepingCapacity: true)
        switch encapsulation {
        case .linkLayer, .linkLayerWithHeader: return repackLinkLayer(packet, bytes, &losses)
        default: return repackHCI(packet, bytes, &losses)
        }
    }

    private func outgoing(_ packet: CapturedPacket, direction: Direction, start: Int, count: Int) -> OutgoingPacket {
        OutgoingPacket(
            number: packet.number, time: packet.time, direction: direction, adapter: packet.adapter, start: start,
            count: count, missing: packet.originalLength - packet.count)
    }
}

// MARK: - HCI

extension Repackager {
    private mutating func repackHCI(
        _ packet: CapturedPacket, _ bytes: RawSpan, _ losses: inout LossCounter
    ) -> OutgoingPacket? {
        guard let view = packet.hciView(in: bytes) else {
            losses.add(packet.encapsulation.isLinkLayer ? .linkLayerPacket : .packetTooShort, frame: packet.number)
            return nil
        }
        var direction = view.direction
        if direction == .unknown, view.type != nil, statesDirection {
            losses.add(.unknownDirection, frame: packet.number)
            direction = .sent
        }
        var result = outgoing(packet, direction: direction, start: view.start, count: view.count)
        result.adapter = view.adapter
        switch encapsulation {
        case .monitor, .monitorWithHeader:
            guard let opcode = monitorOpcode(packet, view, direction, &losses) else { return nil }
            result.recordType = opcode.rawValue
            if encapsulation == .monitorWithHeader {
                appendBigEndian(view.adapter)
                appendBigEndian(opcode.rawValue)
            }
        case .packetLogger:
            guard let type = packetLoggerType(packet, view, direction, &losses) else { return nil }
            result.recordType = UInt16(type.rawValue)
        default:
            guard let type = view.type else {
                losses.add(packet.recordLoss(view), frame: packet.number)
                return nil
            }
            if encapsulation == .h4WithDirection { appendBigEndian(UInt32(direction == .received ? 1 : 0)) }
            header.append(type.rawValue)
        }
        return result
    }

    private func monitorOpcode(
        _ packet: CapturedPacket, _ view: HCIView, _ direction: Direction, _ losses: inout LossCounter
    ) -> MonitorOpcode? {
        if packet.encapsulation.isMonitor { return MonitorOpcode(rawValue: view.recordType) }
        guard let type = view.type else {
            losses.add(packet.recordLoss(view), frame: packet.number)
            return nil
        }
        if let opcode = MonitorOpcode(type, direction) { return opcode }
        losses.add(.otherPacketType(type), frame: packet.number)
        return nil
    }

    private func packetLoggerType(
        _ packet: CapturedPacket, _ view: HCIView, _ direction: Direction, _ losses: inout LossCounter
    ) -> PacketLoggerRecordType? {
        if packet.encapsulation == .packetLogger {
            return PacketLoggerRecordType(rawValue: UInt8(truncatingIfNeeded: view.recordType))
        }
        guard let type = view.type else {
            losses.add(packet.recordLoss(view), frame: packet.number)
            return nil
        }
        guard !packet.isCut else {
            losses.add(.cutPacket, frame: packet.number)
            return nil
        }
        if let recordType = PacketLoggerRecordType(type, direction) { return recordType }
        losses.add(.otherPacketType(type), frame: packet.number)
        return nil
    }

    private mutating func appendBigEndian<T: FixedWidthInteger>(_ value: T) {
        for shift in stride(from: T.bitWidth - 8, through: 0, by: -8) {
            header.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}

// MARK: - Link layer

extension Repackager {
    private mutating func repackLinkLayer(
        _ packet: CapturedPacket, _ bytes: RawSpan, _ losses: inout LossCounter
    ) -> OutgoingPacket? {
        guard let view = packet.linkLayerView(in: bytes) else {
            losses.add(packet.encapsulation.isLinkLayer ? .packetTooShort : .hciPacket, frame: packet.number)
            return nil
        }
        if packet.encapsulation == .nordic || packet.encapsulation == .ppi {
            losses.add(.snifferHeader, frame: packet.number)
        }
        if encapsulation == .linkLayerWithHeader {
            if view.reception == nil { losses.add(.unknownReception, frame: packet.number) }
            header.append(contentsOf: (view.reception ?? .unknown).bytes)
        } else if view.reception != nil {
            losses.add(.reception, frame: packet.number)
        }
        return outgoing(packet, direction: packet.direction, start: view.start, count: view.count)
    }
}

extension Encapsulation {
    /// Whether packets are Link Layer packets from a sniffer.
    public var isLinkLayer: Bool {
        switch self {
        case .linkLayer, .linkLayerWithHeader, .nordic, .ppi: true
        default: false
        }
    }

    /// Whether packets are records of the Linux monitor.
    public var isMonitor: Bool { self == .monitor || self == .monitorWithHeader }
}

extension CapturedPacket {
    /// The kind of loss for a record that is not an HCI packet.
    fileprivate func recordLoss(_ view: HCIView) -> ConversionLoss.Kind {
        encapsulation == .packetLogger
            ? .packetLoggerRecord(PacketLoggerRecordType(rawValue: UInt8(truncatingIfNeeded: view.recordType)))
            : .monitorRecord(MonitorOpcode(rawValue: view.recordType))
    }
}
