/// The file formats of captures.
public enum CaptureFormat: String, Sendable, Hashable, CaseIterable {
    /// Android's and BlueZ's HCI log.
    case btsnoop
    /// Apple's PacketLogger.
    case packetLogger
    /// libpcap's classic format.
    case pcap
    /// The format of Wireshark.
    case pcapng

    /// The names of `--to`.
    public static let names = allCases.map(\.fileExtension)

    /// What people call it.
    public var name: String {
        switch self {
        case .btsnoop: "btsnoop"
        case .packetLogger: "Apple PacketLogger"
        case .pcap: "pcap"
        case .pcapng: "pcapng"
        }
    }

    /// The usual end of a file name, without the dot.
    public var fileExtension: String {
        switch self {
        case .btsnoop: "btsnoop"
        case .packetLogger: "pklg"
        case .pcap: "pcap"
        case .pcapng: "pcapng"
        }
    }

    /// Whether the format counts packets that the recorder dropped.
    var countsDrops: Bool { self == .btsnoop || self == .pcapng }

    /// The format that a user means by `name`, as in `--to pklg`; nil for a name that is none.
    public init?(named name: String) {
        switch name.lowercased() {
        case "btsnoop", "snoop", "cfa", "log": self = .btsnoop
        case "pklg", "packetlogger": self = .packetLogger
        case "pcap", "cap": self = .pcap
        case "pcapng", "ntar": self = .pcapng
        default: return nil
        }
    }

    /// The format that a file's name asks for when it is to be written.
    public init?(forPath path: String) {
        guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return nil }
        self.init(named: String(path[path.index(after: dot)...]))
    }

    /// The format of a recording, which the file's name has to tell.
    package init(ofRecording path: String) throws(CaptureError) {
        guard let format = CaptureFormat(forPath: path) else {
            throw CaptureError(
                .wrongTarget, file: path, "unknown file extension",
                advice: "use .btsnoop, .pklg, .pcap or .pcapng")
        }
        self = format
    }
}

/// An interface of a pcapng capture.
public struct CaptureInterface: Sendable, Hashable {
    /// Number in its section, from 0.
    public var number: Int
    /// `if_name`, e.g. "bluetooth0".
    public var name: String?
    /// `if_description`.
    public var description: String?
    public var linkType: LinkType
    /// Packets that were captured on it and passed over, because the link type is not Bluetooth's.
    public var skippedPackets = 0

    /// How messages name it.
    public var label: String { name.map { "interface \(number) (\($0))" } ?? "interface \(number)" }
}
