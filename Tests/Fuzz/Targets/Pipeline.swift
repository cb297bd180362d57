import Bluetooth
import BluetoothCrypto
import Bytes
import Captures
import Conversation
import Dissection
import Keys
import Output
import PDUTestKit
import TestKit
import Workbench

extension FuzzTarget {
    /// A capture file of any format.
    static let pipeline = FuzzTarget("pipeline") {
        $0
    } fault: { bytes in
        guard let source = try? ByteSource(bytes: bytes, name: "input", chunkSize: 16 * 1024),
            let reader = try? CaptureReader(source: source)
        else { return nil }
        // As much as uncompressed inputs can contain.
        var batches: [PacketBatch] = []
        var size = 0
        while size < 64 * 1024, let batch = try? reader.next() {
            batches.append(batch)
            size += batch.bytes.count
        }
        return Decoding.fault(batches)
    }

    /// HCI packets in the format of `Traffic`.
    static let hciTraffic = FuzzTarget("hci-traffic") { captures in
        Traffic.seeds(captures, .h4)
    } fault: { bytes in
        Decoding.fault(Traffic.batches(bytes, .h4))
    }

    /// Link layer packets in the format of `Traffic`, with a key for those that are encrypted.
    static let airTraffic = FuzzTarget("air-traffic") { captures in
        Traffic.seeds(captures + [encryptedSession()], .linkLayerWithHeader)
    } fault: { bytes in
        Decoding.fault(
            Traffic.batches(bytes, .linkLayerWithHeader),
            keys: KeyRing([KnownKey(.longTerm(longTermKey), origin: .given)]))
    }

    private static let longTermKey = SecretKey(0x4C68_3841_39F5_74D8_36BC_F34E_9DFB_01BF)

    /// A capture of a connection that is encrypted with that key.
    private static func encryptedSession() -> [UInt8] {
        let air = AirSession()
        let link = air.connect(
            DeviceAddress(Address(value: 0xC000_0000_0010), .random),
            to: DeviceAddress(Address(value: 0xC000_0000_0001), .random))
        link.encrypt(with: longTermKey)
        for number in 0..<8 as Range<UInt8> { link.notify(Handle(0x0010), [number, 0x5A]) }
        return (try? air.recording.file(.pcapng, .linkLayerWithHeader)) ?? []
    }
}

/// Runs captures through tracking, dissection, filter, statistics and every printer.
enum Decoding {
    private static let catalog = FieldCatalog.all(plugins: FuzzPlugins.all)
    private static let columns = [
        "frame.number", "frame.time_epoch", "frame.len", "hci_h4.type", "bthci_cmd.opcode", "bthci_evt.code",
        "bthci_acl.chandle", "btl2cap.cid", "btl2cap.length", "btatt.opcode", "btatt.handle", "btatt.value",
        "btatt.uuid16", "btatt.uuid128", "btsmp.opcode", "btle.access_address", "btle.advertising_address",
        "btcommon.eir_ad.entry.device_name", "bluetooth.addr", "gatt.characteristic",
    ]
    private static let printers: [any FramePrinter] = {
        var all: [any FramePrinter] = [
            NDJSONPrinter(), TextPrinter(tree: true, bytes: true, paint: .ansi),
        ]
        if let fields = try? FieldsPrinter(columns, catalog: catalog, layout: .csv) { all.append(fields) }
        return all
    }()

    /// A fault in the packets' output.
    static func fault(_ batches: [PacketBatch], keys: KeyRing = KeyRing()) -> String? {
        guard printers.count == 3 else { return "a column is unknown" }
        var tracker = Tracker(keys: keys)
        var tracked = batches.map { tracker.track($0) }
        let size = batches.reduce(0) { $0 + $1.bytes.count + 64 * $1.packets.count }
        for index in tracked.indices { tracker.name(&tracked[index]) }
        let dissector = Dissector(scope: .all, plugins: FuzzPlugins.all)
        let frame = DissectedFrame()
        for printer in printers {
            let writer = printer.makeWriter()
            var output = TextWriter()
            var written = 0
            for batch in tracked {
                for metadata in batch.metadata {
                    output.truncate(to: 0)
                    dissector.dissect(metadata, of: batch, into: frame)
                    if let fault = fieldFault(frame, metadata, batch) {
                        return "frame \(metadata.packet.number): \(fault)"
                    }
                    writer.write(frame, metadata, of: batch, to: &output)
                    written += output.count
                    if let fault = textFault(output.bytes, isJSON: printer is NDJSONPrinter) {
                        return "frame \(metadata.packet.number): \(fault)"
                    }
                }
            }
            if written > 100_000 + 1000 * size { return "\(written) bytes printed for \(size) bytes captured" }
        }
        return nil
    }

    /// A field outside the bytes that it was read from.
    private static func fieldFault(_ frame: DissectedFrame, _ metadata: FrameMetadata, _ batch: TrackedBatch) -> String?
    {
        for recorded in frame.recorder.fields {
            let available =
                switch recorded.buffer {
                case .frame: metadata.packet.count
                case .reassembled: metadata.pdu.count
                case .sdu: metadata.assembled.count
                case .decrypted: metadata.plain.count
                }
            if Int(recorded.offset) + Int(recorded.length) > available {
                return "\(recorded.field.name) lies at \(recorded.offset)+\(recorded.length) of \(available) bytes"
            }
        }
        return nil
    }

    private static func textFault(_ text: [UInt8], isJSON: Bool) -> String? {
        guard String(validating: text, as: UTF8.self) != nil else { return "text that is not UTF-8" }
        guard isJSON else { return nil }
        if case .object? = try? JSONValue(reading: text) { return nil }
        return "text that is not JSON: \(String(decoding: text, as: UTF8.self))"
    }
}
