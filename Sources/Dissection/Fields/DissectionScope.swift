import ATT
import Bytes
import GATT

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

    package static let all = Self(rawValue: .max)

    /// The scope that fields of these names need; a name's protocol is what stands before its first dot.
    package init(fieldNames: some Sequence<String>) {
        self = []
        for name in fieldNames {
            formUnion(Self.byProtocol[String(name.prefix { $0 != "." })] ?? .application)
            // Plugins read descriptors under Wireshark's names, which begin as those of ATT do.
            let isOfTable = [ATT.Fields.uuid16.name, ATT.Fields.uuid128.name].contains(name)
            if name.hasPrefix("btatt."), isOfTable || !Self.attributeFields.contains(name) { insert(.application) }
            if !Self.wholeAttributeFields.contains(name) { insert(.bits) }
        }
    }

    private static let attributeFields = Set((ATT.Fields.all + GATT.Fields.all).map(\.name))

    /// Those that are no bits of another one: columns of nothing else are what is asked for most.
    private static let wholeAttributeFields = Set(ATT.Fields.all.filter { $0.mask == 0 }.map(\.name))

    private static let byProtocol: [String: Self] = [
        "frame": .frame, "bluetooth": .bluetooth,
        "hci_h4": .hciTransport, "hci_h1": .hciTransport, "hci_mon": .hciTransport, "packetlogger": .hciTransport,
        "bthci_cmd": .hciControl, "bthci_evt": .hciControl,
        "bthci_acl": .hciData, "bthci_sco": .hciData, "bthci_iso": .hciData,
        "btle": .linkLayer, "btle_rf": .linkLayer, "nordic_ble": .linkLayer, "ppi": .linkLayer,
        "btcommon": [.advertisingData, .hciControl, .linkLayer],
        "btl2cap": [.l2cap, .hciData, .linkLayer], "btatt": [.att], "btsmp": [.smp],
        "gatt": [.application, .att, .names], "device": [.application, .names],
        "data": .all,
    ]
}
