import Bytes
import Dissection

/// Selects the fields that summarize a frame in one line: the innermost layer's opcode and a few important values.
struct Headlines {
    /// Role of a field in the line.
    enum Part {
        /// Names the PDU; the field with the highest rank is the frame's headline.
        case headline(rank: Int)
        /// Follows the headline.
        case detail
    }

    /// Indices in `parts` of the fields seen so far; 0 for none.
    private var index = FieldIndex([])

    private static let parts: [Part?] =
        [nil, .detail] + headlineNames.indices.map { .headline(rank: $0) }
    private static let places: [String: Int] = Dictionary(
        uniqueKeysWithValues: detailNames.map { ($0, 1) } + headlineNames.enumerated().map { ($1, $0 + 2) })

    /// Outermost layer first.
    private static let headlineNames = [
        "hci_mon.opcode", "packetlogger.type", "bthci_cmd.opcode", "bthci_evt.code", "bthci_evt.le_meta_subevent",
        "btle.data_header.llid", "btle.advertising_header.pdu_type", "btle.control_opcode", "btl2cap.cid",
        "btl2cap.cmd_code", "btsmp.opcode",
    ]
    private static let detailNames = [
        "bthci_cmd.bd_addr", "bthci_cmd.reason", "bthci_cmd.le_advts_enable", "bthci_cmd.le_scan_enable",
        "bthci_cmd.le_con_interval_min", "bthci_cmd.le_con_interval_max", "bthci_cmd.le_con_latency",
        "bthci_cmd.le_supv_timeout", "bthci_cmd.le_tx_octets",
        "bthci_evt.opcode", "bthci_evt.status", "bthci_evt.reason", "bthci_evt.bd_addr", "bthci_evt.le_con_interval",
        "bthci_evt.le_min_interval", "bthci_evt.le_max_interval", "bthci_evt.le_con_latency",
        "bthci_evt.le_supv_timeout", "bthci_evt.encryption_enable", "bthci_evt.max_tx_octets",
        "bthci_evt.max_rx_octets", "bthci_evt.le_tx_phy", "bthci_evt.le_rx_phy",
        "btle.advertising_address", "btle.initiator_address", "btle.scanning_address",
        "btle.link_layer_data.interval", "btle.link_layer_data.latency", "btle.link_layer_data.timeout",
        "btle.control.interval", "btle.control.latency", "btle.control.timeout", "btle.control.error_code",
        "btle.control.unknown_type", "btle.control.reject_opcode",
        "btl2cap.psm", "btl2cap.le_psm", "btl2cap.result", "btl2cap.le_result", "btl2cap.rej_reason",
        "btl2cap.min_interval", "btl2cap.max_interval", "btl2cap.slave_latency", "btl2cap.timeout_multiplier",
        "btsmp.reason", "btcommon.eir_ad.entry.device_name",
        "hci_mon.bd_addr", "hci_mon.adapter_name", "hci_mon.ident", "hci_mon.system_note", "packetlogger.info",
        "bthci_iso.chandle", "bthci_iso_data.packet_seq_num", "bthci_iso_data.sdu_length", "bthci_iso_data.status_flag",
        "stream.index", "stream.event", "stream.subevent", "stream.response_slot", "stream.payload",
    ]

    /// The part of a recorded field; nil if it is not shown.
    mutating func part(of recorded: RecordedField) -> Part? {
        if let place = index[recorded] { return Self.parts[place] }
        let place = Self.places[recorded.field.name] ?? 0
        index.insert(recorded.field, place)
        return Self.parts[place]
    }
}
