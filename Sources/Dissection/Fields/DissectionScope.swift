import Bluetooth
import Bytes

/// The protocol layers of a frame to record. Fields outside the scope cost nothing.
package struct DissectionScope: OptionSet, Sendable {
    package var rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static let frame = Self(rawValue: 1 << 0)
    package static let bluetooth = Self(rawValue: 1 << 1)
    /// HCI transports: H4, Linux monitor, PacketLogger.
    package static let hciTransport = Self(rawValue: 1 << 2)
    package static let hciControl = Self(rawValue: 1 << 3)
    package static let hciData = Self(rawValue: 1 << 4)
    package static let linkLayer = Self(rawValue: 1 << 5)
    package static let advertisingData = Self(rawValue: 1 << 6)
    package static let l2cap = Self(rawValue: 1 << 7)
    package static let att = Self(rawValue: 1 << 8)
    package static let smp = Self(rawValue: 1 << 9)
    /// Names of attributes and values decoded by plugins.
    package static let application = Self(rawValue: 1 << 10)

    /// Names of attributes, plugins and messages as fields: `gatt.characteristic`, `device.message`.
    package static let names = Self(rawValue: 1 << 12)

    /// Bit fields of other fields, in all layers.
    package static let bits = Self(rawValue: 1 << 11)

    /// Fields of ATT PDUs derived from the conversation: `btatt.uuid16`, `btatt.request_in_frame`.
    package static let conclusions = Self(rawValue: 1 << 13)

    // Recorded only if a filter or a column names the fields; other output shows them elsewhere.

    /// `connection`, `peer`, `peer_name`.
    package static let conversation = Self(rawValue: 1 << 14)
    /// `diagnosis` and its fields.
    package static let diagnosis = Self(rawValue: 1 << 15)
    /// A plugin's name as a protocol, and those of its characteristics: `aquavate`, `aquavate.drink_data`.
    package static let pluginNames = Self(rawValue: 1 << 16)
    /// `frame.protocols`.
    package static let protocols = Self(rawValue: 1 << 17)
    /// `frame.time`.
    package static let arrival = Self(rawValue: 1 << 18)
    /// `bthci_acl.src.bd_addr` and the other fields for the endpoints of ACL data.
    package static let ends = Self(rawValue: 1 << 19)

    /// `btatt.response_in_frame`, which needs a prior pass over the capture.
    package static let responses = Self(rawValue: 1 << 20)

    /// Scopes recorded only on request, never as part of `all`.
    package static let requested: Self = [
        .conversation, .diagnosis, .pluginNames, .protocols, .arrival, .ends, .responses,
    ]

    /// Every layer and field of the tree, without `requested`.
    package static let all = Self(rawValue: .max).subtracting(.requested)

    /// The scope required by fields of these names. A name's protocol is the part before its first dot.
    package init(fieldNames: some Sequence<String>) {
        self = []
        for name in fieldNames {
            if let scope = Self.byName[name] {
                formUnion(scope)
                continue
            }
            // A name with an unknown protocol belongs to a plugin, one of its characteristics, or a field that a plugin
            // decodes.
            let isShort = name.utf8.count { $0 == UInt8(ascii: ".") } < 2
            let ofPlugin: Self = isShort ? [.application, .pluginNames] : .application
            formUnion(Self.byProtocol[String(name.prefix { $0 != "." })] ?? ofPlugin)
            if name.hasPrefix("bthci_acl."), Self.endFields.contains(name) { insert(.ends) }
            // Plugins decode descriptors into Wireshark's names, which start with `btatt.` too.
            let isOfTable = Self.tableFields.contains(name)
            if isOfTable { insert(.conclusions) }
            if name.hasPrefix("btatt."), isOfTable || !Self.attributeFields.contains(name) { insert(.application) }
            // Names of advertised values start with `bluetooth.` as well, like the address fields.
            if name.hasPrefix("bluetooth."), !Self.addressFields.contains(name) { insert(.application) }
            if !Self.wholeAttributeFields.contains(name) { insert(.bits) }
        }
    }

    private static let attributeFields = Set((ATT.Fields.all + GATT.Fields.all).map(\.name))

    /// Fields that are no bit fields: most requests name only these columns.
    private static let wholeAttributeFields = Set(ATT.Fields.all.filter { $0.mask == 0 }.map(\.name))

    /// Fields derived from the server's attribute table.
    private static let tableFields = Set(
        ([ATT.Fields.uuid16, ATT.Fields.uuid128] + ATT.Fields.concluded).map(\.name))

    private static let endFields = Set(FrameFields.ends.map(\.name))

    private static let addressFields = Set(
        [
            FrameFields.source, FrameFields.destination, FrameFields.address, FrameFields.sourceText,
            FrameFields.destinationText, FrameFields.addressText,
        ].map(\.name))

    /// Scopes of fields that need other layers than their names indicate.
    private static let byName: [String: Self] = [
        FrameFields.protocols.name: .all.union(.protocols),
        FrameFields.arrival.name: .arrival,
        FrameFields.stream.name: .conversation,
        ATT.Fields.responseFrame.name: [.att, .responses],
    ]

    private static let byProtocol: [String: Self] = [
        "connection": .conversation, "peer": .conversation, "peer_name": .conversation,
        "diagnosis": .all.union(.diagnosis),
        "frame": .frame, "view": .frame, "bluetooth": .bluetooth,
        "hci_h4": .hciTransport, "hci_h1": .hciTransport, "hci_usb": .hciTransport, "hci_mon": .hciTransport,
        "packetlogger": .hciTransport,
        "bthci_cmd": .hciControl, "bthci_evt": .hciControl,
        "bthci_acl": .hciData, "bthci_sco": .hciData, "bthci_iso": .hciData,
        "btle": .linkLayer, "btle_rf": .linkLayer, "nordic_ble": .linkLayer, "ppi": .linkLayer,
        "btcommon": [.advertisingData, .hciControl, .linkLayer],
        "btl2cap": [.l2cap, .hciData, .linkLayer], "btatt": [.att], "btsmp": [.smp],
        "gatt": [.application, .att, .names, .conclusions], "device": [.application, .names],
        "stream": [.linkLayer, .hciData], "data": .all,
    ]
}
