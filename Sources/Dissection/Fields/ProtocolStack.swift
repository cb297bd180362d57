import Bluetooth
package import Bytes
package import Captures

/// The protocols of a frame, outermost first, with Wireshark's names: `frame.protocols`.
package struct ProtocolStack: CustomStringConvertible {
    private(set) var names: [String] = []

    /// Derives the protocols from a frame's recorded layers.
    package init(of recorder: FieldRecorder, _ packet: CapturedPacket) {
        switch packet.encapsulation {
        case .nordic: break
        case .usb: names = ["usb", "bluetooth"]
        case .ppi: names = ["ppi", "pcap_pktdata", "bluetooth"]
        default: names = ["bluetooth"]
        }
        for recorded in recorder.fields where recorded.field.isGroup && !recorded.isGenerated {
            // Advertising data are nested in their packet; each report of an event has its own.
            if recorded.field == GAP.Fields.advertisingData {
                names.append(GAP.layer.name)
                continue
            }
            let name = recorded.field.name
            // Wireshark has no protocol for fields decoded by plugins.
            guard recorded.depth == 0, !name.contains("."), !names.contains(name),
                recorded.field != FrameFields.device
            else { continue }
            names.append(name)
            if name == Self.isochronous { names.append(Self.isochronousData) }
        }
    }

    /// `bluetooth:hci_h4:bthci_acl:btl2cap:btatt`.
    package var description: String { names.joined(separator: ":") }

    /// The innermost protocol, as in Wireshark's Protocol column.
    package var column: String {
        let innermost = names.last { $0 != GAP.layer.name && $0 != FrameFields.data.name } ?? ""
        return Self.columns[innermost] ?? innermost
    }

    private static let isochronous = "bthci_iso"
    private static let isochronousData = "bthci_iso_data"

    private static let columns = [
        "hci_h4": "HCI H4", "hci_h1": "HCI H1", "hci_usb": "HCI_USB", "hci_mon": "HCI_MON",
        "packetlogger": "PacketLogger",
        "bthci_cmd": "HCI_CMD", "bthci_evt": "HCI_EVT", "bthci_acl": "HCI_ACL", "bthci_sco": "HCI_SCO",
        "bthci_iso_data": "ISO Data", "btle_rf": "LE LL", "btle": "LE LL", "nordic_ble": "LE LL", "ppi": "LE LL",
        "btl2cap": "L2CAP", "btatt": "ATT", "btsmp": "SMP",
    ]
}
