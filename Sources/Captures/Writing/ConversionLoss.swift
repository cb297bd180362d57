import Bytes

/// Information that the target of a conversion cannot hold, with the number of packets affected.
public struct ConversionLoss: Sendable, Hashable {
    public var kind: Kind
    /// Number of packets or records affected.
    public var count: Int
    /// The first frame affected; nil for losses without a frame number.
    public var firstFrame: Int?

    public init(kind: Kind, count: Int, firstFrame: Int?) {
        self.kind = kind
        self.count = count
        self.firstFrame = firstFrame
    }

    /// The kind of information lost.
    public enum Kind: Sendable, Hashable {
        // Packets left out.
        case linkLayerPacket
        case hciPacket
        case packetTooShort
        case cutPacket
        case otherPacketType(H4PacketType)
        case monitorRecord(MonitorOpcode)
        case packetLoggerRecord(PacketLoggerRecordType)
        case block(String)
        case foreignPacket(LinkType)
        // Packets written without the information.
        case comment
        case drops
        case nanoseconds
        case timeOutOfRange
        case timesShifted(seconds: Int64)
        case adapter
        case direction
        case unknownDirection
        case reception
        case unknownReception
        case snifferHeader
        case interfaceName
    }
}

extension ConversionLoss.Kind {
    /// Whether the packet is missing in the target, instead of being written without some information.
    public var isLeftOut: Bool {
        switch self {
        case .linkLayerPacket, .hciPacket, .packetTooShort, .cutPacket, .otherPacketType, .monitorRecord,
            .packetLoggerRecord, .block, .foreignPacket:
            true
        default: false
        }
    }

    /// The loss and the reason, e.g. "comments: the format has no place for them".
    public var text: String {
        switch self {
        case .linkLayerPacket: "link layer packets left out: the target holds HCI packets only"
        case .hciPacket: "HCI packets left out: the target holds link layer packets only"
        case .packetTooShort: "packets left out: too short for their header"
        case .cutPacket: "truncated packets left out: the target cannot mark them"
        case .otherPacketType(let type): "packets of H4 type \(type.rawValue) left out: the target has no such record"
        case .monitorRecord(let opcode):
            "\(opcode.name ?? "unknown") records (Linux monitor \(opcode.rawValue)) left out: the target holds HCI packets only"
        case .packetLoggerRecord(let type):
            "\(type.name ?? "undocumented") records (PacketLogger \(type.rawValue)) left out: the target holds HCI packets only"
        case .block(let name): "\(name): left out, not a packet"
        case .foreignPacket(let linkType): "packets left out: \(linkType.refusal)"
        case .comment: "comments: not supported by the target"
        case .drops: "counts of dropped packets: not supported by the target"
        case .nanoseconds: "timestamps: truncated to microseconds"
        case .timeOutOfRange: "timestamps: moved to the nearest that the target supports"
        case .timesShifted(let seconds):
            "timestamps: all moved by \(seconds) s, as the target supports 1970 to 2106; pcapng and btsnoop keep them"
        case .adapter: "adapter numbers: not supported by the target"
        case .direction: "directions: not supported by the target"
        case .unknownDirection: "unknown directions: written as sent"
        case .reception: "channel, signal strength and receiver checks: not supported by the target"
        case .unknownReception: "unknown channel and signal strength: written as invalid"
        case .snifferHeader: "sniffer counters: not supported by the target"
        case .interfaceName: "names of capture interfaces: not supported by the target"
        }
    }
}

struct LossCounter {
    private var losses: [ConversionLoss.Kind: ConversionLoss] = [:]

    mutating func add(_ kind: ConversionLoss.Kind, frame: Int?, count: Int = 1) {
        losses[kind, default: ConversionLoss(kind: kind, count: 0, firstFrame: frame)].count += count
    }

    /// The losses: left-out packets first, then by frame.
    var all: [ConversionLoss] {
        losses.values.sorted {
            ($0.kind.isLeftOut ? 0 : 1, $0.firstFrame ?? .max, $0.kind.text)
                < ($1.kind.isLeftOut ? 0 : 1, $1.firstFrame ?? .max, $1.kind.text)
        }
    }
}
