public import Bytes

/// Link-layer header type of a pcap or pcapng capture: a LINKTYPE number of tcpdump.org's registry.
public struct LinkType: WireInteger {
    public var rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }

    public static let h4 = Self(187)
    public static let usbLinux = Self(189)
    public static let ppi = Self(192)
    public static let h4WithDirection = Self(201)
    public static let usbLinuxMapped = Self(220)
    public static let usbPcap = Self(249)
    public static let linkLayer = Self(251)
    public static let linuxMonitor = Self(254)
    public static let linkLayerWithHeader = Self(256)
    public static let usbDarwin = Self(266)
    public static let nordic = Self(272)

    /// The encapsulation of the packets; nil for an unsupported type.
    public var encapsulation: Encapsulation? {
        switch self {
        case .h4: .h4
        case .ppi: .ppi
        case .h4WithDirection: .h4WithDirection
        case .linkLayer: .linkLayer
        case .linuxMonitor: .monitorWithHeader
        case .linkLayerWithHeader: .linkLayerWithHeader
        case .nordic: .nordic
        case .usbLinux, .usbLinuxMapped, .usbPcap, .usbDarwin: .usb
        default: nil
        }
    }

    /// The registry's description, e.g. "Ethernet"; nil for a number that is not in our table.
    public var name: String? { Self.names[rawValue] }

    /// Name and number, e.g. "Ethernet (1)".
    public var label: String { "\(name ?? "unknown link type") (\(rawValue))" }

    /// The reason why packets of the type are not read.
    var refusal: String {
        switch rawValue {
        case 255: "\(label): BR/EDR baseband is not decoded, only LE and HCI are"
        case _ where isPrivate: "\(label): its number does not say what the packets are"
        case 186: "\(label): only USB transfers of Linux (189, 220), USBPcap (249) and macOS (266) are read"
        case 288, 293...295: "\(label): packets of the bus are not read, only USB transfers are"
        default: "\(label): not a Bluetooth link type"
        }
    }

    /// The advice to the user for an unsupported type.
    var advice: String {
        switch rawValue {
        case _ where isPrivate:
            "state it: --as nordic for an nRF Sniffer, --as h4 or h5 for HCI on a UART, or a link type: 201, 251, 256"
        case 186, 288, 293...295:
            "record HCI instead of USB: btmon -w FILE or gattbench sniff monitor -w FILE on Linux, PacketLogger on macOS"
        default:
            "Bluetooth is 187, 201 and 254 (HCI), 189, 220, 249 and 266 (USB), 251, 256 and 272 (LE link layer), 192 (PPI)"
        }
    }

    /// Names of the common link types (tcpdump.org, LINKTYPE registry).
    private static let names: [UInt32: String] = [
        0: "BSD loopback", 1: "Ethernet", 3: "AX.25", 6: "Token Ring", 7: "ARCNET", 8: "SLIP", 9: "PPP", 10: "FDDI",
        50: "PPP in HDLC framing", 51: "PPPoE", 100: "ATM (RFC 1483)", 101: "Raw IP", 104: "Cisco HDLC",
        105: "IEEE 802.11", 107: "Frame Relay", 108: "OpenBSD loopback", 113: "Linux cooked", 114: "LocalTalk",
        117: "OpenBSD packet filter log", 119: "IEEE 802.11 with Prism header", 127: "IEEE 802.11 with radiotap header",
        129: "ARCNET (Linux)", 138: "Apple IP over FireWire", 143: "DOCSIS", 144: "IrDA (Linux)", 147: "private use 0",
        148: "private use 1", 149: "private use 2", 150: "private use 3", 151: "private use 4", 152: "private use 5",
        153: "private use 6", 154: "private use 7", 155: "private use 8", 156: "private use 9", 157: "private use 10",
        158: "private use 11", 159: "private use 12", 160: "private use 13", 161: "private use 14",
        162: "private use 15", 163: "IEEE 802.11 with AVS header", 165: "BACnet MS/TP", 177: "LAPD (Linux)",
        186: "USB (FreeBSD)", 187: "Bluetooth HCI H4", 189: "USB (Linux)", 190: "CAN 2.0B",
        192: "Per-Packet Information",
        195: "IEEE 802.15.4 with FCS", 197: "Endace ERF", 201: "Bluetooth HCI H4 with direction", 203: "LAPD",
        209: "I2C (Linux)", 212: "LIN", 215: "IEEE 802.15.4 non-ASK PHY", 220: "USB (Linux, mmapped)",
        224: "Fibre Channel FC-2", 227: "CAN (SocketCAN)", 228: "Raw IPv4", 229: "Raw IPv6",
        230: "IEEE 802.15.4 without FCS", 231: "D-Bus", 239: "Linux netfilter log", 243: "MPEG-2 transport stream",
        245: "NFC LLCP", 247: "InfiniBand", 248: "SCTP", 249: "USB (USBPcap)", 250: "RTAC serial",
        251: "Bluetooth LE link layer", 253: "Netlink (Linux)", 254: "Bluetooth Linux monitor",
        255: "Bluetooth BR/EDR baseband", 256: "Bluetooth LE link layer with pseudo-header", 258: "Apple PKTAP",
        264: "ISO 14443", 266: "USB (macOS)", 270: "LoRaTap", 271: "Vsock (Linux)",
        272: "nRF Sniffer for Bluetooth LE", 276: "Linux cooked 2", 278: "OpenVizsla",
        283: "IEEE 802.15.4 with TAP header", 287: "Z-Wave serial", 288: "USB 2.0", 293: "USB 2.0 low speed",
        294: "USB 2.0 full speed", 295: "USB 2.0 high speed",
    ]
}
