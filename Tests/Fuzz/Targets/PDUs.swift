import Bluetooth
import Bytes

// The PDUs of each layer, one at a time.
extension FuzzTarget {
    static let pdus = [
        pdu("hci-command", layer: "bthci_cmd") { reader throws(DecodeError) in
            _ = try HCI.readCommand(&reader, hooks: hooks)
            return nil
        },
        pdu("hci-event", layer: "bthci_evt") { reader throws(DecodeError) in
            _ = try HCI.readEvent(&reader, hooks: hooks)
            return nil
        },
        pdu("hci-iso", layer: "bthci_iso") { reader throws(DecodeError) in
            try HCI.readISO(&reader)
            return nil
        },
        pdu("l2cap-signal", layer: "btl2cap", after: 4) { reader throws(DecodeError) in
            try L2CAP.readSignal(&reader).command
        },
        pdu("att", layer: "btatt") { reader throws(DecodeError) in try ATT.read(&reader) },
        pdu("smp", layer: "btsmp") { reader throws(DecodeError) in try SMP.read(&reader) },
        pdu("ll-control", layer: "btle", after: 6) { reader throws(DecodeError) in try LL.readControl(&reader) },
        pdu("ll-advertising", layer: "btle", after: 3) { reader throws(DecodeError) in
            let context = LL.AdvertisingContext(rawValue: try reader.read(contextField) % 7) ?? .primary
            return try LL.readAdvertising(&reader, in: context, advertisingData: readReportData)
        },
        pdu("advertising-data", layer: "btcommon.eir_ad.advertising_data") { reader throws(DecodeError) in
            GAP.readAdvertisingData(&reader)
            return nil
        },
    ]

    private typealias ReadPDU = @Sendable (inout ByteReader) throws(DecodeError) -> (any WireFormat)?

    private static let contextField = Field("fuzz.context", "Context", .decimal)
    private static let hooks = HCI.Hooks { reader throws(DecodeError) in try readAdvertisingData(&reader) }

    @Sendable
    private static func readAdvertisingData(_ reader: inout ByteReader) throws(DecodeError) {
        if let fault = GAP.readAdvertisingData(&reader).first { throw fault }
    }

    @Sendable
    private static func readReportData(_ reader: inout ByteReader) throws(DecodeError) -> [UInt8] {
        let bytes = reader.restBytes
        try readAdvertisingData(&reader)
        return bytes
    }

    /// One kind of PDU. Seeds are the PDUs of captures without their first bytes, and one for each initial byte.
    private static func pdu(
        _ name: String, layer: String, after skipped: Int = 0, read: @escaping ReadPDU
    ) -> FuzzTarget {
        FuzzTarget(name) { captures in
            let found = Set(captures.flatMap { Layers.bytes(of: layer, in: $0) }.map { Array($0.dropFirst(skipped)) })
            return found.sorted { $0.lexicographicallyPrecedes($1) }.prefix(400)
                + (0...255).map { [$0, 0x04, 0x40] + (0..<70) }
        } fault: { bytes in
            PDUReading(bytes, read).fault
        }
    }

    /// A PDU, read with and without a recorder, and written.
    private struct PDUReading {
        var fault: String?

        init(_ bytes: [UInt8], _ read: ReadPDU) {
            let recorder = FieldRecorder()
            let (recorded, recordedError) = Self.outcome(bytes, recorder, read)
            let (plain, plainError) = Self.outcome(bytes, nil, read)
            for field in recorder.fields where Int(field.offset) + Int(field.length) > bytes.count {
                fault = "\(field.field.name) lies outside of the bytes"
            }
            if recorded?.encoded != plain?.encoded { fault = "reads differently with a recorder" }
            for error in [recordedError, plainError].compactMap({ $0 }) where error.offset > bytes.count {
                fault = "an error that lies outside of the bytes: \(error)"
            }
        }

        private static func outcome(
            _ bytes: [UInt8], _ recorder: FieldRecorder?, _ read: ReadPDU
        ) -> ((any WireFormat)?, DecodeError?) {
            var reader = ByteReader(bytes.span, recorder: recorder)
            do throws(DecodeError) {
                return (try read(&reader), nil)
            } catch {
                return (nil, error)
            }
        }
    }
}
