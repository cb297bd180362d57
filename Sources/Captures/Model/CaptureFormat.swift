/// The file formats of captures.
package enum CaptureFormat: String, Sendable, Hashable, CaseIterable {
    /// Android's and BlueZ's HCI log.
    case btsnoop
    /// Apple's PacketLogger.
    case packetLogger
    /// libpcap's classic format.
    case pcap
    /// The format of Wireshark.
    case pcapng

    /// What people call it.
    package var name: String {
        switch self {
        case .btsnoop: "btsnoop"
        case .packetLogger: "Apple PacketLogger"
        case .pcap: "pcap"
        case .pcapng: "pcapng"
        }
    }

    /// The usual end of a file name, without the dot.
    package var fileExtension: String {
        switch self {
        case .btsnoop: "btsnoop"
        case .packetLogger: "pklg"
        case .pcap: "pcap"
        case .pcapng: "pcapng"
        }
    }

    /// The format that a user means by `name`, as in `--to pklg`; nil for a name that is none.
    package init?(named name: String) {
        switch name.lowercased() {
        case "btsnoop", "snoop", "cfa", "log": self = .btsnoop
        case "pklg", "packetlogger": self = .packetLogger
        case "pcap", "cap": self = .pcap
        case "pcapng", "ntar": self = .pcapng
        default: return nil
        }
    }

    /// The format that a file's name asks for when it is to be written.
    package init?(forPath path: String) {
        guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return nil }
        self.init(named: String(path[path.index(after: dot)...]))
    }
}

/// An interface of a pcapng capture.
package struct CaptureInterface: Sendable, Hashable {
    /// Number in its section, from 0.
    package var number: Int
    /// `if_name`, e.g. "bluetooth0".
    package var name: String?
    /// `if_description`.
    package var description: String?
    package var linkType: LinkType
    /// Packets that were captured on it and passed over, because the link type is not Bluetooth's.
    package var skippedPackets = 0

    /// How messages name it.
    package var label: String { name.map { "interface \(number) (\($0))" } ?? "interface \(number)" }
}
