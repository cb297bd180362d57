import Bluetooth
import Bytes

/// Which protocol layers of a frame are recorded: nobody pays for fields that nobody asked for.
package struct DissectionScope: OptionSet, Sendable {
    package var rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static let frame = Self(rawValue: 1 << 0)
    package static let bluetooth = Self(rawValue: 1 << 1)
    /// What carries HCI packets: H4, Linux monitor, PacketLogger.
    package static let hciTransport = Self(rawValue: 1 << 2)
    package static let hciControl = Self(rawValue: 1 << 3)
    package static let hciData = Self(rawValue: 1 << 4)
    package static let linkLayer = Self(rawValue: 1 << 5)
    package static let advertisingData = Self(rawValue: 1 << 6)
    package static let l2cap = Self(rawValue: 1 << 7)
    package static let att = Self(rawValue: 1 << 8)
    package static let smp = Self(rawValue: 1 << 9)
    /// Names of attributes and the plugins' reading of their values.
    package static let application = Self(rawValue: 1 << 10)

    /// Names of attributes, plugins and messages as fields: `gatt.characteristic`, `device.message`.
    package static let names = Self(rawValue: 1 << 12)

    /// Fields that are some bits of another one, in all layers.
    package static let bits = Self(rawValue: 1 << 11)

    /// What an ATT PDU's conversation tells beyond handles: `btatt.uuid16`, `btatt.request_in_frame`.
    package static let conclusions = Self(rawValue: 1 << 13)

    // Recorded only where a filter or a column names the fields: output has them in another place.

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
    /// `bthci_acl.src.bd_addr` and the other ends of ACL data.
    package static let ends = Self(rawValue: 1 << 19)

    /// `btatt.response_in_frame`, for which the capture is gone through before.
    package static let responses = Self(rawValue: 1 << 20)

    /// Those that no tree of all layers has.
    package static let requested: Self = [
        .conversation, .diagnosis, .pluginNames, .protocols, .arrival, .ends, .responses,
    ]

    /// Every layer.
    package static let all = Self(rawValue: .max).subtracting(.requested)

    /// The scope that fields of these names need; a name's protocol is what stands before its first dot.
    package init(fieldNames: some Sequence<String>) {
        self = []
        for name in fieldNames {
            if let scope = Self.byName[name] {
                formUnion(scope)
                continue
            }
            // A name of an unknown protocol is a plugin's, one of its characteristics, or a field that a plugin reads.
            let isShort = name.utf8.count { $0 == UInt8(ascii: ".") } < 2
            let ofPlugin: Self = isShort ? [.application, .pluginNames] : .application
            formUnion(Self.byProtocol[String(name.prefix { $0 != "." })] ?? ofPlugin)
            if name.hasPrefix("bthci_acl."), Self.endFields.contains(name) { insert(.ends) }
            // Plugins read descriptors under Wireshark's names, which begin as those of ATT do.
            let isOfTable = Self.tableFields.contains(name)
            if isOfTable { insert(.conclusions) }
            if name.hasPrefix("btatt."), isOfTable || !Self.attributeFields.contains(name) { insert(.application) }
            // What is advertised, too, has names that begin as those of a frame's ends do.
            if name.hasPrefix("bluetooth."), !Self.addressFields.contains(name) { insert(.application) }
            if !Self.wholeAttributeFields.contains(name) { insert(.bits) }
        }
    }

    private static let attributeFields = Set((ATT.Fields.all + GATT.Fields.all).map(\.name))

    /// Those that are no bits of another one: columns of nothing else are what is asked for most.
    private static let wholeAttributeFields = Set(ATT.Fields.all.filter { $0.mask == 0 }.map(\.name))

    /// Those that the server's table tells.
    private static let tableFields = Set(
        ([ATT.Fields.uuid16, ATT.Fields.uuid128] + ATT.Fields.concluded).map(\.name))

    private static let endFields = Set(FrameFields.ends.map(\.name))

    private static let addressFields = Set(
        [
            FrameFields.source, FrameFields.destination, FrameFields.address, FrameFields.sourceText,
            FrameFields.destinationText, FrameFields.addressText,
        ].map(\.name))

    /// The scopes of fields that need other layers than their names say.
    private static let byName: [String: Self] = [
        FrameFields.protocols.name: .all.union(.protocols),
        FrameFields.arrival.name: .arrival,
        FrameFields.stream.name: .conversation,
        ATT.Fields.responseFrame.name: [.att, .responses],
    ]

    private static let byProtocol: [String: Self] = [
        "connection": .conversation, "peer": .conversation, "peer_name": .conversation,
        "diagnosis": .all.union(.diagnosis),
        "frame": .frame, "bluetooth": .bluetooth,
        "hci_h4": .hciTransport, "hci_h1": .hciTransport, "hci_mon": .hciTransport, "packetlogger": .hciTransport,
        "bthci_cmd": .hciControl, "bthci_evt": .hciControl,
        "bthci_acl": .hciData, "bthci_sco": .hciData, "bthci_iso": .hciData,
        "btle": .linkLayer, "btle_rf": .linkLayer, "nordic_ble": .linkLayer, "ppi": .linkLayer,
        "btcommon": [.advertisingData, .hciControl, .linkLayer],
        "btl2cap": [.l2cap, .hciData, .linkLayer], "btatt": [.att], "btsmp": [.smp],
        "gatt": [.application, .att, .names, .conclusions], "device": [.application, .names],
        "stream": [.linkLayer, .hciData], "data": .all,
    ]
}
