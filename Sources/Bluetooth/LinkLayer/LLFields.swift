public import Bytes

extension LL {
    /// The fields of this layer, under Wireshark's names.
    public enum Fields {
        public static let accessAddress = Field("btle.access_address", "Access Address", .hex(8))
        public static let codingIndicator = Field(
            "btle.coding_indicator", "Coding Indicator", .decimal, mask: 0x3,
            names: ValueNames([0: "FEC Block 2 coded using S=8", 1: "FEC Block 2 coded using S=2"]))
        public static let length = Field("btle.length", "Length", .decimal, unit: "bytes")
        public static let crc = Field("btle.crc", "CRC", .hex(6))
        /// Bytes of the PDU after its known parameters, or of unknown meaning.
        public static let unknownData = Field("btle.unknown_data", "Unknown Data", .bytes)
        /// The payload of an encrypted PDU.
        public static let encryptedData = Field("btle.encrypted_data", "Encrypted Data", .bytes)
        /// A fragment of an L2CAP message.
        public static let l2capData = Field("btle.l2cap_data", "L2CAP Fragment", .bytes)
        public static let isochronousData = Field("btle.isochronous_data", "Isochronous Data", .bytes)
        /// The result of the CRC check, computed or reported by the sniffer.
        public static let crcIncorrect = Field("btle.crc.incorrect", "Incorrect CRC", .group)
        public static let retransmission = Field("btle.retransmit", "Retransmission", .group)
        public static let centralAddress = Field("btle.master_bd_addr", "Central Address", .address)
        public static let peripheralAddress = Field("btle.slave_bd_addr", "Peripheral Address", .address)

        /// Field names for errors in parts without a field.
        static let pduHeader = Field("btle.header", "PDU Header", .hex(4))
        static let pdu = Field("btle.pdu", "PDU", .bytes)

        // MARK: Advertising header

        public static let advertisingHeader = Field("btle.advertising_header", "Packet Header", .hex(4))
        public static let advertisingLength = Field(
            "btle.advertising_header.length", "Length", .decimal, unit: "bytes")
        static let pduTypePrimary = pduType(.primary)
        private static let pduTypes: [Field] = [
            pduTypePrimary, pduType(.auxiliary), pduType(.chain), pduType(.periodic), pduType(.scanResponse),
            pduType(.subevent), pduType(.subeventResponse),
        ]
        private static let reserved1 = bit("btle.advertising_header.rfu.1", "Reserved", 0x10)
        private static let chSel = bit(
            "btle.advertising_header.ch_sel", "Channel Selection Algorithm", 0x20, ["#1", "#2"])
        private static let reserved2 = bit("btle.advertising_header.rfu.2", "Reserved", 0x20)
        private static let txAdd = bit(
            "btle.advertising_header.randomized_tx", "Tx Address", 0x40, ["Public", "Random"])
        private static let reserved3 = bit("btle.advertising_header.rfu.3", "Reserved", 0x40)
        private static let rxAdd = bit(
            "btle.advertising_header.randomized_rx", "Rx Address", 0x80, ["Public", "Random"])
        private static let reserved4 = bit("btle.advertising_header.rfu.4", "Reserved", 0x80)

        private static func pduType(_ context: AdvertisingContext) -> Field {
            Field(
                "btle.advertising_header.pdu_type", "PDU Type", .hex(2), mask: 0x0F,
                names: ValueNames { AdvertisingType(rawValue: UInt8(truncatingIfNeeded: $0)).name(in: context) })
        }

        /// The bit fields of the header's first byte that its type uses; `use` is nil for an unknown type.
        ///
        /// - Parameter addresses: addresses in an extended header: bit 0 AdvA, bit 1 TargetA.
        static func advertisingHeaderBits(
            _ use: HeaderUse?, _ context: AdvertisingContext, addresses: UInt8
        ) -> [Field] {
            let row = Int(context.rawValue)
            let type = row < pduTypes.count ? pduTypes[row] : pduTypePrimary
            return switch use {
            case .txAdd: [type, reserved1, reserved2, txAdd, reserved4]
            case .txAddRxAdd: [type, reserved1, reserved2, txAdd, rxAdd]
            case .chSelTxAdd: [type, reserved1, chSel, txAdd, reserved4]
            case .chSelTxAddRxAdd: [type, reserved1, chSel, txAdd, rxAdd]
            case .extended:
                [
                    type, reserved1, reserved2, addresses & 1 == 0 ? reserved3 : txAdd,
                    addresses & 2 == 0 ? reserved4 : rxAdd,
                ]
            case nil: [type, reserved1, reserved2, reserved3, reserved4]
            }
        }

        // MARK: Legacy advertising

