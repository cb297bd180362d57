package import Dissection

/// Which fields sum up a frame in a line: the innermost layer's opcode, and the few values that people look for.
package struct Headlines: Sendable {
    /// Rank of a field that names its PDU; the highest in a frame is the frame's headline.
    let ranks: FieldIndex
    /// Fields that are worth their place after the headline.
    let details: FieldIndex

    /// From the outermost layer to the innermost.
    private static let headlineNames = [
        "hci_mon.opcode", "packetlogger.type", "bthci_cmd.opcode", "bthci_evt.code", "bthci_evt.le_meta_subevent",
        "btle.data_header.llid", "btle.advertising_header.pdu_type", "btle.control_opcode", "btl2cap.cid",
        "btl2cap.cmd_code", "btsmp.opcode",
    ]
    private static let detailNames = [
        "bthci_evt.opcode", "bthci_evt.status", "bthci_evt.reason", "bthci_evt.bd_addr", "bthci_cmd.bd_addr",
        "btle.advertising_address", "btle.initiator_address", "btle.scanning_address", "btle.control.error_code",
        "btl2cap.result", "btl2cap.le_result", "btsmp.reason", "btcommon.eir_ad.entry.device_name",
        "hci_mon.bd_addr", "hci_mon.adapter_name", "hci_mon.ident", "hci_mon.system_note", "packetlogger.info",
    ]

    package init(catalog: FieldCatalog) {
        ranks = FieldIndex(
            Self.headlineNames.enumerated().flatMap { rank, name in catalog[name].map { ($0, rank) } })
        details = FieldIndex(Self.detailNames.flatMap { name in catalog[name].map { ($0, 0) } })
    }
}
