/// The file formats of captures.
public enum CaptureFormat: String, Sendable, Hashable, CaseIterable {
    /// Android's and BlueZ's HCI log.
    case btsnoop
    /// Apple's PacketLogger.
    case packetLogger
    /// libpcap's classic format.
    case pcap
    /// Wireshark's default format.
    case pcapng
    /// TI's SmartRF Packet Sniffer, which is read only.
    case smartRF
    /// What one line of a UART carried: HCI packets with their packet indicators.
    case h4Dump
    /// What one line of a three-wire UART carried.
    case threeWireDump

    /// The formats that are written.
    public static let writable: [Self] = [.btsnoop, .packetLogger, .pcap, .pcapng]

    /// The format names that `--to` accepts.
    public static let names = writable.map(\.fileExtension)

    /// The common name of the format.
    public var name: String {
        switch self {
        case .btsnoop: "btsnoop"
        case .packetLogger: "Apple PacketLogger"
        case .pcap: "pcap"
        case .pcapng: "pcapng"
        case .smartRF: "TI SmartRF Packet Sniffer"
        case .h4Dump: "HCI UART (H4)"
        case .threeWireDump: "three-wire UART (H5)"
        }
    }

    /// The usual file extension, without the dot.
    public var fileExtension: String {
        switch self {
        case .btsnoop: "btsnoop"
        case .packetLogger: "pklg"
        case .pcap: "pcap"
        case .pcapng: "pcapng"
        case .smartRF: "psd"
        case .h4Dump: "h4"
        case .threeWireDump: "h5"
        }
    }

    /// Whether the format counts packets dropped by the capture tool.
    var countsDrops: Bool { self == .btsnoop || self == .pcapng }

    /// The format for a name as in `--to pklg`; nil for an unknown name.
    public init?(named name: String) {
        switch name.lowercased() {
        case "btsnoop", "snoop", "cfa", "log": self = .btsnoop
        case "pklg", "packetlogger": self = .packetLogger
        case "pcap", "cap": self = .pcap
        case "pcapng", "ntar": self = .pcapng
        default: return nil
        }
    }

    /// The format implied by the extension of an output file; nil if it implies none.
    public init?(forPath path: String) {
        guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return nil }
        self.init(named: String(path[path.index(after: dot)...]))
    }

    /// The format of a live recording, which the extension of its file must imply.
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
    /// Packets skipped on the interface because its link type is not a Bluetooth one.
    public var skippedPackets = 0

    /// The interface's name in messages.
    public var label: String { name.map { "interface \(number) (\($0))" } ?? "interface \(number)" }
}