        public static let advertisingAddress = Field("btle.advertising_address", "Advertising Address", .address)
        public static let initiatorAddress = Field("btle.initiator_address", "Initiator Address", .address)
        public static let targetAddress = Field("btle.target_address", "Target Address", .address)
        public static let scanningAddress = Field("btle.scanning_address", "Scanning Address", .address)
        public static let advertisingData = Field("btle.advertising_data", "Advertising Data", .bytes)
        static let scanResponseData = Field("btle.scan_responce_data", "Scan Response Data", .bytes)
        static let linkLayerData = Field("btle.link_layer_data", "Link Layer Data", .group)
        static let connectAccessAddress = Field("btle.link_layer_data.access_address", "Access Address", .hex(8))
        static let connectCRCInit = Field("btle.link_layer_data.crc_init", "CRC Init", .hex(6))
        static let connectWindowSize = milliseconds("btle.link_layer_data.window_size", "Window Size", 1.25)
        static let connectWindowOffset = milliseconds("btle.link_layer_data.window_offset", "Window Offset", 1.25)
        static let connectInterval = milliseconds("btle.link_layer_data.interval", "Interval", 1.25)
        static let connectLatency = Field("btle.link_layer_data.latency", "Latency", .decimal)
        static let connectTimeout = milliseconds("btle.link_layer_data.timeout", "Timeout", 10)
        static let connectChannelMap = Field("btle.link_layer_data.channel_map", "Channel Map", .bytes)
        static let connectHopAndAccuracy = [
            Field("btle.link_layer_data.hop", "Hop", .decimal, mask: 0x1F),
            Field(
                "btle.link_layer_data.sleep_clock_accuracy", "Sleep Clock Accuracy", .decimal, mask: 0xE0,
                names: SleepClockAccuracy.valueNames),
        ]

        // MARK: Data header

        static let dataHeader = Field("btle.data_header", "Data Header", .group)
        public static let dataLength = Field("btle.data_header.length", "Length", .decimal, unit: "bytes")
        private static let nesn = Field(
            "btle.data_header.next_expected_sequence_number", "Next Expected Sequence Number", .decimal, mask: 0x04)
        private static let sn = Field(
            "btle.data_header.sequence_number", "Sequence Number", .decimal, mask: 0x08)
        static let dataHeaderBits = [
            Field(
                "btle.data_header.llid", "LLID", .hex(2), mask: 0x03,
                names: ValueNames { LLID(rawValue: UInt8(truncatingIfNeeded: $0)).name }),
            nesn, sn,
            bit("btle.data_header.more_data", "More Data", 0x10),
            bit("btle.data_header.cte_info_present", "CTE Info", 0x20, ["Not Present", "Present"]),
            Field("btle.data_header.rfu", "Reserved", .decimal, mask: 0xC0),
        ]
        static let dataCTEInfo = Field("btle.data_header.cte_info", "CTE Info", .hex(2))
        static let dataCTEInfoBits = cteInfoBits("btle.data_header.cte_info")
        static let connectedIsochronousHeaderBits = [
            Field(
                "btle.data_header.llid", "LLID", .hex(2), mask: 0x03,
                names: ValueNames([
                    0: "Unframed CIS Data PDU; end fragment of an SDU or a complete SDU",
                    1: "Unframed CIS Data PDU; start or continuation fragment of an SDU",
                    2: "Framed CIS Data PDU; one or more segments of an SDU",
                ])),
            nesn, sn,
            bit("btle.data_header.close_isochronous_event", "Close Isochronous Event", 0x10),
            bit("btle.data_header.null_pdu_indicator", "Null PDU Indicator", 0x40),
        ]
        static let broadcastIsochronousHeaderBits = [
            Field(
                "btle.data_header.llid", "LLID", .hex(2), mask: 0x03,
                names: ValueNames([
                    0: "Unframed BIS Data PDU; end fragment of an SDU or a complete SDU",
                    1: "Unframed BIS Data PDU; start or continuation fragment of an SDU",
                    2: "Framed BIS Data PDU; one or more segments of an SDU",
                    3: "BIG Control PDU",
                ])),
            Field(
                "btle.data_header.control_subevent_sequence_number", "Control Subevent Sequence Number", .decimal,
                mask: 0x1C),
            bit(
                "btle.data_header.control_subevent_transmission_flag", "Control Subevent Transmission Flag", 0x20),
        ]

        /// All fields of the layer.
        public static let all: [Field] =
            [
                layer, accessAddress, codingIndicator, length, crc, unknownData, encryptedData, l2capData,
                isochronousData, crcIncorrect, retransmission, centralAddress, peripheralAddress, pduHeader, pdu,
                advertisingHeader, advertisingLength, reserved1, chSel, reserved2, txAdd, reserved3, rxAdd, reserved4,
                advertisingAddress, initiatorAddress, targetAddress, scanningAddress,
                advertisingData, scanResponseData, linkLayerData, connectAccessAddress, connectCRCInit,
                connectWindowSize,
                connectWindowOffset, connectInterval, connectLatency, connectTimeout, connectChannelMap, dataHeader,
                dataLength, dataCTEInfo,
            ] + pduTypes + connectHopAndAccuracy + dataHeaderBits + dataCTEInfoBits + connectedIsochronousHeaderBits
            + broadcastIsochronousHeaderBits + extended + control + capture

        // MARK: Field factories

        static func bit(_ name: String, _ label: String, _ mask: UInt64, _ values: [String] = []) -> Field {
            Field(
                name, label, .boolean, mask: mask,
                names: values.count == 2 ? ValueNames { $0 < 2 ? values[Int($0)] : nil } : nil)
        }

        static func milliseconds(_ name: String, _ label: String, _ scale: Double) -> Field {
            Field(name, label, .decimal, unit: "ms", scale: scale)
        }

        static func cteInfoBits(_ name: String) -> [Field] {
            [
                Field(name + ".time", "CTE Time", .hex(2), unit: "µs", scale: 8, mask: 0x1F),
                Field(name + ".rfu", "Reserved", .hex(2), mask: 0x20),
                Field(name + ".type", "CTE Type", .hex(2), mask: 0xC0, names: cteTypes),
            ]
        }

        static let cteTypes = ValueNames([
            0: "AoA Constant Tone Extension", 1: "AoD Constant Tone Extension with 1 µs slots",
            2: "AoD Constant Tone Extension with 2 µs slots",
        ])
    }
}
