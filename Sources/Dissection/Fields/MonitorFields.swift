import Bluetooth
package import Bytes
import Captures

/// The fields of Linux monitor records that hold no HCI packet (`include/net/bluetooth/hci_mon.h` of the kernel).
package enum MonitorFields {
    package static let layer = Field("hci_mon", "Bluetooth Linux Monitor Transport", .group)
    package static let adapter = Field("hci_mon.adapter_id", "Adapter ID", .decimal)
    package static let opcode = Field(
        "hci_mon.opcode", "Opcode", .decimal,
        names: ValueNames { MonitorOpcode(rawValue: UInt16(truncatingIfNeeded: $0)).name })

    // New Index and Index Info.
    static let bus = Field("hci_mon.bus", "Bus", .hex(2), names: ValueNames([0: "BR/EDR", 1: "AMP"]))
    static let type = Field(
        "hci_mon.type", "Type", .hex(2),
        names: ValueNames([
            0: "Virtual", 1: "USB", 2: "PC Card", 3: "UART", 4: "RS232", 5: "PCI", 6: "SDIO", 7: "SPI", 8: "I2C",
            9: "SMD", 10: "VIRTIO",
        ]))
    static let address = Field("hci_mon.bd_addr", "BD_ADDR", .address)
    static let adapterName = Field("hci_mon.adapter_name", "Adapter Name", .text)
    static let manufacturer = Field(
        "hci_mon.manufacturer", "Manufacturer", .hex(4),
        names: ValueNames { AssignedNumbers.company(UInt16(truncatingIfNeeded: $0)) })

    // System Note and User Logging.
    package static let note = Field("hci_mon.system_note", "Text", .text)
    static let priority = Field(
        "hci_mon.priority", "Priority", .decimal,
        names: ValueNames([
            0: "Emergency", 1: "Alert", 2: "Critical", 3: "Error", 4: "Warning", 5: "Notice", 6: "Information",
            7: "Debug",
        ]))
    static let identLength = Field("hci_mon.ident_length", "Ident Length", .decimal, unit: "bytes")
    static let ident = Field("hci_mon.ident", "Ident", .text)

    package static let all = [
        layer, adapter, opcode, bus, type, address, adapterName, manufacturer, note, priority, identLength, ident,
    ]
}
