import Bluetooth
import Bytes
import Captures
import PluginKit

extension FrameMetadata {
    /// A reference to the frame, in its connection.
    var moment: FrameReference {
        FrameReference(frame: packet.number, time: packet.time, connection: Int(connection) + 1)
    }

    /// A reference to the frame, for an event of another connection than its own.
    func moment(of connection: Connection) -> FrameReference {
        FrameReference(frame: packet.number, time: packet.time, connection: connection.number)
    }
}

extension TrackedBatch {
    /// The payload of a link layer data PDU, in plain text if a key has opened it.
    func linkLayerPayload(of metadata: borrowing FrameMetadata) -> ArraySlice<UInt8>? {
        if metadata.plain.isPresent { return bytes(of: metadata.plain) }
        guard let packet = linkLayer(of: metadata) else { return nil }
        let header = LL.DataHeader(bits: packet.header.header)
        let range = packet.header.payload.dropFirst(header.hasCTEInfo ? 1 : 0)
        let start = metadata.packet.start
        return packets.bytes[(start + range.lowerBound)..<(start + range.upperBound)]
    }
}

// MARK: - Advertisements

extension Advertisement {
    init(_ report: HCI.LEAdvertisingReport.Report) {
        let kind: Kind =
            switch report.eventType {
            case 0: .connectable
            case 1: .directed
            case 2: .scannable
            case 4: .scanResponse
            default: .nonconnectable
            }
        self.init(kind: kind, address: DeviceAddress(report.address, report.addressType), data: report.data)
    }

    init(_ report: HCI.LEExtendedAdvertisingReport.Report) {
        let type = report.eventType
        let isLegacy = type & 0x10 != 0
        let kind: Kind
        switch (isLegacy, type & 0x0F) {
        case (true, 0x3): kind = .connectable
        case (true, 0x5): kind = .directed
        case (true, 0x2): kind = .scannable
        case (true, 0x0): kind = .nonconnectable
        case (true, _): kind = .scanResponse
        case (false, _):
            kind = .extended(
                isConnectable: type & 0x1 != 0, isScannable: type & 0x2 != 0, isScanResponse: type & 0x8 != 0)
        }
        self.init(kind: kind, address: DeviceAddress(report.address, report.addressType), data: report.data)
    }

    /// An advertising PDU on the air; nil for other PDUs, and for those that cannot be parsed.
    init?(_ metadata: borrowing FrameMetadata, in batch: borrowing TrackedBatch) {
        guard let packet = batch.linkLayer(of: metadata) else { return nil }
        let header = LL.AdvertisingHeader(bits: packet.header.header)
        let start = metadata.packet.start
        let pdu = batch.packets.bytes[(start + packet.header.pdu.lowerBound)..<(start + packet.header.pdu.upperBound)]
        var reader = ByteReader(pdu.span)
        let stream = batch.streamPDU(of: metadata)
        // A PDU that may continue the data of one that was not captured is not an advertisement.
        if let stream, !stream.isCertain { return nil }
        let context = stream?.context ?? packet.advertisingContext
        let read = (try? LL.readAdvertising(&reader, in: context)) ?? nil
        switch read {
        case let advertising as LL.UndirectedAdvertising:
            let kind: Kind =
                switch header.type {
                case .advInd: .connectable
                case .advScanInd: .scannable
                default: .nonconnectable
                }
            self.init(
                kind: kind, address: DeviceAddress(advertising.advertiser, header.txAdd), data: advertising.data,
                isFromAir: true)
            _ = complete(at: packet.header.payload.upperBound - advertising.data.count, metadata, batch)
        case let response as LL.ScanResponse:
            self.init(
                kind: .scanResponse, address: DeviceAddress(response.advertiser, header.txAdd), data: response.data,
                isFromAir: true)
            _ = complete(at: packet.header.payload.upperBound - response.data.count, metadata, batch)
        case let directed as LL.DirectedAdvertising:
            self.init(
                kind: .directed, address: DeviceAddress(directed.advertiser, header.txAdd), data: [], isFromAir: true)
        case let extended as LL.ExtendedAdvertising:
            let mode = extended.mode
            self.init(
                kind: stream != nil
                    ? .periodic
                    : .extended(
                        isConnectable: mode == .connectable, isScannable: mode == .scannable,
                        isScanResponse: context == .scanResponse),
                address: extended.advertiser.map { DeviceAddress($0, header.txAdd) }, data: extended.data,
                isFromAir: true)
            guard complete(at: packet.header.payload.upperBound - extended.data.count, metadata, batch) else {
                return nil
            }
            if address == nil { address = batch.devices[metadata.sender]?.address }
        default: return nil
        }
    }

    /// Replaces the data of the last part, at an offset in the frame, with the data of all parts, and adds what was
    /// encrypted in it. Returns false for other parts, which are not advertisements.
    mutating func complete(
        at offset: Int, _ metadata: borrowing FrameMetadata, _ batch: borrowing TrackedBatch
    ) -> Bool {
        let part = batch.reassembly.advertisingParts[metadata.packet.number]?[offset]
        if let part {
            guard part.isComplete else { return false }
            data = Array(batch.bytes(of: part.whole))
        }
        if let opened = batch.reassembly.openedAdvertising[metadata.packet.number]?[offset] {
            data += batch.bytes(of: opened)
        }
        return true
    }
}
