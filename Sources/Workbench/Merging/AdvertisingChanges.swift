import Bluetooth
import Bytes
import Captures
import Conversation

/// Changes of the data that devices advertise: a host and a sniffer notice them within an advertising interval, so they
/// align clocks where connections have little in common. Only legacy advertising is read.
struct AdvertisingChanges: Sendable {
    /// Hash of the last data, by the sender's address.
    private var last: [UInt64: UInt64] = [:]
    private var count = 0

    /// Senders whose data is kept at one time, and changes that are compared.
    private static let (senderLimit, limit) = (1024, 1 << 16)

    /// The changes that a frame shows.
    mutating func sightings(in metadata: FrameMetadata, _ batch: borrowing TrackedBatch) -> [Sighting] {
        if count >= Self.limit || metadata.packet.isCut { return [] }
        var sightings: [Sighting] = []
        for (address, data) in Self.advertisements(metadata, batch) {
            let bytes = (0..<6).map { UInt8(truncatingIfNeeded: address >> (8 * UInt64($0))) } + data
            let fingerprint = bytes.span.rawBytes.hash
            if last.count >= Self.senderLimit, last[address] == nil { last.removeAll() }
            guard last.updateValue(fingerprint, forKey: address) != fingerprint else { continue }
            count += 1
            sightings.append(
                Sighting(
                    kind: .advertising, fingerprint: fingerprint, time: metadata.packet.time,
                    frame: metadata.packet.number, connection: -1, direction: metadata.hci == nil ? .sent : .received))
        }
        return sightings
    }

    /// Address and data of each advertising PDU in a frame; scan responses would alternate with them.
    private static func advertisements(
        _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch
    ) -> [(UInt64, [UInt8])] {
        let bytes = batch.packets.bytes
        if let hci = metadata.hci {
            guard hci.count > 3, bytes[hci.start] == HCI.EventCode.leMeta.rawValue,
                bytes[hci.start + 2] == HCI.LESubevent.advertisingReport.rawValue,
                let event = try? HCI.LEAdvertisingReport(decoding: Array(bytes[hci.range].dropFirst(3)))
            else { return [] }
            return event.reports.filter { $0.eventType != 4 && !$0.data.isEmpty }.map { ($0.address.value, $0.data) }
        }
        guard metadata.kind == .advertising, let packet = batch.linkLayer(of: metadata),
            [.advInd, .advNonconnInd, .advScanInd].contains(LL.AdvertisingHeader(bits: packet.header.header).type),
            packet.header.payload.count > 6
        else { return [] }
        let payload = bytes[metadata.packet.range][
            (metadata.packet.start + packet.header.payload.lowerBound)..<(metadata.packet.start
                + packet.header.payload.upperBound)]
        return [
            (payload.prefix(6).reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }, Array(payload.dropFirst(6)))
        ]
    }
}
