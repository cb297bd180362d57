import Captures
import Conversation
import Dissection
import PDUTestKit
import TestKit
import Workbench

extension FuzzTarget {
    /// A display filter as text, evaluated on frames of several kinds.
    static let filter = FuzzTarget("filter") { _ in
        FilterTrial.examples.map { Array($0.utf8) }
    } fault: { bytes in
        FilterTrial.fault(String(decoding: bytes, as: UTF8.self))
    }
}

private enum FilterTrial {
    static let examples = [
        "btatt", "!btatt && hci_h4", "btatt.opcode == 0x1b", "btatt.handle in {1, 3..0x20}",
        "btatt.value[0:2] == 01:02",
        "btatt.value contains 62:64 or btatt.value contains \"abc\"", "btatt.value matches \"^a.*[b-d]{2,3}(x|y)?$\"",
        "not (frame.number >= 3 and frame.len < 100)", "frame.time_epoch > 0.5", "bthci_acl.chandle != 0x40",
        "btle.access_address == 0x8e89bed6", "bluetooth.addr == c0:ff:ee:00:00:01", "btatt.opcode.command == True",
        "any btatt.handle > 1 xor all btatt.handle < 9", "len(btatt.value) > 3", "btatt.value[-2:] == \"\\x01\\n\"",
        "btatt.uuid128 == 6f:75:61:6b", "btatt.opcode == \"Handle Value Notification\"", "frame[0] & 0x02",
        "btcommon.eir_ad.entry.device_name ~ \"Puck\" || gatt.characteristic eq \"Battery Level\"",
        "upper(gatt.characteristic) == \"A\"", "btatt.value[1,3,5-7] ne 00", "btsmp.opcode le 0b11 ge 1",
        "((((btatt))))",
    ]

    private static let catalog = FieldCatalog.all(plugins: FuzzPlugins.all)

    /// An advertising report, a connection, a notification, a write in two fragments, and pairing.
    private static let batch: TrackedBatch = {
        let packets = [
            hex("04 3e 1a 02 01 00 00 010000eeffc0 0e 02 01 06 05 09 50 75 63 6b 04 ff 59 00 01 c4"),
            hex("04 3e 13 01 00 40 00 00 01 010000eeffc0 1800 0000 2a00 00"),
            hex("02 40 20 08 00 04 00 04 00 1b 07 00 62"), hex("02 40 00 06 00 05 00 04 00 12 09"),
            hex("02 40 10 03 00 00 01 00"), hex("02 40 20 0b 00 07 00 06 00 01 03 00 01 10 07 07"),
        ]
        var input: [UInt8] = []
        for packet in packets { input += [1, UInt8(packet.count)] + packet }
        var tracker = Tracker()
        var batch = tracker.track(Traffic.batches(input, .h4)[0])
        tracker.name(&batch)
        return batch
    }()

    static func fault(_ text: String) -> String? {
        guard text.utf8.count <= 4096 else { return nil }
        let filter: DisplayFilter
        do throws(FilterError) {
            filter = try DisplayFilter(text, catalog: catalog)
        } catch {
            return "\(error)".isEmpty ? "an error without a message" : nil
        }
        let dissector = Dissector(scope: .all, plugins: FuzzPlugins.all)
        let frame = DissectedFrame()
        for metadata in batch.metadata {
            dissector.dissect(metadata, of: batch, into: frame)
            if batch.matches(filter, frame, metadata) != batch.matches(filter, frame, metadata) {
                return "a frame passes only sometimes"
            }
        }
        return nil
    }
}
